//! Whole games on a pseudo-terminal: with keys, with the mouse, by typing, and by computers.

mod leaving;
mod online;
mod pictures;
mod tty;

use engine::{Session, find};
use rules::random::Random;
use rules::record::Record;
use rustix::process::Signal;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};
use tty::{Tty, folder};

const SMALL: (u16, u16) = (80, 24);

/// A whole game as players of the original program play it.
fn turns(game: &str, players: [&str; 2], seed: u64) -> Vec<String> {
    let mut session = (find(game).unwrap().start)(&Default::default()).unwrap();
    let mut random = Random::new(seed);
    while session.result().is_none() {
        let player = players[session.turn().index()];
        let turn = session.seed_choose(player, &mut random).unwrap();
        session.play(&turn).unwrap();
    }
    session.history()
}

/// The game that goes on, as its file tells it.
fn kept(folder: &Path) -> Option<Box<dyn Session>> {
    let files = std::fs::read_dir(folder.join("quadrille/unfinished")).ok()?;
    let text = files
        .flatten()
        .map(|file| file.path())
        .find(|path| path.extension().is_some_and(|ending| ending == "txt"))?;
    let record = Record::parse(&std::fs::read_to_string(text).ok()?).ok()?;
    (find(record.game().ok()?)?.from_record)(&record).ok()
}

#[test]
fn a_whole_game_is_played_with_keys() {
    let folder = folder("keys");
    let mut tty = Tty::start(&["play", "gekitai"], &folder, SMALL);
    // The form: the second player becomes a person, too.
    tty.sees("Player B");
    tty.send("\x1b[H\x1b[B\r\x1b[H\r");
    tty.sees("name:");
    tty.send("Ben\r");
    tty.sees("Player B     Ben");
    tty.send("s");
    tty.sees("round 1");
    // The first arrow shows the cursor, in the middle: a4.
    tty.send("\x1b[A");
    let mut at = (0, 3);
    for (number, turn) in ["c3", "a6", "c5", "f6", "c2", "f1", "c3"].iter().enumerate() {
        let bytes = turn.as_bytes();
        let to = (i32::from(bytes[0] - b'a'), i32::from(bytes[1] - b'1'));
        let across = if to.0 > at.0 { "\x1b[C" } else { "\x1b[D" };
        let down = if to.1 > at.1 { "\x1b[B" } else { "\x1b[A" };
        tty.send(&across.repeat((to.0 - at.0).unsigned_abs() as usize));
        tty.send(&down.repeat((to.1 - at.1).unsigned_abs() as usize));
        tty.send("\r");
        at = to;
        if number < 6 {
            let said = if number % 2 == 0 { "Ben (O) to move" } else { "X to move" };
            tty.sees(said);
        }
    }
    tty.sees("X has won with three in a row");
    tty.send("\x1b[D");
    tty.sees("after 6 of 7");
    tty.send("qq");
    assert!(tty.ends().success());
}

#[test]
fn a_whole_game_is_played_with_the_mouse() {
    let folder = folder("mouse");
    let args = ["play", "jeson-mor", "--size", "5", "--first", "human", "--second", "human"];
    let mut tty = Tty::start(&args, &folder, SMALL);
    tty.sees("? help");
    // White takes the centre; Black does not see it, and White leaves again.
    for (turn, then) in [
        ("b1 c3", "Black to move"),
        ("a5 b3", "White to move"),
        ("c3 e4", "White has won by leaving the"),
    ] {
        for cell in turn.split(' ') {
            tty.click(tty.cell(cell));
        }
        tty.sees(then);
    }
    tty.sees("n rematch");
    let text = tty.text();
    let row = text.lines().position(|line| line.contains("n rematch")).unwrap();
    let column = text.lines().nth(row).unwrap().find("n rematch").unwrap();
    let column = text.lines().nth(row).unwrap()[..column].chars().count();
    tty.click((column, row));
    tty.sees("White to move");
}

#[test]
fn a_whole_game_is_typed_and_looked_back_on() {
    let folder = folder("typed");
    let args = ["play", "glaisher", "--first", "human:Ana", "--second", "human:Ben"];
    let mut tty = Tty::start(&args, &folder, SMALL);
    let turns = turns("glaisher", ["level-1", "level-2"], 3);
    tty.sees("Ana (Red) to move");
    for (number, turn) in turns.iter().enumerate() {
        tty.send(turn);
        tty.sees(&format!("move: {turn}"));
        tty.send("\r");
        if number + 1 < turns.len() {
            let next = if number % 2 == 0 { "Ben (Yellow) to move" } else { "Ana (Red) to move" };
            tty.sees(next);
        }
    }
    tty.sees("has won");
    tty.send("s");
    tty.sees("save as: ");
    tty.send("\r");
    tty.sees("saved as ");
    tty.send("\x1b[H");
    tty.sees(&format!("after 0 of {}", turns.len()));
}

#[test]
fn a_whole_game_is_played_against_the_computer() {
    let folder = folder("computer");
    let args = ["play", "six-making", "--size", "4", "--first", "human:Ana", "--second", "level:5"];
    let mut tty = Tty::start(&args, &folder, SMALL);
    tty.sees("Ana (X) to move");
    let mut random = Random::new(5);
    let mut game =
        (find("six-making").unwrap().start)(serde_json::json!({"size": 4}).as_object().unwrap())
            .unwrap();
    loop {
        let turn = random.pick(&game.turns()).unwrap().clone();
        tty.send(&turn);
        tty.sees(&format!("move: {turn}"));
        tty.send("\r");
        game.play(&turn).unwrap();
        let played = game.turns_played();
        let over = |tty: &Tty| tty.text().contains("has won") || tty.text().contains("a draw");
        let answered = || kept(&folder).is_some_and(|kept| kept.turns_played() > played);
        tty.wait("an answer", |tty| {
            over(tty) || (tty.text().contains("Ana (X) to move") && answered())
        });
        if over(&tty) {
            break;
        }
        game = kept(&folder).unwrap();
    }
    assert!(kept(&folder).is_none(), "a finished game is kept as unfinished");
}

#[test]
fn computers_play_a_whole_game_by_themselves() {
    let folder = folder("computers");
    let args = ["play", "gekitai", "--first", "seed:hard", "--second", "level:1", "--seed", "7"];
    let mut tty = Tty::start(&args, &folder, SMALL);
    tty.sees("1 s a turn");
    tty.send("+++++");
    tty.wait("an end", |tty| tty.text().contains("has won") || tty.text().contains("a draw"));
    tty.sees("rematch");
}

#[test]
fn a_thinking_computer_can_be_stopped_and_never_freezes_the_screen() {
    let folder = folder("stop");
    let args = ["play", "glaisher", "--first", "human", "--second", "level:10", "--clock", "600"];
    let mut tty = Tty::start(&args, &folder, SMALL);
    tty.sees("Red to move");
    tty.send("a2-se:123@e5\r");
    tty.sees("Level 10 is thinking");
    tty.sees("positions");
    // It would think for twenty minutes; meanwhile every key is obeyed.
    tty.send("f");
    // The board turned round has its letters on the right.
    tty.sees("▌i");
    tty.send(" ");
    tty.sees("Red to move");
}

#[test]
fn the_window_may_change_at_any_time() {
    let folder = folder("resize");
    let args = ["play", "six-making", "--first", "human", "--second", "human"];
    let mut tty = Tty::start(&args, &folder, SMALL);
    tty.sees("▀▀▀▀▀▀");
    tty.resize(140, 45);
    tty.sees("▀▀▀▀▀▀▀▀▀▀▀▀");
    tty.resize(30, 8);
    tty.sees("too small");
    tty.resize(80, 24);
    tty.sees("▀▀▀▀▀▀");
    tty.send("c3\r");
    tty.sees("O to move");
}

#[test]
fn an_unfinished_game_is_offered_at_the_next_start() {
    let folder = folder("continue");
    let args = ["play", "gekitai", "--first", "human:Ana", "--second", "level:2"];
    let mut tty = Tty::start(&args, &folder, SMALL);
    tty.sees("Ana (X) to move");
    tty.send("c3\r");
    tty.wait("an answer", |tty| {
        tty.text().contains("Ana (X) to move") && tty.text().contains("round 2")
    });
    let before = kept(&folder).unwrap().history();
    // Not even a kill loses it.
    tty.signal(Signal::KILL);
    tty.ends();
    let mut tty = Tty::start(&[], &folder, SMALL);
    tty.sees("Continue Gekitai");
    tty.send("\r");
    tty.sees("Ana (X) to move");
    tty.sees(&before[1]);
    assert_eq!(kept(&folder).unwrap().history(), before);
}

#[test]
fn the_terminal_is_given_back_however_the_program_ends() {
    let endings: [(&str, Option<Signal>); 5] = [
        ("q", None),
        ("\x03", None),
        ("", Some(Signal::TERM)),
        ("", Some(Signal::INT)),
        ("", Some(Signal::HUP)),
    ];
    for (number, (keys, signal)) in endings.into_iter().enumerate() {
        let folder = folder(&format!("end-{number}"));
        let mut tty = Tty::start(&[], &folder, SMALL);
        tty.sees("Settings");
        assert!(tty.is_taken_over());
        tty.send(keys);
        if let Some(signal) = signal {
            tty.signal(signal);
        }
        assert!(tty.ends().success());
        tty.wait("the terminal", |tty| !tty.is_taken_over());
        let modes = tty.settings().local_modes;
        assert!(
            modes.contains(rustix::termios::LocalModes::ICANON),
            "raw after {keys:?} {signal:?}"
        );
        assert!(modes.contains(rustix::termios::LocalModes::ECHO));
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_program_without_a_panic() {
    for args in [&[][..], &["play", "gekitai"]] {
        let (mut child, mut terminal) = tty::start_bare(args, &folder("closed"), SMALL);
        let mut written = Vec::new();
        let mut part = [0; 4096];
        while !written.windows(4).any(|part| part == b"help") {
            let count = terminal.read(&mut part).unwrap();
            written.extend_from_slice(&part[..count]);
        }
        drop(terminal);
        let code = child.wait().unwrap().code();
        assert!(code != Some(101), "{args:?} ended with {code:?}");
    }
}

#[test]
fn the_program_steps_aside_and_comes_back() {
    let folder = folder("suspend");
    for by_key in [true, false] {
        let mut tty = Tty::start(&[], &folder, SMALL);
        tty.sees("Settings");
        match by_key {
            true => tty.send("\x1a"),
            false => tty.signal(Signal::TSTP),
        }
        tty.wait("the terminal", |tty| !tty.is_taken_over());
        tty.stops();
        assert!(tty.settings().local_modes.contains(rustix::termios::LocalModes::ICANON));
        tty.signal(Signal::CONT);
        tty.wait("the program", Tty::is_taken_over);
        tty.sees("Settings");
        tty.wait("the title", |tty| tty.count("\x1b]2;Quadrille") == 2);
        tty.send("q");
        assert!(tty.ends().success());
    }
}

#[test]
fn a_count_that_takes_long_says_so_and_keeps_what_it_has_at_ctrl_c() {
    let folder = folder("perft");
    let mut tty = Tty::start(&["perft", "glaisher", "7"], &folder, SMALL);
    tty.sees("first moves");
    tty.signal(Signal::INT);
    tty.sees("counted so far");
    assert_eq!(tty.ends().code(), Some(1));
}

#[test]
fn lines_are_edited_completed_and_taken_from_earlier_ones() {
    let folder = folder("lines");
    let args = ["play", "gekitai", "--plain", "--first", "human:Ana", "--second", "human:Ben"];
    let mut tty = Tty::start(&args, &folder, SMALL);
    tty.sees("1. Ana (X):");
    // c4, corrected to d4: left, backspace, d, Enter.
    tty.send("c4\x1b[D\x7fd\r");
    tty.sees("1. Ben (O):");
    assert_eq!(kept(&folder).unwrap().history(), ["d4"]);
    // The same again is refused, and what was typed first is not part of it.
    tty.send("zz\x1b[A\r");
    tty.sees("d4 is occupied");
    tty.send("his\tx\x15tur\t\r");
    tty.sees("1. d4");
    tty.send("\x04");
    assert!(tty.ends().success());
    assert!(tty.settings().local_modes.contains(rustix::termios::LocalModes::ICANON));
    let mut tty = Tty::start(&["play", "--continue", "--plain"], &folder, SMALL);
    tty.sees("1. Ben (O):");
    tty.send("\x1b[A");
    tty.sees("1. Ben (O): turns");
    tty.send("\x03");
    assert!(tty.ends().success());
}

#[test]
fn a_terminal_whose_locale_is_not_utf_8_gets_ascii_from_every_command() {
    let folder = folder("locale");
    let players = ["--first", "human", "--second", "human"];
    let commands: [(Vec<&str>, &str); 3] = [
        (vec!["render", "gekitai"], "X to move"),
        ([&["play", "gekitai", "--plain"], &players[..]].concat(), "1. X:"),
        ([&["play", "gekitai"], &players[..]].concat(), "X to move"),
    ];
    for (args, shown) in commands {
        let tty = Tty::start_in("C", &args, &folder, SMALL);
        tty.sees(shown);
        assert!(tty.text().is_ascii() && tty.text().contains('+'), "{args:?}:\n{}", tty.text());
    }
}

/// Prints how long the program takes:
/// `cargo build --release && QUADRILLE_PROGRAM=$PWD/target/release/quadrille cargo test -p quadrille --test program
/// terminal::latencies -- --ignored --nocapture`
#[test]
#[ignore = "measures"]
fn latencies() {
    let folder = folder("latency");
    let told = |mut times: Vec<Duration>| {
        times.sort();
        let at = |share: usize| times[(times.len() * share / 100).min(times.len() - 1)];
        format!("p50 {:?}, p99 {:?} of {}", at(50), at(99), times.len())
    };
    let starts = (0..50).map(|_| {
        let began = Instant::now();
        let tty = Tty::start(&[], &folder, SMALL);
        tty.sees("q quit");
        began.elapsed()
    });
    println!("start to menu: {}", told(starts.collect()));
    for (game, size) in [
        ("gekitai", (60, 20)),
        ("glaisher", SMALL),
        ("six-making", (100, 30)),
        ("glaisher", (140, 45)),
        ("jeson-mor", (200, 60)),
    ] {
        let args = ["play", game, "--first", "human", "--second", "human"];
        let mut tty = Tty::start(&args, &folder, size);
        tty.sees("to move");
        let mut times = Vec::new();
        for _ in 0..500 {
            let began = Instant::now();
            tty.send(":");
            tty.sees("move:");
            times.push(began.elapsed());
            let began = Instant::now();
            // Backspace closes the line.
            tty.send("\x7f");
            tty.wait("the line closed", |tty| !tty.text().contains("move:"));
            times.push(began.elapsed());
        }
        println!("key to frame, {game} {}x{}: {}", size.0, size.1, told(times));
    }
    let mut times = Vec::new();
    for _ in 0..20 {
        let args = ["play", "gekitai", "--first", "human", "--second", "human"];
        let mut tty = Tty::start(&args, &folder, SMALL);
        tty.sees("X to move");
        for turn in ["c3", "a6", "c5", "f6", "c2", "f1"] {
            tty.send(turn);
            tty.sees(&format!("move: {turn}"));
            let began = Instant::now();
            tty.send("\r");
            tty.wait("the turn", |tty| !tty.text().contains("move:"));
            times.push(began.elapsed());
        }
    }
    println!("turn played, kept on disk and drawn: {}", told(times));
}
