//! The positions that the first programs for these games print, as Prolog terms in their own shapes.

use rules::gekitai::Gekitai;
use rules::glaisher::Glaisher;
use rules::jeson_mor::JesonMor;
use rules::notation::Notation;
use rules::prolog::Term;
use rules::six_making::SixMaking;
use rules::{Outcome, Player};

/// Reads a term, compares it with a sample of the game, and checks the result.
fn check<G: Notation>(sample: &str, term: &str, outcome: Option<Player>) {
    let pos = G::from_term(&Term::parse(term).unwrap(), &G::Options::default()).unwrap();
    let samples = G::INFO.samples;
    let (_, text) = samples.iter().find(|(name, _)| *name == sample).unwrap();
    assert_eq!(pos.text(), *text, "{sample}");
    assert_eq!(pos.outcome(), outcome.map(Outcome::Win), "{sample}");
}

#[test]
fn glaisher_begins_goes_on_and_ends_as_printed() {
    let board = |rows: [&str; 9], turn: u8| format!("gamestate([[{}]],{turn})", rows.join("],["));
    let initial = [
        "0,6,0,0,0,nan,nan,nan,nan",
        "0,0,0,0,0,-6,nan,nan,nan",
        "0,0,0,0,0,0,0,nan,nan",
        "-6,0,0,0,0,0,0,0,nan",
        "0,0,0,0,0,0,0,0,0",
        "nan,0,0,0,0,0,0,0,6",
        "nan,nan,0,0,0,0,0,0,0",
        "nan,nan,nan,6,0,0,0,0,0",
        "nan,nan,nan,nan,0,0,0,-6,0",
    ];
    check::<Glaisher>("initial", &board(initial, 1), None);
    let mut rows = [
        "-1,0,-1,0,1,nan,nan,nan,nan",
        "0,0,-1,0,0,0,nan,nan,nan",
        "0,0,0,-6,0,3,1,nan,nan",
        "0,0,2,3,5,-1,0,0,nan",
        "1,2,1,0,-3,1,0,0,0",
        "nan,0,-3,-1,-3,0,0,0,0",
        "nan,nan,0,-1,0,2,0,0,0",
        "nan,nan,nan,-1,0,0,0,1,0",
        "nan,nan,nan,nan,0,0,0,0,0",
    ];
    check::<Glaisher>("intermediate", &board(rows, 1), None);
    rows[3] = "0,0,2,3,5,1,0,0,nan";
    rows[4] = "1,2,1,0,-3,0,0,0,0";
    check::<Glaisher>("final", &board(rows, 2), Some(Player::One));
}

#[test]
fn gekitai_begins_goes_on_and_ends_as_printed() {
    let board = |name: &str, rows: [&str; 6]| {
        let row = |row: &str| {
            let cell = |c| match c {
                'x' => "plyr1",
                'o' => "plyr2",
                _ => "empty",
            };
            format!("[{}]", row.chars().map(cell).collect::<Vec<_>>().join(","))
        };
        // The trailing comma is part of what is printed.
        format!("{name}([\n  {},\n]).", rows.map(row).join(",\n  "))
    };
    check::<Gekitai>("initial", &board("initialBoard", ["......"; 6]), None);
    let rows = ["..x.x.", "......", "o..x..", "....ox", ".o....", "....o."];
    check::<Gekitai>("intermediate", &board("intermediateBoard", rows), None);
    let rows = ["x..x..", "......", ".ooox.", "......", "o.xx..", ".....o"];
    check::<Gekitai>("final", &board("finalBoard", rows), Some(Player::Two));
}

#[test]
fn jeson_mor_begins_goes_on_and_ends_as_printed() {
    let board = |rows: [&str; 9]| {
        let row = |row: &str| {
            format!("[{}]", row.chars().map(String::from).collect::<Vec<_>>().join(","))
        };
        format!("[{}]", rows.map(row).join(","))
    };
    let empty = "ooooooooo";
    let start = ["bbbbbbbbb", empty, empty, empty, empty, empty, empty, empty, "wwwwwwwww"];
    let state = |turn: &str, now, old| format!("[{turn},{},{}]", board(now), board(old));
    check::<JesonMor>("initial", &state("w", start, start), None);
    let now = [
        "booooobob",
        "obobobooo",
        "ooobobooo",
        "ooboooooo",
        "oooowoooo",
        empty,
        empty,
        "wooooowow",
        "wwowwoowo",
    ];
    let mut old = now;
    old[4] = empty;
    old[6] = "ooooowooo";
    check::<JesonMor>("intermediate", &state("b", now, old), None);
    let now = [
        "booooobob",
        "obobobooo",
        "ooobobooo",
        "ooboooooo",
        empty,
        empty,
        "oooowoooo",
        "wooooooow",
        "wwowwoowo",
    ];
    let mut old = now;
    old[2] = "ooooobooo";
    old[4] = "ooooboooo";
    check::<JesonMor>("final", &state("w", now, old), Some(Player::Two));
}

#[test]
fn six_making_begins_goes_on_and_ends_as_printed() {
    let row = "[empty, empty, empty, empty]";
    check::<SixMaking>("initial", &format!("initial_state(4, [{row},{row},{row},{row}])."), None);
    let middle = "MidBoard = [
        [empty, [x,o], [x], [o]],
        [empty, empty, empty, empty],
        [[o], empty, [o,o,x], empty],
        [empty, [x], empty, empty]
    ]";
    check::<SixMaking>("intermediate", middle, None);
    let end = "[[[[o], [x,o,o,o,x,x], empty, [o]], [empty, empty, empty, empty],
        [[o], empty, empty, empty], [empty, [x], empty, empty]], player2]";
    check::<SixMaking>("final", end, Some(Player::One));
}
