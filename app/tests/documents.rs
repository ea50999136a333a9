//! The examples of the documents, as they are printed there.
//!
//! In a block ```` ```console ````, each line after `$ ` is run, all those of a document by one shell, and must print
//! what follows; `…` on a line of its own stands for any lines, and elsewhere for any text. Where a command asks
//! `localhost:8000`, a server is there. A command that needs something else, or takes too long, says so in a comment:
//! [`LEFT_OUT`], [`LONG`]. A block ```` ```bash ```` is a script that must succeed. A block whose first line begins
//! with `> ` is a conversation with `quadrille engine`. How long something took is not compared. Of the commands in
//! other blocks and in the text, the arguments are checked. With `QUADRILLE_BLESS=1` the actual output is written into
//! the documents: check the diff.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

const LEFT_OUT: &str = "# not run by the tests: ";

/// Run with `QUADRILLE_LONG=1` alone.
const LONG: &str = "# run by the long tests: ";

/// Ends what a command prints.
const MARK: &str = "\n--- the next command\n";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn documents() -> Vec<String> {
    let mut all: Vec<_> = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "packaging/npm/README.md",
        "python/README.md",
    ]
    .map(str::to_owned)
    .into();
    for folder in ["docs", "rules/pages"] {
        let files = fs::read_dir(root().join(folder)).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        let names = names.filter(|name| name.ends_with(".md"));
        all.extend(names.map(|name| format!("{folder}/{name}")));
    }
    all.sort();
    assert!(all.len() >= 22, "{all:?}");
    all
}

fn read(document: &str) -> String {
    fs::read_to_string(root().join(document)).unwrap()
}

/// The fenced blocks of a document, each with the word after its fence, and the text around them.
fn blocks(document: &str) -> (Vec<(String, Vec<String>)>, String) {
    let (mut all, mut around) = (Vec::<(String, Vec<String>)>::new(), String::new());
    let mut open = false;
    for line in read(document).lines() {
        match line.strip_prefix("```") {
            Some(kind) if !open => {
                all.push((kind.to_owned(), Vec::new()));
                open = true;
            }
            Some(_) => open = false,
            None if open => all.last_mut().unwrap().1.push(line.to_owned()),
            None => around.push_str(&format!("{line}\n")),
        }
    }
    (all, around)
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

/// Whether a line is that of the document, in which `…` stands for any text.
fn is_like(expected: &str, got: &str) -> bool {
    let (expected, got) = (plain(expected), plain(got));
    let Some((head, rest)) = expected.split_once('…') else { return expected == got };
    let Some(mut got) = got.strip_prefix(head) else { return false };
    let mut parts: Vec<_> = rest.split('…').collect();
    let tail = parts.pop().unwrap_or_default();
    for part in parts {
        let Some((_, after)) = got.split_once(part) else { return false };
        got = after;
    }
    got.ends_with(tail)
}

/// Whether these lines are those of the document, in which `…` stands for any lines.
fn fits(expected: &[String], got: &[String]) -> bool {
    match (expected.split_first(), got.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first.trim() == "…" => {
            fits(rest, got) || got.split_first().is_some_and(|(_, got)| fits(expected, got))
        }
        (Some((first, expected)), Some((own, got))) => is_like(first, own) && fits(expected, got),
        _ => false,
    }
}

/// Writes into a document what an example has printed; lines that fit stay, with their `…`.
fn bless(document: &str, command: &str, expected: &[String], got: &[String]) {
    let same = |(old, new): (&String, &String)| if is_like(old, new) { old } else { new }.clone();
    let lines: Vec<_> = match expected.len() == got.len() {
        true => expected.iter().zip(got).map(same).collect(),
        false => got.to_vec(),
    };
    let example = |lines: &[String]| format!("$ {command}\n{}\n", lines.join("\n"));
    let text = read(document);
    assert!(text.contains(&example(expected)), "{document}: {command}");
    fs::write(root().join(document), text.replacen(&example(expected), &example(&lines), 1))
        .unwrap();
}

/// A folder with the program, the repository's files and a recorded game, for the commands to run in.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
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
    let link = |from: PathBuf, to: &str| std::os::unix::fs::symlink(from, folder.join(to)).unwrap();
    link(env!("CARGO_BIN_EXE_quadrille").into(), "quadrille");
    for own in ["docs", "engine"] {
        link(root().join(own).canonicalize().unwrap(), own);
    }
    folder
}

/// A shell in a folder.
fn shell(script: &str, folder: &Path) -> Command {
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("bash");
    shell
        .args(["-c", script])
        .current_dir(folder)
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("XDG_DATA_HOME", folder.join("data"))
        // Beside it is the socket for operators.
        .env("QUADRILLE_DATA", folder.join("games.db"))
        .stdin(Stdio::null());
    shell
}

/// A server with the addresses of the documents, as far as commands can tell.
struct Server {
    process: Child,
    address: String,
    metrics: String,
}

impl Server {
    fn start(folder: &Path) -> Server {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_quadrille"))
            .args(["serve", "--listen", "127.0.0.1:0", "--metrics", &free.to_string()])
            .arg("--data")
            .arg(folder.join("games.db"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("Quadrille is at http://").unwrap();
        let address = address.trim_end_matches('/').to_owned();
        Server { process, address, metrics: free.to_string() }
    }

    /// A command that asks this server instead of the usual one.
    fn instead(&self, command: &str) -> String {
        let command = command.replace("localhost:8000", &self.address);
        command.replace("127.0.0.1:8000", &self.address).replace("localhost:9100", &self.metrics)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A command, and the lines that it must print.
type Example = (String, Vec<String>);

/// The examples of a document that are run, and how many never are.
fn examples(document: &str) -> (Vec<Example>, usize) {
    let (mut run, mut left_out) = (Vec::<Example>::new(), 0);
    let long = crate::is_long();
    for (_, lines) in blocks(document).0.iter().filter(|(kind, _)| kind == "console") {
        let starts = |line: &str| line.starts_with("$ ");
        assert!(lines.first().is_some_and(|line| starts(line)), "{document}: {lines:?}");
        for example in lines.chunk_by(|_, next| !starts(next)) {
            let command = example[0].strip_prefix("$ ").unwrap();
            if command.contains(LEFT_OUT) {
                left_out += 1;
            } else if long || !command.contains(LONG) {
                run.push((command.to_owned(), example[1..].to_vec()));
            }
        }
    }
    (run, left_out)
}

#[test]
fn commands_print_what_the_documents_say() {
    let folder = folder("documents");
    let server = Server::start(&folder);
    let (mut run, mut left_out, mut wrong) = (0, 0, Vec::new());
    for document in documents() {
        let (examples, not_run) = examples(&document);
        let script: Vec<String> = examples
            .iter()
            .map(|(command, _)| {
                let command = server.instead(command);
                format!("{{ {command}\n}} 2>errors || cat errors\nprintf '%s' '{MARK}'\n")
            })
            .collect();
        let output = shell(&script.concat(), &folder).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let mut printed = text.split(MARK);
        for (command, expected) in &examples {
            let got = printed.next().unwrap_or_default();
            let got: Vec<_> = got.trim_end_matches('\n').lines().map(str::to_owned).collect();
            if !fits(expected, &got) {
                if std::env::var("QUADRILLE_BLESS").is_ok() {
                    bless(&document, command, expected, &got);
                    continue;
                }
                let (expected, got) = (expected.join("\n"), got.join("\n"));
                wrong.push(format!("{document}: {command}\n{expected}\n--- printed:\n{got}"));
            }
        }
        run += examples.len();
        left_out += not_run;
    }
    assert!(wrong.is_empty(), "QUADRILLE_BLESS=1 changes them:\n{}", wrong.join("\n\n"));
    assert!(run >= 60 && left_out <= 6, "{run} examples were run, {left_out} are never run");
}

#[test]
fn what_a_command_prints_stands_in_the_block_of_the_command() {
    for document in documents() {
        let text = read(&document);
        let lines: Vec<_> = text.lines().filter(|line| !line.is_empty()).collect();
        for pair in lines.windows(2) {
            let told = pair[0].ends_with("prints:") || pair[0].ends_with("print:");
            assert!(
                !told || !pair[1].starts_with("```") || pair[1] == "```console",
                "{document}: `{}`: write it as ```console, where it is run",
                pair[0]
            );
        }
    }
}

#[test]
fn scripts_of_the_documents_end_well() {
    let folder = folder("scripts");
    let server = Server::start(&folder);
    let mut scripts = 0;
    for document in documents() {
        for (_, lines) in blocks(&document).0.iter().filter(|(kind, _)| kind == "bash") {
            let script = format!("set -e\n{}", server.instead(&lines.join("\n")));
            let output = shell(&script, &folder).output().unwrap();
            let printed = String::from_utf8_lossy(&output.stdout);
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{document}: {printed}{errors}");
            assert!(!printed.contains("\"error\""), "{document}: {printed}");
            // The only one plays a game to its end and shows the record.
            assert!(printed.trim_end().ends_with(['0', '1', '2']), "{document}: {printed}");
            scripts += 1;
        }
    }
    assert_eq!(scripts, 1);
}

/// The words of a command without comment, pipe and redirection; none if words are left out of it.
fn arguments(code: &str) -> Option<String> {
    let code = code.split(" #").next()?;
    let mut quoted = false;
    let end = code.find(|c| {
        quoted ^= c == '\'';
        !quoted && [';', '|', '>', '&'].contains(&c)
    });
    let code = code[..end.unwrap_or(code.len())].trim();
    let title = code.starts_with("quadrille certificate ");
    (code.starts_with("quadrille ") && !title && !code.contains(['…', '<']))
        .then(|| code.to_owned())
}

/// Commands that are named in the text and in blocks that are not run.
fn named(document: &str) -> Vec<String> {
    let (blocks, around) = blocks(document);
    let lines = blocks.iter().filter(|(kind, _)| kind == "sh" || kind == "console");
    let lines = lines
        .flat_map(|(_, lines)| lines)
        .filter(|line| !line.starts_with("$ ") || line.contains("# "));
    let lines = lines.map(|line| line.trim_start_matches("$ ").to_owned());
    let spans = around.split('`').skip(1).step_by(2).map(|code| code.replace('\n', " "));
    lines.chain(spans).filter_map(|code| arguments(&code)).collect()
}

#[test]
fn every_command_in_the_documents_has_arguments_that_the_program_knows() {
    let folder = folder("arguments");
    let (mut count, mut wrong) = (0, Vec::new());
    for document in documents() {
        for command in named(&document) {
            // Help is given as soon as everything before it has been understood.
            let output = shell(&format!("{command} --help"), &folder).output().unwrap();
            if !output.status.success() {
                let why = String::from_utf8_lossy(&output.stderr);
                wrong.push(format!("{document}: {command}\n{why}"));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 60, "{count} commands");
}

#[test]
fn the_engine_answers_as_the_documents_say() {
    let mut talks = 0;
    for document in documents() {
        let (all, _) = blocks(&document);
        let talk =
            all.iter().filter(|(_, lines)| lines.first().is_some_and(|l| l.starts_with("> ")));
        for (_, lines) in talk {
            converse(&document, lines);
            talks += 1;
        }
    }
    assert_eq!(talks, 2);
}
/// Says the lines after `> `, and waits for those after `< ` each time.
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
                let answered = plain(&answer);
                let fits = match expected.strip_suffix('…') {
                    Some(start) => answered.starts_with(start),
                    None => answered == expected,
                };
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

#[test]
fn the_bot_of_the_documents_plays_whoever_wants_to() {
    let folder = folder("python-bot");
    let (blocks, _) = blocks("docs/http.md");
    let bots: Vec<_> = blocks.iter().filter(|(kind, _)| kind == "python").collect();
    let [(_, lines)] = bots[..] else { panic!("{} programs in Python", bots.len()) };
    assert!(lines.len() <= 40, "{} lines", lines.len());
    fs::write(folder.join("bot.py"), lines.join("\n")).unwrap();
    let server = Server::start(&folder);
    let at = format!("http://{}", server.address);
    let bot = |name: &str, letter: &str| {
        let mut bot = Command::new("python3");
        let key = format!("pk-{}", letter.repeat(24));
        bot.arg(folder.join("bot.py")).args([&at, &key, name, "1"]);
        bot.stdout(Stdio::piped()).spawn().unwrap()
    };
    let both = [bot("Left Bot", "l"), bot("Right Bot", "r")];
    let [left, right] = both.map(|bot| bot.wait_with_output().unwrap());
    assert!(left.status.success() && right.status.success(), "{left:?} {right:?}");
    assert_eq!(left.stdout, right.stdout, "they have played the same game");
    assert!(!left.stdout.is_empty());
}
