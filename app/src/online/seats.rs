//! The secrets of the user's seats, in a file that nobody else can read.

use super::link::Link;
use crate::saves::Saves;
use std::collections::BTreeMap;
use std::fs::Permissions;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// The file of secrets.
pub struct Seats {
    path: PathBuf,
}

impl Seats {
    pub fn open(saves: &Saves) -> Seats {
        Seats { path: saves.folder().join("seats.json") }
    }

    fn all(&self) -> Result<BTreeMap<String, String>, String> {
        let said = |why: String| format!("{}: {why}", self.path.display());
        match std::fs::read(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(error) => Err(said(error.to_string())),
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| said(error.to_string())),
        }
    }

    /// The secret of the user's seat at a game.
    pub fn secret(&self, link: &Link) -> Result<Option<String>, String> {
        Ok(self.all()?.remove(&name(link)))
    }

    /// Keeps the secret of a seat.
    pub fn keep(&self, link: &Link, secret: &str) -> Result<(), String> {
        let mut all = self.all()?;
        if all.insert(name(link), secret.to_owned()).as_deref() == Some(secret) {
            return Ok(());
        }
        let write = || {
            let folder = self.path.parent().ok_or(ErrorKind::InvalidFilename)?;
            std::fs::create_dir_all(folder)?;
            let own = Permissions::from_mode(0o600);
            let mut draft =
                tempfile::Builder::new().prefix(".").permissions(own).tempfile_in(folder)?;
            draft.write_all(&serde_json::to_vec_pretty(&all)?)?;
            draft.as_file().sync_all()?;
            draft.persist(&self.path)?;
            Ok::<_, std::io::Error>(())
        };
        write().map_err(|error| format!("{}: {error}", self.path.display()))
    }
}

/// What a seat is kept under.
fn name(link: &Link) -> String {
    format!("{}{}/{}", link.host, link.base, link.id)
}

/// A secret that nobody can guess: 32 letters and digits.
pub fn secret() -> Result<String, String> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut bytes = [0; 256];
    let random =
        std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    random.map_err(|error| format!("/dev/urandom: {error}"))?;
    // Bytes beyond a multiple of the alphabet would make its first letters more likely.
    let fair = bytes.iter().filter(|byte| usize::from(**byte) < 4 * LETTERS.len());
    let letters = fair.map(|byte| char::from(LETTERS[usize::from(*byte) % LETTERS.len()]));
    Ok(letters.take(32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_kept_for_its_game_and_for_its_user_only() {
        let folder = tempfile::TempDir::new().unwrap();
        let seats = Seats::open(&Saves::open(Some(folder.path())).unwrap());
        let link = Link::parse("host:8000/k3Vx9QmZ").unwrap();
        let other = Link { id: "AAAAAAAA".into(), ..link.clone() };
        let secret = secret().unwrap();
        assert_eq!(secret.len(), 32);
        assert_eq!(seats.secret(&link), Ok(None));
        seats.keep(&link, &secret).unwrap();
        assert_eq!(seats.secret(&link), Ok(Some(secret)));
        assert_eq!(seats.secret(&other), Ok(None));
        let mode = std::fs::metadata(&seats.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
