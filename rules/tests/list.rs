//! The list of games is complete.

use std::collections::BTreeSet;
use std::path::Path;

macro_rules! names {
    ($($name:ident: $game:ty,)*) => { [$(stringify!($name).to_owned()),*] };
}

/// The folders of a path that hold a file of this name.
fn folders_with(path: &str, file: &str) -> BTreeSet<String> {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).join(path).read_dir().unwrap();
    let folders = folders.map(|folder| folder.unwrap()).filter(|f| f.path().join(file).exists());
    folders.map(|folder| folder.file_name().into_string().unwrap()).collect()
}

#[test]
fn every_folder_with_moves_is_a_game_of_the_list() {
    let listed = BTreeSet::from(rules::every_game!(names));
    assert_eq!(folders_with("src", "moves.rs"), listed);
}

#[test]
fn every_perft_file_and_rules_page_is_of_a_game() {
    let listed = BTreeSet::from(rules::every_game!(names));
    for path in ["tests/perft", "pages"] {
        let files = Path::new(env!("CARGO_MANIFEST_DIR")).join(path).read_dir().unwrap();
        let name = |path: &Path| path.file_stem().unwrap().to_str().unwrap().replace('-', "_");
        let named: BTreeSet<_> = files.map(|file| name(&file.unwrap().path())).collect();
        assert_eq!(named, listed, "{path}");
    }
}
