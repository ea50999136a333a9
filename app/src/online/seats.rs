//! The secrets of the user's seats, in a file that nobody else can read.

use super::link::Link;
use crate::saves::Saves;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const FILE: &str = "seats.json";

fn all(saves: &Saves) -> Result<BTreeMap<String, String>, String> {
    saves.json(FILE)
}

/// The secret of the user's seat at a game.
pub fn secret(saves: &Saves, link: &Link) -> Result<Option<String>, String> {
    Ok(all(saves)?.remove(&name(link)))
}

/// Keeps the secret of a seat.
pub fn keep(saves: &Saves, link: &Link, secret: &str) -> Result<(), String> {
    let mut all = all(saves)?;
    match all.insert(name(link), secret.to_owned()) {
        Some(known) if known == secret => Ok(()),
        _ => saves.set_json(FILE, &all, 0o600),
    }
}

const UNSENT: &str = "unsent.json";

/// A turn that the server had not acknowledged when the game was left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unsent {
    pub turn: String,
    /// The board that it was meant for: on another one it has been played, or its time has passed.
    pub board_seq: i64,
    /// The name under which it was sent, by which the server recognises a repeat; none in older files and where it
    /// was not sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// Keeps the turn that is to be sent when the game is joined again, or forgets it.
pub fn keep_unsent(saves: &Saves, link: &Link, unsent: Option<Unsent>) -> Result<(), String> {
    let mut all: BTreeMap<String, Unsent> = saves.json(UNSENT)?;
    let before = all.clone();
    match unsent {
        Some(unsent) => all.insert(name(link), unsent),
        None => all.remove(&name(link)),
    };
    if all == before { Ok(()) } else { saves.set_json(UNSENT, &all, 0o600) }
}

/// Takes the turn that was kept for a game, if it still fits the board.
pub fn take_unsent(saves: &Saves, link: &Link, board_seq: i64) -> Result<Option<Unsent>, String> {
    let mut all: BTreeMap<String, Unsent> = saves.json(UNSENT)?;
    keep_unsent(saves, link, None)?;
    Ok(all.remove(&name(link)).filter(|unsent| unsent.board_seq == board_seq))
}

/// The key of a seat in the file.
fn name(link: &Link) -> String {
    format!("{}{}/{}", link.host, link.base, link.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_turn_that_was_not_acknowledged_is_kept_for_its_board_and_taken_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let saves = Saves::open(Some(folder.path())).unwrap();
        let link = Link::parse("host:8000/k3Vx9QmZ").unwrap();
        let unsent = Unsent { turn: "c3".into(), board_seq: 4, name: Some("a-1".into()) };
        keep_unsent(&saves, &link, Some(unsent.clone())).unwrap();
        assert_eq!(take_unsent(&saves, &link, 4), Ok(Some(unsent.clone())));
        assert_eq!(take_unsent(&saves, &link, 4), Ok(None));
        keep_unsent(&saves, &link, Some(unsent)).unwrap();
        assert_eq!(take_unsent(&saves, &link, 5), Ok(None));
    }

    #[test]
    fn a_turn_that_was_kept_without_its_name_is_sent_under_a_new_one() {
        let folder = tempfile::TempDir::new().unwrap();
        let saves = Saves::open(Some(folder.path())).unwrap();
        let link = Link::parse("host:8000/k3Vx9QmZ").unwrap();
        let kept = r#"{"host:8000/k3Vx9QmZ": {"turn": "c3", "board_seq": 4}}"#;
        std::fs::write(folder.path().join(UNSENT), kept).unwrap();
        let unsent = Unsent { turn: "c3".into(), board_seq: 4, name: None };
        assert_eq!(take_unsent(&saves, &link, 4), Ok(Some(unsent)));
    }

    #[test]
    fn a_secret_is_kept_for_its_game_and_for_its_user_only() {
        let folder = tempfile::TempDir::new().unwrap();
        let saves = Saves::open(Some(folder.path())).unwrap();
        let link = Link::parse("host:8000/k3Vx9QmZ").unwrap();
        let other = Link { id: "AAAAAAAA".into(), ..link.clone() };
        assert_eq!(secret(&saves, &link), Ok(None));
        keep(&saves, &link, "hush").unwrap();
        assert_eq!(secret(&saves, &link), Ok(Some("hush".into())));
        assert_eq!(secret(&saves, &other), Ok(None));
        let mode = std::fs::metadata(folder.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
