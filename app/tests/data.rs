//! `quadrille data`, `quadrille train` and `quadrille baselines` through the real binary.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn quadrille(arguments: &[&str], folder: &Path) -> Output {
    let program = env!("CARGO_BIN_EXE_quadrille");
    Command::new(program).args(arguments).current_dir(folder).output().unwrap()
}

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The ending of a file, how its first bytes must be, and what is written next to it.
const FORMATS: [(&str, &[u8], &[&str]); 2] =
    [("npz", b"PK\x03\x04", &[""]), ("parquet", b"PAR1", &["", "-puzzles", "-exact"])];

#[test]
fn the_command_on_the_card_writes_the_same_files() {
    for (ending, magic, parts) in FORMATS {
        the_command_on_the_card_writes_the_same(ending, magic, parts);
    }
}

fn the_command_on_the_card_writes_the_same(ending: &str, magic: &[u8], parts: &[&str]) {
    let folder = folder(&format!("data-{ending}"));
    let first = format!(
        "data gekitai --size 4 --markers 2 --games 3 --opening 1 --nodes 200 --seed 5 --puzzles --complete -o a.{ending}"
    );
    let told = quadrille(&first.split(' ').collect::<Vec<_>>(), &folder);
    assert!(told.status.success(), "{told:?}");
    let words = String::from_utf8(told.stdout).unwrap();
    assert!(words.contains(&format!("puzzles and 46 exact results in a.{ending}")), "{words}");
    let card = fs::read_to_string(folder.join("a.md")).unwrap();
    let command = card.lines().find_map(|line| line.strip_prefix("quadrille ")).unwrap();
    let renamed = command.replace(&format!("a.{ending}"), &format!("b.{ending}"));
    let command = format!("{renamed} --threads 2");
    assert!(quadrille(&command.split(' ').collect::<Vec<_>>(), &folder).status.success());
    for part in parts {
        let read = |name| fs::read(folder.join(format!("{name}{part}.{ending}"))).unwrap();
        assert!(read("a").starts_with(magic));
        assert!(read("a") == read("b"), "{ending}{part}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2 * (parts.len() + 1));
}

#[test]
fn what_cannot_be_written_is_the_users_error() {
    let folder = folder("data-refused");
    for (command, words) in [
        ("data gekitai -o games.txt", "the file must end with .npz or .parquet, got `games.txt`"),
        ("data gekitai --games 0 -o a.npz", "nothing to write"),
        ("data chess -o a.npz", "there is no game `chess`"),
        ("data gekitai --games 1 --nodes 9 -o none/a.npz", "cannot write none/a.npz"),
    ] {
        let told = quadrille(&command.split(' ').collect::<Vec<_>>(), &folder);
        let error = String::from_utf8(told.stderr).unwrap();
        assert_eq!(told.status.code(), Some(2), "{command}: {error}");
        assert!(error.contains(words), "{command}: {error}");
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn train_makes_a_net_that_plays() {
    let folder = folder("train");
    let train =
        "train gekitai --generations 1 --positions 300 --nodes 40 --epochs 1 --threads 1 -o nets";
    let told = quadrille(&train.split(' ').collect::<Vec<_>>(), &folder);
    assert!(told.status.success(), "{told:?}");
    let duel = "train gekitai --duel nets/1.net hand --pairs 1 --nodes 40 --threads 1";
    let told = quadrille(&duel.split(' ').collect::<Vec<_>>(), &folder);
    let words = String::from_utf8_lossy(&told.stdout);
    assert!(words.starts_with("nets/1.net against hand: "), "{told:?}");
}

#[test]
fn train_refuses_a_game_that_there_is_not() {
    let told = quadrille(&["train", "chess", "-o", "nets"], &folder("train-refused"));
    let error = String::from_utf8_lossy(&told.stderr);
    assert_eq!(told.status.code(), Some(2), "{error}");
    assert!(error.contains("there is no game `chess`"), "{error}");
}

#[test]
#[ignore = "the higher levels take minutes"]
fn levels_are_stronger_than_random_play() {
    let told = quadrille(&["baselines", "gekitai", "--games", "4"], Path::new("."));
    let table = String::from_utf8(told.stdout).unwrap();
    let place = |who: &str| table.find(&format!("`{who}`")).unwrap_or_else(|| panic!("{table}"));
    assert!(place("level:9") < place("level:1") && place("level:5") < place("random"), "{table}");
    assert!(table.contains("| `random` | 0 |"), "{table}");
}
