//! The examples of the documents, as they are printed there.
//!
//! In a block ```` ```console ````, each line behind `$ ` is run by a shell and must print what follows; `…` on a line
//! of its own stands for any lines. A command that takes too long or needs something else says so itself, in
//! a comment with the words "not run by the tests". A block whose first line begins with `> ` is a conversation with
//! `quadrille engine`. How long something took is not compared.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const DOCUMENTS: [&str; 5] =
    ["README.md", "docs/terminal.md", "docs/protocols.md", "docs/seeds.md", "docs/notation.md"];
const LEFT_OUT: &str = "# not run by the tests: ";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The fenced blocks of a document: what stands behind the fence, and the lines.
fn blocks(document: &str) -> Vec<(String, Vec<String>)> {
    let text = fs::read_to_string(root().join(document)).unwrap();
    let (mut all, mut open): (Vec<(String, Vec<String>)>, bool) = (Vec::new(), false);
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(kind) if !open => {
                all.push((kind.to_owned(), Vec::new()));
                open = true;
            }
            Some(_) => open = false,
            None if open => all.last_mut().unwrap().1.push(line.to_owned()),
            None => {}
        }
    }
    all
}

/// A line without what differs from machine to machine: times, speeds and the version.
fn plain(line: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for word in line.trim_end().split(' ') {
        let before = out.last().map_or("", String::as_str);
        let is_number = word.starts_with(|c: char| c.is_ascii_digit());
        let word = match (before, word) {
            ("nps" | "time" | "Quadrille", _) if is_number => "#",
            (_, "s" | "s," | "s;") if before.starts_with(|c: char| c.is_ascii_digit()) => {
                out.pop();
                "# s"
            }
            _ => word,
        };
        out.push(word.to_owned());
    }
    let line = out.join(" ");
    match line.split_once("\"time_ms\":") {
        Some((head, rest)) => {
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            format!("{head}\"time_ms\":#{rest}")
        }
        None => line,
    }
}

/// Whether these lines are those of the document, in which `…` stands for any lines.
fn fits(expected: &[String], got: &[String]) -> bool {
    match (expected.split_first(), got.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first.trim() == "…" => {
            fits(rest, got) || got.split_first().is_some_and(|(_, got)| fits(expected, got))
        }
        (Some((first, expected)), Some((own, got))) => {
            plain(first) == plain(own) && fits(expected, got)
        }
        _ => false,
    }
}

/// A folder with the program and a recorded game, for the commands to run in.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let mut game = (engine::find("gekitai").unwrap().start)(&Default::default()).unwrap();
    let mut random = rules::random::Random::new(3);
    while game.turns_played() < 14 && game.result().is_none() {
        let turn = random.pick(&game.turns()).unwrap().clone();
        game.play(&turn).unwrap();
    }
    let turns = game.history().join(" ");
    fs::write(folder.join("game.txt"), format!("[Game \"gekitai\"]\n\n{turns} *\n")).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_quadrille"), folder.join("quadrille")).unwrap();
    folder
}

/// What a command prints, and if it fails also why.
fn printed(command: &str, folder: &Path) -> Vec<String> {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("XDG_DATA_HOME", folder.join("data"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let mut text = output.stdout;
    if !output.status.success() {
        text.extend(output.stderr);
    }
    String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn commands_print_what_the_documents_say() {
    let folder = folder();
    let (mut run, mut left_out) = (0, 0);
    for document in DOCUMENTS {
        for (_, lines) in blocks(document).iter().filter(|(kind, _)| kind == "console") {
            let mut rest = &lines[..];
            while let Some((first, after)) = rest.split_first() {
                let command =
                    first.strip_prefix("$ ").unwrap_or_else(|| panic!("{document}: {first}"));
                let count = after.iter().take_while(|line| !line.starts_with("$ ")).count();
                let (expected, next) = after.split_at(count);
                rest = next;
                if command.contains(LEFT_OUT) {
                    left_out += 1;
                    continue;
                }
                let got = printed(command, &folder);
                let (expected_text, got_text) = (expected.join("\n"), got.join("\n"));
                let words =
                    format!("{document}: {command}\n{expected_text}\n--- printed:\n{got_text}");
                assert!(fits(expected, &got), "{words}");
                run += 1;
            }
        }
    }
    assert!(run >= 20 && left_out <= 3, "{run} examples were run, {left_out} left out");
}

#[test]
fn the_engine_answers_as_the_documents_say() {
    let mut talks = 0;
    for document in DOCUMENTS {
        let all = blocks(document);
        let talk =
            all.iter().filter(|(_, lines)| lines.first().is_some_and(|l| l.starts_with("> ")));
        for (_, lines) in talk {
            converse(document, lines);
            talks += 1;
        }
    }
    assert_eq!(talks, 2);
}

/// Says the lines behind `> `, and waits for those behind `< ` each time.
fn converse(document: &str, lines: &[String]) {
    let mut engine = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .arg("engine")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = engine.stdin.take().unwrap();
    let mut answers = BufReader::new(engine.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut skips = false;
    for line in lines {
        if let Some(words) = line.strip_prefix("> ") {
            writeln!(input, "{words}").unwrap();
        } else if line.trim() == "…" {
            skips = true;
        } else {
            let expected = plain(line.strip_prefix("< ").unwrap_or(line));
            let mut heard = Vec::new();
            loop {
                let answer = answers.next().unwrap_or_else(|| {
                    panic!("{document}: no `{expected}` in\n{}", heard.join("\n"))
                });
                let fits = plain(&answer) == expected;
                assert!(fits || skips, "{document}: `{expected}`, got `{answer}`");
                if fits {
                    break;
                }
                heard.push(answer);
            }
            skips = false;
        }
    }
    drop(input);
    engine.wait().unwrap();
}
