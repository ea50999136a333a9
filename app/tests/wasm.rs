//! The WebAssembly program of the pages is this one: its version, its bench and its answers. When one of these fails,
//! run `wasm/build`.

use super::transports::{Asked, directly, several_hundred, timeless};
use engine::parts::{Part, parts};
use requests::{Budget, Desk};
use serde_json::{Map, Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Writes the engine's data files into a folder, and returns their names and files.
fn written_parts(folder: &Path) -> Vec<String> {
    let written = |part: &Part| {
        let file = folder.join(part.name);
        std::fs::write(&file, part.bytes().unwrap()).unwrap();
        format!("{}={}", part.name, file.display())
    };
    parts().map(written).collect()
}

/// Runs the file under Node with these parts handed over, and gives what it prints.
fn run(parts: &[String], args: &[&str], input: &str) -> Output {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wasm.mjs");
    let mut child = Command::new("node")
        .arg(script)
        .args(parts)
        .arg("--")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("node runs");
    // A program that ends early reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// What it prints with everything at hand.
fn node(args: &[&str], input: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let output = run(&written_parts(folder.path()), args, input);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "node ended with {}: {told}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn line_of((ask, fields): &Asked) -> String {
    let mut request = fields.clone();
    request["ask"] = (*ask).into();
    format!("{request}\n")
}

#[test]
fn the_program_of_the_pages_has_the_version_of_this_one() {
    assert_eq!(node(&["version"], "").trim(), env!("CARGO_PKG_VERSION"));
}

#[test]
fn the_program_of_the_pages_searches_the_same_nodes() {
    let bench = node(&["bench"], "");
    let nodes: Vec<_> =
        bench.lines().filter_map(|line| line.rsplit_once(' ').map(|(nodes, _)| nodes)).collect();
    let expected: Vec<_> = include_str!("../../bench.txt").lines().collect();
    assert_eq!(nodes, expected);
}

#[test]
fn the_program_of_the_pages_gives_the_same_answers() {
    let mut asked = several_hundred();
    // The rules pages are files beside it.
    asked.retain(|(ask, _)| *ask != "rules");
    let input: String = asked.iter().map(line_of).collect();
    let output = node(&[], &input);
    let mut desk = Desk::new(16);
    let mut answers = output.split_terminator("\n\n");
    for asked in &asked {
        let got: Vec<Value> = answers
            .next()
            .unwrap_or_default()
            .lines()
            .map(|line| {
                let mut answer: Map<String, Value> = serde_json::from_str(line).unwrap();
                answer.shift_remove("id");
                Value::Object(answer)
            })
            .collect();
        let expected = timeless(directly(&mut desk, &Budget::PAGE, asked));
        assert_eq!(timeless(got), expected, "{asked:?}");
    }
    assert_eq!(answers.next(), None);
}

#[test]
fn the_program_of_the_pages_is_small() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../server/web/quadrille.wasm.gz");
    let bytes = std::fs::metadata(path).unwrap().len();
    assert!(bytes <= 432 * 1024, "{bytes} bytes");
}

#[test]
fn without_what_it_knows_by_heart_the_engine_says_what_it_needs() {
    let cases = [
        ("glaisher", json!({}), json!(["glaisher.net"])),
        ("glaisher", json!({ "side": 4 }), Value::Null),
        ("six-making", json!({}), json!(["six-making-5.net"])),
        ("six-making", json!({ "size": 4 }), json!(["six-making-4.net"])),
        ("gekitai", json!({}), json!(["gekitai.net", "atlas.json", "gekitai.proof"])),
        ("gekitai", json!({ "size": 5 }), json!(["atlas.json"])),
        ("jeson-mor", json!({}), json!(["jeson-mor.net"])),
        ("jeson-mor", json!({ "size": 7 }), json!(["jeson-mor-7.proof"])),
    ];
    let line = |(game, options, _): &(&str, Value, Value)| {
        json!({ "ask": "hint", "game": game, "options": options, "nodes": 100 }).to_string() + "\n"
    };
    let output = run(&[], &[], &cases.iter().map(line).collect::<String>());
    let output = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<_> = output.split_terminator("\n\n").collect();
    assert_eq!(answers.len(), cases.len(), "{output}");
    for ((game, options, needs), answer) in cases.iter().zip(answers) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(answer["needs"], *needs, "{game} {options}: {answer}");
        let kind = if needs.is_null() { Value::Null } else { json!("not-yet") };
        assert_eq!(answer["kind"], kind, "{game} {options}");
    }
}

#[test]
fn the_net_of_the_board_alone_gives_the_same_answers() {
    let folder = tempfile::tempdir().unwrap();
    let mut nets = written_parts(folder.path());
    nets.retain(|net| net.starts_with("six-making-4.net="));
    let fields = json!({ "game": "six-making", "options": { "size": 4 }, "nodes": 3_000 });
    let asked: Asked = ("hint", fields);
    let output = run(&nets, &[], &line_of(&asked));
    let mut answer: Map<String, Value> =
        serde_json::from_slice(output.stdout.trim_ascii_end()).unwrap();
    answer.shift_remove("id");
    let expected = directly(&mut Desk::new(16), &Budget::PAGE, &asked);
    assert_eq!(timeless(vec![Value::Object(answer)]), timeless(expected));
}

#[test]
fn a_part_of_another_version_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gekitai.net");
    let mut bytes =
        parts().find(|part| part.name == "gekitai.net").unwrap().bytes().unwrap().to_vec();
    bytes[1000] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let output = run(&[format!("gekitai.net={}", file.display())], &["version"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("another version"));
}
