//! Reading, writing and deleting single files, so that a crash leaves either the old content or the new one.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// The largest file that is read, far larger than any game.
pub const MOST_BYTES: u64 = 1 << 20;

pub fn said(path: &Path, error: io::Error) -> String {
    format!("{}: {error}", path.display())
}

pub fn text(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    let wrong = |why: &str| io::Error::new(ErrorKind::InvalidData, why);
    if bytes.len() as u64 > MOST_BYTES {
        return Err(wrong("it is larger than any game"));
    }
    String::from_utf8(bytes).map_err(|_| wrong("it is not text in UTF-8"))
}

/// The file of the lines typed in line mode, and how much of its end is read and kept.
pub const TYPED: &str = "typed.txt";
const MOST_TYPED: u64 = MOST_BYTES / 2;

/// The last whole lines of a file of any size.
pub fn ending(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let before = file.metadata()?.len().saturating_sub(MOST_TYPED);
    file.seek(SeekFrom::Start(before.saturating_sub(1)))?;
    let mut bytes = Vec::new();
    file.take(MOST_TYPED + 1).read_to_end(&mut bytes)?;
    let cut =
        if before == 0 { 0 } else { bytes.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1) };
    Ok(String::from_utf8_lossy(bytes.get(cut..).unwrap_or_default()).into_owned())
}

pub fn delete(path: &Path) -> Result<(), String> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(said(path, error)),
        _ => Ok(()),
    }
}

/// The permissions of the user's other files.
pub const READABLE: u32 = 0o666;

/// Writes and syncs a temporary file in the same folder; it is removed unless it gets its final name.
pub fn beside(path: &Path, bytes: &[u8], mode: u32) -> io::Result<NamedTempFile> {
    let folder = path.parent().ok_or(ErrorKind::InvalidFilename)?;
    let mut draft = draft(folder, mode)?;
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    Ok(draft)
}

#[cfg(unix)]
fn draft(folder: &Path, mode: u32) -> io::Result<NamedTempFile> {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    tempfile::Builder::new().prefix(".").permissions(mode).tempfile_in(folder)
}

/// The permissions of a file are those of its folder, which is the user's own.
#[cfg(not(unix))]
fn draft(folder: &Path, _: u32) -> io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".").tempfile_in(folder)
}

/// Replaces a file, or creates it.
pub fn replace(path: &Path, bytes: &[u8], mode: u32) -> io::Result<()> {
    beside(path, bytes, mode)?.persist(path)?;
    settle(path)
}

/// Creates a file where there is none.
pub fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    beside(path, bytes, READABLE)?.persist_noclobber(path)?;
    settle(path)
}

/// Makes sure that the folder still lists the file after a crash.
#[cfg(unix)]
pub fn settle(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

/// A folder cannot be opened as a file here.
#[cfg(not(unix))]
pub fn settle(_: &Path) -> io::Result<()> {
    Ok(())
}
