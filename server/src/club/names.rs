//! Which names players may have, and which of them look alike.

use crate::admin::games::DELETED;
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;
use table::Refusal;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;
use unicode_security::{GeneralSecurityProfile, MixedScript, skeleton};

pub const LEAST: usize = 2;
pub const MOST: usize = 24;

/// How many marks a letter may have, such as accents; more of them cover the lines above and below.
const MOST_MARKS: usize = 2;

/// Reserved names.
const TAKEN: [&str; 9] = [
    DELETED,
    "guest",
    "anonymous",
    "admin",
    "administrator",
    "moderator",
    "operator",
    "quadrille",
    "engine",
];

/// Normalises a name (NFC, single spaces) or says what is wrong with it.
pub fn checked(name: &str) -> Result<String, Refusal> {
    let words: Vec<String> = name.split_whitespace().map(|word| word.nfc().collect()).collect();
    let name = words.join(" ");
    let refused = |error: String| Err(Refusal::against(error).at("name"));
    let length = name.chars().count();
    if !(LEAST..=MOST).contains(&length) {
        return refused(format!(
            "a name has {LEAST} to {MOST} characters, and this one has {length}"
        ));
    }
    if let Some(wrong) = name.chars().find(|c| !is_allowed(*c)) {
        let code = u32::from(wrong);
        let error =
            "a name has letters of one script, digits, spaces and hyphens, and this one has";
        return refused(format!("{error} U+{code:04X}"));
    }
    if !name.chars().any(char::is_alphabetic) || name.starts_with(is_combining_mark) {
        return refused("a name has at least one letter".into());
    }
    let marks = |letter: &[char]| letter.iter().all(|c| is_combining_mark(*c));
    if name.chars().collect::<Vec<_>>().windows(MOST_MARKS + 1).any(marks) {
        return refused(format!("a letter has at most {MOST_MARKS} marks"));
    }
    if !name.is_single_script() {
        return refused("the letters of a name belong to one script, and these are mixed".into());
    }
    if is_reserved(&name) {
        return refused("this name is reserved".into());
    }
    Ok(name)
}

/// Whether a name is reserved or looks like one that is: a level's, for instance.
fn is_reserved(name: &str) -> bool {
    let own = looks(name);
    let numbered = |name: &str| {
        name.strip_prefix("level")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    // In looks 0 and 1 are letters.
    let levels = ["level 0", "level 1", "level 10"];
    numbered(&plain(name))
        || own.iter().any(|look| numbered(look))
        || TAKEN.iter().chain(&levels).any(|taken| !looks(taken).is_disjoint(&own))
}

fn is_allowed(c: char) -> bool {
    match c {
        ' ' | '-' | '0'..='9' => true,
        _ => (c.is_alphabetic() || is_combining_mark(c)) && c.identifier_allowed(),
    }
}

fn plain(name: &str) -> String {
    name.to_lowercase().replace([' ', '-'], "")
}

/// Everything that a name may be mistaken for. Capitals and small letters are confusable with different letters, so each
/// case counts.
fn looks(name: &str) -> BTreeSet<String> {
    let forms = [name.to_owned(), name.to_lowercase(), name.to_uppercase()];
    forms.iter().map(|form| plain(&skeleton(form).collect::<String>())).collect()
}

/// The keys of everything that a name may be mistaken for; two names that share a key cannot both be taken.
pub fn keys(name: &str) -> BTreeSet<String> {
    let key = |looks: &String| {
        let hash: [u8; 32] = Sha256::digest(looks.as_bytes()).into();
        format!("name/{}", crate::store::hex(&hash).split_at(32).0)
    };
    looks(name).iter().map(key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_letters_of_one_script_digits_spaces_and_hyphens() {
        for (fine, kept) in [
            ("Ann", "Ann"),
            ("  Ana   Lima ", "Ana Lima"),
            ("Zoe\u{308}", "Zoë"),
            ("Владимир", "Владимир"),
            ("山田さくら", "山田さくら"),
            ("Jean-Luc 2", "Jean-Luc 2"),
            ("Levellers", "Levellers"),
            ("עדה", "עדה"),
            ("Ngh\u{1ec7} x\u{323}\u{304}", "Ngh\u{1ec7} x\u{323}\u{304}"),
        ] {
            assert_eq!(checked(fine).unwrap(), kept);
        }
        for wrong in [
            "",
            "A",
            "12",
            "- -",
            "A\u{202e}nn",
            "A\u{200b}nn",
            "A\u{200d}nn",
            "Ann!",
            "Ann\u{430}",
            "Ann\u{300}\u{300}\u{300}\u{300}",
            "<b>Ann</b>",
            "🦊 fox",
            "\u{3164}\u{3164}",
            "deleted player",
            "Guest",
            "Level 5",
            "level-10",
            "level 27",
            "LeveI 5",
            "LEVEI-3",
            "LeveI 10",
            "Levell",
            "Admin",
            "Αdmіn",
            "abcdefghijklmnopqrstuvwxy",
            "a\0b",
            "A/b",
        ] {
            let refused = checked(wrong).unwrap_err();
            assert_eq!(refused.field.as_deref(), Some("name"), "{wrong:?}");
        }
    }

    #[test]
    fn names_that_look_alike_share_a_key() {
        let alike = |a: &str, b: &str| keys(a).intersection(&keys(b)).next().is_some();
        for (a, b) in [
            ("Ann", "ANN"),
            ("Ana Lima", "ana-lima"),
            ("Ian", "lan"),
            ("асе", "ace"),
            ("B0b", "Bob"),
            ("Straße", "STRASSE"),
        ] {
            assert!(alike(a, b), "{a} {b}");
        }
        for (a, b) in [("Ann", "Anna"), ("Ben", "Ken")] {
            assert!(!alike(a, b), "{a} {b}");
        }
    }
}
