//! `quadrille site`: the pages as files, for static hosts.

use crate::shell::failure::{Failure, print};
use anyhow::Context;
use server::pages::Files;
use std::fs;
use std::path::Path;

/// The file by which a folder written by this command is recognised.
const MARK: &str = "sw.js";

pub fn run(folder: &Path) -> Result<(), Failure> {
    check(folder)?;
    let files = Files::new(None).site();
    let count = files.len();
    let bytes: usize = files.iter().map(|(_, bytes)| bytes.len()).sum();
    for (path, bytes) in files {
        write(&folder.join(path), &bytes)?;
    }
    tidy(folder).map_err(Failure::Other)?;
    let (name, kib) = (folder.display(), bytes.div_ceil(1024));
    print(format!("{count} files, {kib} KiB, in {name}; any web host can serve them\n"))
}

/// Refuses a folder that holds anything else.
fn check(folder: &Path) -> Result<(), Failure> {
    let name = folder.display();
    if folder.exists() && !folder.is_dir() {
        return Err(Failure::user(format!("`{name}` is a file, expected a folder")));
    }
    let entries = fs::read_dir(folder).map(|mut entries| entries.next().is_some());
    if entries.unwrap_or(false) && !folder.join(MARK).exists() {
        let message = format!("`{name}` holds other files, expected an empty folder or a site");
        return Err(Failure::user(message));
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, bytes))
        .with_context(|| format!("cannot write `{}`", path.display()))
        .map_err(Failure::Other)
}

/// Removes the files of older versions, now that no page refers to them.
fn tidy(folder: &Path) -> anyhow::Result<()> {
    let version = Files::new(None).version().to_owned();
    for entry in fs::read_dir(folder.join("assets"))? {
        let entry = entry?;
        if entry.file_name() != *version {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}
