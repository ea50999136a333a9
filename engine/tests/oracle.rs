//! Positions that independent programs have judged: whose turn, all turns, what they lead to, who won.

use engine::{Session, find};
use rules::Outcome;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::path::Path;

fn winner(outcome: Option<Outcome>) -> Value {
    match outcome {
        None => Value::Null,
        Some(Outcome::Draw) => "draw".into(),
        Some(Outcome::Win(player)) => player.number().into(),
    }
}

fn open(query: &Value) -> Box<dyn Session> {
    let entry = find(query["game"].as_str().unwrap()).unwrap();
    let options = query["options"].as_object().cloned().unwrap_or_default();
    (entry.from_json)(&query["position"], &options).unwrap()
}

fn check(lines: &str) {
    let mut count = 0;
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (id, expect) = (&line["id"], &line["expect"]);
        let session = open(&line["q"]);
        assert_eq!(expect["turn"], session.turn().number(), "{id}");
        assert_eq!(expect["over"], session.outcome().is_some(), "{id}");
        assert_eq!(expect["winner"], winner(session.outcome()), "{id}");
        check_turns(session.as_ref(), expect, id);
        check_children(session.as_ref(), expect, id);
        count += 1;
    }
    assert_eq!(count, 120);
}

fn check_turns(session: &dyn Session, expect: &Value, id: &Value) {
    let turns = session.turns();
    if expect.get("turns").is_some() {
        assert_eq!(expect["turns"], Value::from(turns.clone()), "{id}");
    }
    if let Some(hash) = expect.get("turns_sha256") {
        assert_eq!(expect["turns_count"], turns.len(), "{id}");
        let digest = Sha256::digest(turns.join("\n"));
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(*hash, digest, "{id}");
    }
    if let Some(shifts) = expect.get("shifts") {
        let mut steps: Vec<_> = session.steps().into_iter().map(|step| step.text).collect();
        steps.sort();
        assert_eq!(*shifts, Value::from(steps), "{id}");
    }
}

fn check_children(session: &dyn Session, expect: &Value, id: &Value) {
    let Some(expected) = expect["children"].as_object() else { return };
    let children = session.children();
    for (turn, after) in expected {
        let child = children.iter().find(|child| child.turn == *turn).unwrap();
        if let Some(board) = after.get("board") {
            assert_eq!(*board, child.position["board"], "{id} {turn}");
        }
        if let Some(expected) = after.get("winner") {
            assert_eq!(*expected, winner(child.outcome), "{id} {turn}");
        }
    }
}

/// The files, by their games: one that is missing does not compile.
macro_rules! files {
    ($($name:ident: $file:literal,)*) => {
        const FILES: &[&str] = &[$($file),*];
        $(
            #[test]
            fn $name() {
                check(include_str!(concat!("oracle/", $file)));
            }
        )*
    };
}

files! {
    independent_programs_agree_on_glaisher: "glaisher.jsonl",
    independent_programs_agree_on_gekitai: "gekitai.jsonl",
    independent_programs_agree_on_jeson_mor: "jeson-mor.jsonl",
    independent_programs_agree_on_six_making: "six-making.jsonl",
}

#[test]
fn no_file_is_forgotten() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracle");
    let mut found: Vec<_> =
        folder.read_dir().unwrap().map(|file| file.unwrap().file_name()).collect();
    let mut listed = FILES.to_vec();
    found.sort();
    listed.sort();
    assert_eq!(found, listed);
}
