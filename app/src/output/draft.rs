//! A file that is written under a temporary name until it is complete, because it may be one of the files being read.

use crate::shell::failure::Failure;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

pub struct Draft {
    pub file: File,
    /// Its present and its final name; none for what cannot be renamed, such as a pipe.
    names: Option<(PathBuf, PathBuf)>,
}

impl Draft {
    pub fn open(path: &Path) -> Result<Draft, Failure> {
        let wrong = |path: &Path, error: io::Error| {
            Failure::user(format!("cannot write {}: {error}", path.display()))
        };
        // A link stays one.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let known = fs::metadata(path).ok();
        if known.as_ref().is_some_and(|known| !known.is_file()) {
            let file =
                File::options().write(true).open(path).map_err(|error| wrong(path, error))?;
            return Ok(Draft { file, names: None });
        }
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = path.with_file_name(name);
        let file = File::options().create_new(true).write(true).open(&part);
        let file = file.map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => Failure::user(format!(
                "{} is left from a run that was stopped, or belongs to one that is still running: move it away first",
                part.display()
            )),
            _ => wrong(path, error),
        })?;
        if let Some(known) = known {
            file.set_permissions(known.permissions())?;
        }
        Ok(Draft { file, names: Some((part, path.clone())) })
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), Failure> {
        let Some((part, path)) = self.names else { return Ok(()) };
        self.file.sync_all()?;
        Ok(fs::rename(part, path)?)
    }

    /// Keeps what is finished without replacing anything, and says where it is.
    pub fn stop(self, done: usize) -> Result<Option<PathBuf>, Failure> {
        let Some((part, path)) = self.names.clone() else { return Ok(None) };
        if done == 0 {
            fs::remove_file(part)?;
            return Ok(None);
        }
        if path.exists() {
            return Ok(Some(part));
        }
        self.finish()?;
        Ok(Some(path))
    }
}
