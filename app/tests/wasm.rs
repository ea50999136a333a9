//! The program that the pages run beside themselves is this one: its version, its bench and its answers.
//! When one of these fails, `wasm/build` makes the file anew.

use super::transports::{Asked, directly, several_hundred, timeless};
use requests::{Budget, Desk};
use serde_json::{Map, Value};
use std::io::Write;
use std::process::{Command, Stdio};

/// Runs the file under Node, and gives what it prints.
fn node(args: &[&str], input: &str) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wasm.mjs");
    let mut child = Command::new("node")
        .arg(script)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node runs");
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "node ended with {}", output.status);
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
    let asked = several_hundred();
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
    assert!(bytes <= 700_000, "{bytes} bytes");
}
