//! The game in lines of text: whole games through pipes, and games that outlive a kill.

use engine::{Session, find};
use rules::random::Random;
use rules::record::Record;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lines").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn start(args: &[&str], folder: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .arg("play")
        .args(args)
        .arg("--data")
        .arg(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn play(args: &[&str], folder: &Path, input: &str) -> Output {
    let mut child = start(args, folder);
    // A program that ends early closes its end of the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// What a game prints that ends well.
fn printed(args: &[&str], folder: &Path, input: &str) -> String {
    let output = play(args, folder, input);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty());
    String::from_utf8(output.stdout).unwrap()
}

fn games(folder: &Path, shelf: &str) -> Vec<PathBuf> {
    let Ok(files) = std::fs::read_dir(folder.join(shelf)) else { return Vec::new() };
    let files = files.flatten().map(|file| file.path());
    files.filter(|path| path.extension().is_some_and(|ending| ending == "txt")).collect()
}

fn read(path: &Path) -> Box<dyn Session> {
    let text = std::fs::read_to_string(path).unwrap();
    let record = Record::parse(&text).unwrap_or_else(|error| panic!("{error}:\n{text}"));
    (find(record.game().unwrap()).unwrap().from_record)(&record).unwrap()
}

const HUMANS: [&str; 4] = ["--first", "human:Ana", "--second", "human:Ben"];

#[test]
fn whole_games_are_played_through_a_pipe() {
    for entry in engine::GAMES {
        let id = entry.info.id;
        let folder = folder(&format!("whole-{id}"));
        let mut game = (entry.start)(&Default::default()).unwrap();
        let players: Vec<_> = game.seed_players().iter().map(|about| about.id).collect();
        let mut random = Random::new(11);
        while game.result().is_none() {
            let best = players.last().and_then(|id| game.seed_choose(id, &mut random));
            let turn = best.or_else(|| random.pick(&game.turns()).cloned()).unwrap();
            game.play(&turn).unwrap();
        }
        let input = game.history().join("\n") + "\nsave\n";
        let out = printed(&[&[id], &HUMANS[..]].concat(), &folder, &input);
        assert!(out.contains("has won") || out.contains("a draw"), "{out}");
        assert!(out.contains("over: rematch"));
        let saved = games(&folder, "games");
        assert_eq!(read(&saved[0]).history(), game.history());
        assert!(games(&folder, "unfinished").is_empty());
    }
}

#[test]
fn moves_that_make_no_sense_are_told_why_and_the_game_goes_on() {
    let folder = folder("wrong");
    let out = printed(&[&["gekitai"], &HUMANS[..]].concat(), &folder, "zz\nc3\nc3\n\nquit\n");
    assert!(out.contains("`zz` is not a move, expected a cell such as `c4`"), "{out}");
    assert!(out.contains("`c3` is not legal here: c3 is occupied"));
    assert!(out.contains("type a move, or `help`"));
    assert!(out.contains("the game is kept: `quadrille play --continue` resumes it"));
}

#[test]
fn the_end_of_the_input_ends_the_game_cleanly_and_it_goes_on_later() {
    let folder = folder("end");
    printed(&[&["glaisher"], &HUMANS[..]].concat(), &folder, "a2-se:123\n@e5\nd1-e:24");
    let out = printed(&["--continue"], &folder, "turns\n");
    assert!(out.contains("Glaisher: Ana (Red) against Ben (Yellow)"), "{out}");
    assert!(out.contains("1. a2-se:123@e5 d1-e:24"), "{out}");
    let out = printed(&["--continue"], &folder, "@a1\nundo\nundo\n");
    assert!(out.contains("2. Ana (Red):") && out.contains("1. Ana (Red):"), "{out}");
    let nothing = printed(&[], &folder, "");
    assert!(nothing.contains("continue"), "{nothing}");
}

#[test]
fn everything_that_can_be_typed_is_answered() {
    let folder = folder("words");
    let input = "help\nmoves d1\nboard\npieces\nhint\neval\nflip\nrules\nc1-d3\nundo\nredo\nturns\n\
                 show 0\nshow 9\nsave\npause\nwhat\nsave\nresume\nresign\nundo\nresign\nswap\nquit\n";
    let args = [&["jeson-mor", "--size", "5", "--seed", "1"], &HUMANS[..]].concat();
    let out = printed(&args, &folder, input);
    for expected in [
        "plays it: type `moves`",
        "d1-",
        "White has knights on a1, b1, c1, d1 and e1.",
        "Greedy: ",
        "Engine: ",
        "original program: White 0, Black 0",
        "JESON MOR",
        "1. c1-d3 *",
        "after how many turns? 0 to 1",
        "saved as ",
        "paused: resume, save, menu or quit?",
        "type resume, save, menu or quit",
        "Ana (White) has won by resignation",
        "Jeson Mor: Ben (White) against Ana (Black)",
    ] {
        assert!(out.contains(expected), "no `{expected}` in\n{out}");
    }
    assert_eq!(games(&folder, "games").len(), 2);
}

#[test]
fn a_game_is_chosen_by_answering_questions() {
    let folder = folder("menu");
    let input = "chess\nrules 2\n2\nsize=9\nsize=4\nhuman:Ana\nnobody\nseed:easy\n5+0\nb2\nquit\n";
    let out = printed(&[], &folder, input);
    for expected in [
        "there is no game `chess`; the games are glaisher",
        "GEKITAI",
        "size must be 4 to 8, got `9`",
        "who plays X? (Enter is human)",
        "player `nobody`: expected human",
        "Gekitai: Ana (X) against Original Easy (O)",
        "1. Ana (X), 5:00 left:",
        "Original Easy (O) plays ",
    ] {
        assert!(out.contains(expected), "no `{expected}` in\n{out}");
    }
}

#[test]
fn a_full_stop_behind_any_answer_is_read_over() {
    let folder = folder("full-stops");
    let out =
        printed(&[], &folder, "rules 2.\n2.\nsize=4.\nhuman:Ana.\nhuman.\n5+0.\nb2.\nquit.\n");
    for expected in ["GEKITAI", "Gekitai: Ana (X) against O", "1. Ana (X), 5:00 left:", "O to move"]
    {
        assert!(out.contains(expected), "no `{expected}` in\n{out}");
    }
    assert_eq!(printed(&[], &folder, "quit.\n").lines().count(), 1 + engine::GAMES.len());
}

#[test]
fn computers_play_each_other_and_may_wait_for_a_line() {
    let folder = folder("computers");
    let players = ["--first", "seed:hard", "--second", "level:1", "--seed", "3"];
    let args = [&["gekitai"], &players[..]].concat();
    let (one, two) = (printed(&args, &folder, ""), printed(&args, &folder, ""));
    assert!(one.contains("Hard (X) plays ") && one.contains("over: "), "{one}");
    assert_eq!(one, two, "the same seed gives another game");
    let out = printed(&[&args[..], &["--wait"]].concat(), &folder, "\n\nquit\n");
    assert_eq!(out.matches(" plays ").count(), 2, "{out}");
}

#[test]
fn there_is_no_colour_where_it_cannot_be_seen() {
    let folder = folder("colour");
    let out = printed(&["gekitai"], &folder, "c3\n");
    assert!(!out.contains('\x1b'));
    let out = printed(&["gekitai", "--ascii", "--seed", "1"], &folder, "c3\n");
    assert!(out.is_ascii(), "{out}");
}

#[test]
fn wrong_calls_get_one_line_and_exit_code_2() {
    let folder = folder("calls");
    std::fs::create_dir_all(&folder).unwrap();
    let broken = folder.join("broken.txt");
    std::fs::write(&broken, "[Game \"gekitai\"]\n\n1. c3 c3 *\n").unwrap();
    let broken = broken.to_str().unwrap();
    let cases: &[(&[&str], &str)] = &[
        (&["chess"], "there is no game `chess`"),
        (&["gekitai", "--first", "seed:odd"], "there is no seed player `odd`"),
        (&["gekitai", "--first", "level:99"], "the levels are 1 to 10, got `99`"),
        (&["gekitai", "--clock", "soon"], "as in `5+3`, got `soon`"),
        (&["gekitai", "--size", "99"], "--size must be 4 to 8, got `99`"),
        (&["--first", "human"], "which game?"),
        (&["--continue"], "there is no unfinished game"),
        (&["--load", "/does/not/exist"], "/does/not/exist: No such file"),
        (&["--load", broken], "line 3: turn `c3`: `c3` is not legal here"),
    ];
    for (args, expected) in cases {
        let output = play(args, &folder, "");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {error}");
        assert!(error.contains(expected) && error.lines().count() == 1, "{args:?}: {error}");
    }
    assert_eq!(std::fs::read_to_string(broken).unwrap(), "[Game \"gekitai\"]\n\n1. c3 c3 *\n");
}

#[test]
fn a_kill_at_any_moment_leaves_whole_files_and_loses_no_turn() {
    let folder = folder("kill");
    let args = ["six-making", "--first", "seed:easy", "--second", "seed:easy", "--seed"];
    for round in 0..24_usize {
        let seed = round.to_string();
        let mut child = start(&[&args[..], &[&seed]].concat(), &folder);
        let out = BufReader::new(child.stdout.take().unwrap());
        // Killed while it plays on: some turns after the last one that was printed.
        let told = out.lines().map_while(Result::ok).filter(|line| line.contains(" plays "));
        let told = told.take(1 + round % 8).count();
        child.kill().unwrap();
        child.wait().unwrap();
        let kept: Vec<_> = games(&folder, "unfinished").iter().map(|path| read(path)).collect();
        let longest = kept.iter().map(|game| game.turns_played()).max().unwrap_or(0);
        assert!(longest >= told, "{told} turns were told, {longest} are kept");
        for path in games(&folder, "unfinished") {
            std::fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn ears_get_words_and_no_board() {
    let folder = folder("ears");
    let args = [&["gekitai", "--no-boards"], &HUMANS[..]].concat();
    let out = printed(&args, &folder, "c 4.\nread\nboards on\nq.\n");
    assert!(out.contains("X has a marker on c4, 7 in reserve."), "{out}");
    let before = out.split("X has a marker").next().unwrap();
    assert!(!before.contains('│'), "{out}");
    assert!(out.contains('│'), "`boards on` draws again: {out}");
    let out = printed(&["--no-boards"], &folder, "history\nopen 1\nquit\n");
    assert!(out.contains("1  Gekitai: Ana (X) against Ben (O), Ben (O) to move"), "{out}");
}

#[test]
fn a_game_that_cannot_be_kept_is_not_said_to_be() {
    let folder = folder("not-kept");
    std::fs::write(&folder, "not a folder").unwrap();
    let args = [&["gekitai"], &HUMANS[..]].concat();
    let out = printed(&args, &folder, "c4\nd4\n");
    assert_eq!(out.matches("this game could not be kept").count(), 1, "{out}");
    assert!(out.contains("this game is not kept") && !out.contains("the game is kept"), "{out}");
    std::fs::remove_file(&folder).unwrap();
}

#[test]
fn a_puzzle_is_solved_in_words() {
    let folder = folder("puzzle");
    let puzzle = engine::puzzles::shipped("gekitai").remove(0);
    let own: Vec<_> = puzzle.solution.iter().step_by(2).map(String::as_str).collect();
    let wrong = {
        let start = engine::find("gekitai").unwrap().from_text;
        let game = start(&puzzle.position, &Default::default()).unwrap();
        game.turns().into_iter().find(|turn| turn != own[0]).unwrap()
    };
    let input = format!("puzzle gekitai 9999\npuzzle gekitai 1\n{wrong}\nundo\n{}\n", own[0]);
    let out = printed(&["--no-boards", "--seed", "1"], &folder, &input);
    assert!(out.contains("which one? 1 to 1000"), "{out}");
    assert!(out.contains("puzzle 1: ") && out.contains("turns"), "{out}");
    assert!(out.contains("that does not win in"), "{out}");
    assert!(out.contains("right: win in") || out.contains("solved!"), "{out}");
    assert!(!out.contains("the game is kept"), "{out}");
    // Puzzles of a file are tried in the same way.
    let file = folder.join("own.txt");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&file, format!("{}\n", puzzle.record).repeat(2)).unwrap();
    let input = format!("load {0} 3\nload {0} 2\n{wrong}\n", file.display());
    let out = printed(&["--no-boards", "--seed", "1"], &folder, &input);
    assert!(out.contains("which one? 1 to 2") && out.contains("puzzle 2: "), "{out}");
    assert!(out.contains("that does not win in"), "{out}");
}

#[test]
fn every_question_of_the_menu_can_be_answered_with_quit() {
    for (number, asked) in ["options?", "who plays X?", "who plays O?", "clock?"].iter().enumerate()
    {
        let folder = folder(&format!("quit-{number}"));
        let printed = printed(&[], &folder, &format!("gekitai\n{}quit\n", "\n".repeat(number)));
        let (_, after) = printed.split_once(asked).unwrap();
        assert!(!after.contains("quit") && !after.contains(asked), "{asked}: {printed}");
    }
}
