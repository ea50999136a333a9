//! The file that a match is kept in.

use crate::shell::failure::Failure;
use engine::arena::{Played, archive};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The file for finished games, if one was named.
pub struct Journal(Option<File>);

impl Journal {
    /// Opens the file. To resume a match, reads its games and cuts off an incomplete one.
    pub fn open(path: Option<&Path>, resume: bool) -> Result<(Journal, Vec<Played>), Failure> {
        let Some(path) = path else { return Ok((Journal(None), Vec::new())) };
        let name = path.display();
        let mut how = OpenOptions::new();
        how.read(true).write(true);
        let how = if resume { how.create(true) } else { how.create_new(true) };
        let mut file = how.open(path).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => {
                Failure::user(format!("{name} exists; add --resume to continue it"))
            }
            _ => Failure::user(format!("cannot write {name}: {error}")),
        })?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(Failure::user(format!("another match is writing to {name}")));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let wrong = |why| Failure::user(format!("cannot continue {name}: {why}"));
        let found = archive::read(&bytes).map_err(wrong)?;
        let torn = bytes.len() - found.bytes;
        if torn > 0 {
            let _ = writeln!(
                std::io::stderr(),
                "{name}: the last record was incomplete; its {torn} bytes were removed"
            );
        }
        file.set_len(found.bytes as u64)?;
        file.seek(SeekFrom::End(0))?;
        let whole = bytes.get(..found.bytes).unwrap_or_default();
        let missing = match whole {
            [] | [.., b'\n', b'\n'] => "",
            [.., b'\n'] => "\n",
            _ => "\n\n",
        };
        file.write_all(missing.as_bytes())?;
        Ok((Journal(Some(file)), found.games))
    }

    /// Appends a game with a single write.
    pub fn write(&mut self, played: &Played) -> Result<(), Failure> {
        match &mut self.0 {
            Some(file) => Ok(file.write_all(archive::write(played).as_bytes())?),
            None => Ok(()),
        }
    }
}
