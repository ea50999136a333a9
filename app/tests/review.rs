//! `quadrille review`: whole files of games.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

const GOOD: &str = "[Game \"gekitai\"]\n[Player1 \"Ana\"]\n\n1. c3 d4 2. a1 {Hm.} *\n";
const BAD: &str = "[Game \"gekitai\"]\n\n1. c3 c3 *\n";

fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_quadrille"));
    command.arg("review").args(args).current_dir(folder);
    command
}

fn review(folder: &Path, args: &[&str]) -> Output {
    command(folder, args).args(["--nodes", "200"]).output().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let name =
        |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

#[test]
fn a_file_may_be_gone_over_in_its_place() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("games.txt"), format!("{GOOD}\n{GOOD}")).unwrap();
    let output = review(folder, &["games.txt", "-o", "games.txt"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let written = fs::read_to_string(folder.join("games.txt")).unwrap();
    assert_eq!(written.matches("[Player1 \"Ana\"]").count(), 2, "{written}");
    assert!(written.contains("Hm.") && written.matches('{').count() >= 6, "{written}");
    assert_eq!(names(folder), ["games.txt"]);
    // What is left of another run is not written over.
    fs::write(folder.join("games.txt.part"), "half").unwrap();
    let output = review(folder, &["games.txt", "-o", "games.txt"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(fs::read_to_string(folder.join("games.txt.part")).unwrap(), "half");
    assert_eq!(fs::read_to_string(folder.join("games.txt")).unwrap(), written);
}

#[test]
fn a_game_that_cannot_be_read_is_named_and_stays_while_the_others_are_gone_over() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    fs::write(folder.join("games.txt"), format!("{GOOD}\n{BAD}\n{GOOD}")).unwrap();
    let output = review(folder, &["games.txt", "-o", "games.txt"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("games.txt, game 2: ") && error.contains("c3 is occupied"), "{error}");
    assert!(error.ends_with("1 of 3 games could not be reviewed\n"), "{error}");
    let written = fs::read_to_string(folder.join("games.txt")).unwrap();
    assert!(written.contains("1. c3 c3 *") && written.matches("Hm.").count() == 2, "{written}");
    // The next run finds the same three games.
    let output = review(folder, &["games.txt", "--json"]);
    let told = String::from_utf8(output.stdout).unwrap();
    let games: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        games.iter().map(|game| game["number"].as_u64().unwrap()).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    assert!(games[1]["error"].as_str().unwrap().contains("c3 is occupied"), "{told}");
    let turns = games[2]["turns"].as_array().unwrap();
    assert_eq!(turns.len(), 4, "{told}");
    assert_eq!((&turns[3]["turn"], &turns[3]["ply"]), (&"a1".into(), &3.into()));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_the_games_that_are_finished_and_the_file_that_was_there() {
    use rustix::process::{Pid, Signal, kill_process};
    for (known, kept) in [(false, "out.txt"), (true, "out.txt.part")] {
        let folder = TempDir::new().unwrap();
        let folder = folder.path();
        // The first game is done at once, the second would take hours.
        fs::write(folder.join("games.txt"), format!("{BAD}\n{}", GOOD.replace("c3 d4", "a2 b3")))
            .unwrap();
        if known {
            fs::write(folder.join("out.txt"), "worth a lot").unwrap();
        }
        let args = ["games.txt", "-o", "out.txt", "--time", "3600"];
        let child = command(folder, &args).stderr(Stdio::piped()).spawn().unwrap();
        let part = folder.join("out.txt.part");
        while fs::read_to_string(&part).map_or(true, |text| text.is_empty()) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        kill_process(Pid::from_child(&child), Signal::INT).unwrap();
        let output = child.wait_with_output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(error.contains("stopped: 1 of 2 games are finished, in "), "{error}");
        assert!(error.trim_end().ends_with(kept), "{error}");
        assert!(fs::read_to_string(folder.join(kept)).unwrap().contains("[Game \"gekitai\"]"));
        if known {
            assert_eq!(fs::read_to_string(folder.join("out.txt")).unwrap(), "worth a lot");
        }
    }
}

#[test]
fn a_value_stands_apart_from_the_comment_of_a_player_and_a_winner_has_the_name_of_the_game() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let won =
        "[Game \"gekitai\"]\n\n1. c3 a6 2. c5 f6 3. c2 {Two.} f1 {Too far.} 4. c3 {Three.} *\n";
    fs::write(folder.join("games.txt"), format!("{GOOD}\n{won}")).unwrap();
    let output = review(folder, &["games.txt"]);
    let written = String::from_utf8(output.stdout).unwrap();
    assert!(written.contains("; Hm.}") && written.contains("{over; Three.}"), "{written}");
    assert!(written.contains("{X wins in 1; Too far.}"), "{written}");
}

#[test]
fn the_only_game_that_cannot_be_read_is_told_in_one_line() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("games.txt");
    fs::write(&file, "nonsense\n").unwrap();
    let output = review(folder.path(), &["games.txt"]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), error.lines().count()), (Some(2), 1), "{error}");
    assert!(error.starts_with("quadrille: games.txt, game 1: "), "{error}");
}
