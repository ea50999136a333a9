//! Random bytes and damaged input for every reader of foreign text.

use crate::laws;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use std::path::Path;
use std::sync::LazyLock;

type Law = fn(&str);

/// Each reader with valid input: the seeds of the fuzzer.
static READERS: LazyLock<[(Law, Vec<String>); 6]> = LazyLock::new(|| {
    [
        (laws::position_text, seeds("position_text")),
        (laws::position_json, seeds("position_json")),
        (laws::prolog, seeds("prolog")),
        (laws::record, seeds("record")),
        (laws::moves, seeds("moves")),
        (laws::certificate, seeds("certificate")),
    ]
});

fn seeds(target: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/seeds").join(target);
    let mut files: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

/// One way to damage a text.
#[derive(Clone, Debug)]
enum Damage {
    Delete(Index, usize),
    Repeat(Index, usize),
    Replace(Index, char),
    Insert(Index, &'static str),
    /// Continues like another valid input.
    Cross(Index, Index),
}

const WORDS: [&str; 32] = [
    "0",
    "1",
    "2",
    "-",
    ".",
    ",",
    ":",
    "@",
    "/",
    ";",
    "=",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "\"",
    "\\",
    " ",
    "\u{1b}",
    "é",
    "2.",
    "!?",
    "1-0",
    "*",
    "o",
    "x",
    ";winner=1",
    "\"winner\":1,",
    "ooo",
    "é=1 ",
];

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    prop_oneof![
        (at(), 1..9usize).prop_map(|(at, count)| Damage::Delete(at, count)),
        (at(), 1..9usize).prop_map(|(at, count)| Damage::Repeat(at, count)),
        (at(), proptest::char::range(' ', '~')).prop_map(|(at, c)| Damage::Replace(at, c)),
        (at(), select(&WORDS[..])).prop_map(|(at, word)| Damage::Insert(at, word)),
        (at(), at()).prop_map(|(at, other)| Damage::Cross(at, other)),
    ]
}

fn damaged(inputs: &[String], which: Index, damages: &[Damage]) -> String {
    let letters = |which: &Index| -> Vec<char> {
        let text: &String = which.get(inputs);
        text.chars().collect()
    };
    let mut chars = letters(&which);
    for damage in damages {
        // The end is a place too.
        let place = |at: &Index| at.index(chars.len() + 1);
        let span = |at: &Index, count: usize| place(at)..(place(at) + count).min(chars.len());
        let (span, new) = match damage {
            Damage::Delete(at, count) => (span(at, *count), vec![]),
            Damage::Repeat(at, count) => (span(at, 0), chars[span(at, *count)].to_vec()),
            Damage::Replace(at, c) => (span(at, 1), vec![*c]),
            Damage::Insert(at, word) => (span(at, 0), word.chars().collect()),
            Damage::Cross(at, other) => {
                let other = letters(other);
                (span(at, usize::MAX / 2), other[place(at).min(other.len())..].to_vec())
            }
        };
        chars.splice(span, new);
    }
    chars.into_iter().collect()
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(crate::effort::cases(4_000) as u32))]

    #[test]
    fn random_bytes_are_refused_or_read(bytes in vec(any::<u8>(), 0..120)) {
        let text = String::from_utf8_lossy(&bytes);
        for (law, _) in READERS.iter() {
            law(&text);
        }
    }

    #[test]
    fn damaged_input_is_refused_or_read(which in any::<Index>(), damages in vec(damage(), 0..4)) {
        for (law, inputs) in READERS.iter() {
            law(&damaged(inputs, which, &damages));
        }
    }
}

#[test]
fn valid_input_is_read() {
    for (law, inputs) in READERS.iter() {
        inputs.iter().for_each(|input| law(input));
    }
}
