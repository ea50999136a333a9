//! Copies of SQLite files: made while a server runs, read without being changed, and put into place.

use super::file::{self, Lock};
use super::sqlite::Sqlite;
use super::{Store, is_shared};
use crate::StartError;
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(end);
    PathBuf::from(name)
}

fn check_exists(path: &Path) -> Result<(), StartError> {
    let name = path.display();
    path.is_file().then_some(()).ok_or_else(|| StartError(format!("there is no file `{name}`")))
}

/// Copies an SQLite store in one transaction, without blocking writers.
pub fn copy_file(from: &Path, to: &Path) -> Result<(), StartError> {
    check_exists(from)?;
    let name = to.display();
    let failed = |error: &dyn std::fmt::Display| {
        StartError(format!("cannot copy `{}` to `{name}`: {error}", from.display()))
    };
    file::check(from)?;
    // `VACUUM INTO` accepts an empty file, so create one with the right permissions.
    file::private().create_new(true).open(to).map_err(|error| failed(&error))?;
    let copied = file::connect(from)
        .and_then(|own| own.execute("VACUUM INTO ?1", [to.to_string_lossy()]))
        .map_err(|error| failed(&error))
        .and_then(|_| sync(to).map_err(|error| failed(&error)));
    if copied.is_err() {
        let _ = std::fs::remove_file(to);
    }
    copied
}

/// Syncs a file and its directory entry.
fn sync(path: &Path) -> std::io::Result<()> {
    File::open(path)?.sync_all()?;
    match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Some(folder) => File::open(folder)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

/// Opens a store read-only. A file is checked first, and a server may be using it.
pub async fn open_to_read(data: &Path) -> Result<Arc<dyn Store>, StartError> {
    if is_shared(data) {
        return super::open(data, Arc::default()).await.map(|(store, _)| store);
    }
    check_exists(data)?;
    file::check(data)?;
    let connection = file::reader(data);
    let checked = connection.and_then(|own| {
        let find = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'records'";
        let has_records = own.prepare(find)?.exists([])?;
        let check = "PRAGMA integrity_check(1)";
        Ok((own.query_row(check, [], |row| row.get::<_, String>(0))?, has_records))
    });
    match checked {
        Ok((answer, has_records)) if answer == "ok" => {
            Ok(Arc::new(Sqlite::to_read(data, has_records)))
        }
        Ok((reason, _)) => Err(StartError(format!("`{}` is damaged: {reason}", data.display()))),
        Err(error) => Err(StartError(format!("cannot read `{}`: {error}", data.display()))),
    }
}

/// Puts a copy of a backup in place of a file that no server has open. Returns where the old file was moved.
pub fn replace_file(data: &Path, backup: &Path) -> Result<Option<PathBuf>, StartError> {
    let was_there = data.is_file();
    let lock = Lock::on(data)?;
    let new = with_end(data, ".restoring");
    let _ = std::fs::remove_file(&new);
    copy_file(backup, &new).inspect_err(|_| {
        if !was_there {
            let _ = std::fs::remove_file(data);
        }
    })?;
    let free = |number: &u32| {
        let path = with_end(data, &format!(".before-restore-{number}"));
        (!path.exists()).then_some(path)
    };
    let aside = (1..).find_map(|number| free(&number)).unwrap_or_default();
    let moved = (|| {
        // The write-ahead log belongs to the old file and has to move with it.
        for end in ["-wal", "-shm", ""] {
            let old = with_end(data, end);
            match was_there {
                true if old.exists() => std::fs::rename(old, with_end(&aside, end))?,
                _ => {}
            }
        }
        std::fs::rename(&new, data)?;
        sync(data)
    })();
    drop(lock);
    moved.map_err(|error| {
        StartError(format!("cannot replace `{}` with the backup: {error}", data.display()))
    })?;
    Ok(was_there.then_some(aside))
}
