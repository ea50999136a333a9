//! The files of `docs/certificates`, on which others try their checkers.

use engine::find;
use engine::solve::certificate::{decompress, game_of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/certificates")
}

/// The certificates of a folder, by name.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "certificate") {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            files.insert(name, std::fs::read(&path).unwrap());
        }
    }
    files
}

fn verdict(bytes: &[u8]) -> Result<(), String> {
    let text = decompress(bytes).map_err(|fault| fault.to_string())?;
    let game = game_of(&text).map_err(|fault| fault.to_string())?;
    let entry = find(&game).ok_or("no such game")?;
    (entry.verify)(&text, &mut |_, _| {}).map(|_| ()).map_err(|fault| fault.to_string())
}

#[test]
fn a_small_certificate_of_each_kind_holds() {
    let files = files(&folder());
    assert_eq!(files.keys().collect::<Vec<_>>(), ["draw", "no-win", "tries", "win"]);
    for (name, bytes) in files {
        assert_eq!(verdict(&bytes), Ok(()), "{name}");
    }
}

#[test]
fn each_damaged_certificate_is_refused_for_its_reason() {
    let refused = folder().join("refused");
    let reasons = std::fs::read_to_string(refused.join("reasons.txt")).unwrap();
    let reasons: BTreeMap<_, _> =
        reasons.lines().map(|line| line.split_once(": ").unwrap()).collect();
    let files = files(&refused);
    assert!(files.len() >= 30 && files.keys().eq(reasons.keys()), "{:?}", files.keys());
    for (name, bytes) in files {
        assert_eq!(verdict(&bytes), Err(reasons[name.as_str()].to_owned()), "{name}");
    }
}
