//! Boards as pictures, in terminals that say that they show them.

use super::tty::{Tty, folder};
use super::{Duration, Instant, SMALL};

/// What terminals answer: kitty's protocol, sixels, or neither of them.
const KITTY: &str = "\x1b_Gi=31;OK\x1b\\\x1b[6;20;10t\x1b[?62;c";
const SIXEL: &str = "\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[6;20;10t\x1b[?62;4;22c";
const NEITHER: &str = "\x1b[?62;22c";

const PLAYERS: [&str; 6] = ["play", "gekitai", "--first", "human", "--second", "human"];

#[test]
fn boards_are_pictures_of_which_only_changes_are_sent() {
    for (answer, start) in [(KITTY, "a=T,"), (SIXEL, "\x1bP0;1;0q")] {
        let folder = folder("pictures");
        let mut tty = Tty::start(&PLAYERS, &folder, SMALL);
        tty.send(answer);
        tty.wait("a picture", |tty| tty.has_written(start));
        tty.sees("X to move");
        tty.is_quiet();
        let (parts, bytes) = (tty.count(start), tty.written());
        tty.send("c3\r");
        tty.sees("O to move");
        tty.is_quiet();
        let changed = tty.count(start) - parts;
        assert!((1..=4).contains(&changed), "{changed} of {parts} parts for one marker");
        let more = tty.written() - bytes;
        assert!(2 * more < bytes, "{more} bytes for one marker, {bytes} before");
        // What lies over the board is read, and the board comes back.
        tty.send("p");
        tty.sees("Resume");
        let parts = tty.count(start);
        tty.send("\x1b");
        tty.wait("the board", |tty| tty.count(start) > parts && !tty.text().contains("Resume"));
        // Characters can be chosen as well.
        tty.send("y");
        tty.wait("characters", |tty| tty.text().contains('▀'));
        tty.send("y");
        tty.wait("the picture", |tty| !tty.text().contains('▀'));
    }
}

#[test]
fn a_terminal_that_does_not_say_that_it_shows_pictures_gets_none() {
    for (term, answer) in
        [("xterm-256color", NEITHER), ("xterm-256color", ""), ("tmux-256color", SIXEL)]
    {
        let folder = folder("no-pictures");
        let mut tty = Tty::start_on(term, &PLAYERS, &folder, SMALL);
        // Keys come through while the answers are awaited.
        tty.send(answer);
        tty.send("f");
        tty.sees("X to move");
        tty.send("c3\r");
        tty.sees("O to move");
        assert_eq!((tty.count("a=T,"), tty.count("\x1bP")), (0, 0), "{term} {answer:?}");
        let shown = tty.text();
        assert!(shown.contains('▀') && !shown.contains("Gi="), "{shown}");
    }
}

/// Prints what a frame, a turn and a cursor that moves sixty times a second cost:
/// `cargo build --release && QUADRILLE_PROGRAM=$PWD/target/release/quadrille cargo test -p quadrille --test program
/// terminal::pictures::costs -- --ignored --nocapture`
#[test]
#[ignore = "measures"]
fn costs() {
    let sizes = [(60, 20), (80, 24), (100, 30), (140, 45), (200, 60)];
    for (name, answer) in [("characters", NEITHER), ("kitty", KITTY), ("sixel", SIXEL)] {
        for (game, turns) in [
            ("glaisher", ["a2-se:123@e5", "d1-e:24@c3"]),
            ("gekitai", ["c3", "d4"]),
            ("jeson-mor", ["c1-d3", "c9-d7"]),
            ("six-making", ["c3", "b2"]),
        ] {
            for size in sizes {
                let folder = folder("costs");
                let args = ["play", game, "--first", "human", "--second", "human"];
                let mut tty = Tty::start(&args, &folder, size);
                tty.send(answer);
                tty.sees("to move");
                tty.is_quiet();
                let first = tty.written();
                let mut bytes = Vec::new();
                for turn in turns {
                    let before = tty.written();
                    tty.send(turn);
                    tty.sees("move:");
                    tty.send("\r");
                    tty.wait("the turn", |tty| !tty.text().contains("move:"));
                    tty.is_quiet();
                    bytes.push(tty.written() - before);
                }
                let (began, before) = (tty.processor_time(), tty.written());
                let start = Instant::now();
                for number in 0..300 {
                    tty.send(["\x1b[A", "\x1b[D", "\x1b[B", "\x1b[C"][number % 4]);
                    let next = Duration::from_micros(16_667) * (number as u32 + 1);
                    std::thread::sleep(next.saturating_sub(start.elapsed()));
                }
                let spent = tty.processor_time() - began;
                println!(
                    "{name} {game} {}x{}: first {first} bytes, turns {bytes:?} bytes; cursor at 60 a second: {:.1} % \
                     of a core, {} bytes a step",
                    size.0,
                    size.1,
                    100.0 * spent.as_secs_f64() / start.elapsed().as_secs_f64(),
                    (tty.written() - before) / 300
                );
            }
        }
    }
}
