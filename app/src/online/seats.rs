//! The secrets of the user's seats, in a file that nobody else can read.

use super::link::Link;
use crate::saves::Saves;
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

/// What a seat is kept under.
fn name(link: &Link) -> String {
    format!("{}{}/{}", link.host, link.base, link.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

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
