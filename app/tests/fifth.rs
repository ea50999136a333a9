//! The fifth game in `fifth/` is what CONTRIBUTING tells, and can still be added. `fifth/try` adds it, and plays it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The files below a folder, as paths from there.
fn files(folder: &Path, below: &str, out: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        if entry.path().is_dir() {
            files(&entry.path(), &format!("{name}/"), out);
        } else {
            out.insert(name);
        }
    }
}

fn new_files() -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    files(&root().join("fifth/files"), "", &mut all);
    all
}

/// A place in a list: the file, the lines that are there, and the lines that will be.
struct Hunk {
    path: String,
    before: String,
    after: String,
}

fn hunks() -> Vec<Hunk> {
    let (mut hunks, mut path) = (Vec::<Hunk>::new(), String::new());
    for line in read("fifth/lists.diff").lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            path = name.to_owned();
        } else if line.starts_with("@@ ") {
            hunks.push(Hunk { path: path.clone(), before: "\n".into(), after: "\n".into() });
        } else if let Some(hunk) = hunks.last_mut().filter(|hunk| hunk.path == path) {
            let (sign, text) = line.split_at(line.len().min(1));
            match sign {
                "+" => hunk.after += &format!("{text}\n"),
                " " => {
                    hunk.before += &format!("{text}\n");
                    hunk.after += &format!("{text}\n");
                }
                _ => assert!(line.starts_with("diff ") || line.starts_with("--- "), "{line}"),
            }
        }
    }
    hunks
}

/// What a table of the section names in its first column, the game in the place of `<game>`.
fn told(heading: &str) -> BTreeSet<String> {
    let text = read("CONTRIBUTING.md");
    let section = text.split_once("\n## A fifth game\n").expect("the section").1;
    let table = section.split_once(heading).unwrap_or_else(|| panic!("no table `{heading}`")).1;
    let rows = table.lines().skip(2).take_while(|line| line.starts_with("| `"));
    let path = |row: &str| row.split('`').nth(1).unwrap().replace("<game>", "breakthrough");
    rows.map(path).collect()
}

#[test]
fn the_recipe_names_every_file_and_every_list_of_the_fifth_game() {
    let mut lists: BTreeSet<_> = hunks().into_iter().map(|hunk| hunk.path).collect();
    // These are written by the program: the number of nodes changes with the search.
    lists.extend(["bench.txt".into(), "docs/levels.md".into()]);
    assert_eq!(told("| New file |"), new_files());
    assert_eq!(told("| List |"), lists);
    let counts = format!("{} new files and lines in {} lists", new_files().len(), lists.len());
    assert!(read("CONTRIBUTING.md").contains(&counts), "{counts}");
}

#[test]
fn the_fifth_game_can_still_be_added() {
    for path in new_files() {
        assert!(!root().join(&path).exists(), "{path} is there already");
    }
    for Hunk { path, before, after } in hunks() {
        let file = format!("\n{}", read(&path));
        assert_eq!(file.matches(&before).count(), 1, "{path} has no single place for{after}");
        assert_eq!(after.lines().count(), before.lines().count() + 1, "{path}: one line");
    }
}
