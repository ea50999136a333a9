//! What the engine calls certain is compared with complete tables: every line that claims a win or a loss.

use crate::effort::is_long;
use engine::{Limits, Session, Stop, Thinker, find};
use rules::random::Random;
use rules::{Outcome, Player};
use std::collections::HashMap;

/// The exact result of every reachable position, by its canonical text: who wins, and after how many turns of both.
struct Table(HashMap<String, Option<(Player, u32)>>);

impl Table {
    /// The winner, and the turns of both until then.
    fn value(&self, session: &dyn Session) -> Option<(Player, u32)> {
        match session.outcome() {
            Some(Outcome::Win(player)) => Some((player, 0)),
            Some(Outcome::Draw) => None,
            None => self.0[&session.canonical().0],
        }
    }
}

/// Compares what the engine says of a position, and returns how many claims there were.
fn compare(
    table: &Table,
    session: &dyn Session,
    thinker: &mut dyn Thinker,
    limits: &Limits,
) -> u32 {
    let found = thinker.think(session, limits, &Stop::default(), &mut |_| {}).unwrap();
    let mut claims = 0;
    for (i, line) in found.lines.iter().enumerate() {
        let Some(turns) = line.win_in else { continue };
        claims += 1;
        let winner = if turns > 0 { session.turn() } else { session.turn().other() };
        let mut next = session.boxed_clone();
        next.play(&line.turns[0]).unwrap();
        let what = || format!("{} {line:?}", session.text());
        let (own, after) = table.value(next.as_ref()).unwrap_or_else(|| panic!("{}", what()));
        assert_eq!(own, winner, "{}", what());
        // Turns of both after this one; a player who loses by their own turn counts as losing to the next one.
        let most = if turns > 0 { 2 * turns - 2 } else { -2 * turns };
        assert!(i64::from(after) <= i64::from(most), "after {after}: {}", what());
        // Only the best turn says something about the position.
        if i == 0 {
            assert_eq!(table.value(session).map(|(own, _)| own), Some(winner), "{}", what());
        }
    }
    claims
}

/// Compares reachable positions: a few, or thousands in a long run. Returns how many claims there were.
fn claims(game: &str, start: &str) -> u32 {
    let entry = find(game).unwrap();
    let session = (entry.from_text)(start, &Default::default()).unwrap();
    let all = (entry.every)(session.as_ref(), 2_000_000, &Stop::default()).unwrap();
    let open = |(position, _): &&(Box<dyn Session>, _)| position.outcome().is_none();
    let table = all.iter().map(|(position, value)| (position.canonical().0, *value));
    let (table, mut random) = (Table(table.collect()), Random::new(20_438));
    // The order of a map differs from run to run.
    let mut open: Vec<&dyn Session> =
        all.iter().filter(open).map(|(position, _)| position.as_ref()).collect();
    open.sort_by_cached_key(|position| position.text());
    let mut thinker = (entry.thinker)(4);
    let mut claims = 0;
    for _ in 0..if is_long() { 2_000 } else { 40 } {
        let position = *random.pick(&open).unwrap();
        for (lines, nodes) in [(1, 20), (1, 2_000), (3, 1_000)] {
            let limits = Limits { lines, ..Limits::nodes(nodes) };
            claims += compare(&table, position, thinker.as_mut(), &limits);
        }
    }
    claims
}

/// No claim is false. There must be some, so that this does not pass because nothing is claimed.
fn nothing_certain_is_false(game: &str, start: &str) {
    let claims = claims(game, start);
    assert!(claims >= if is_long() { 500 } else { 10 }, "{game} {start}: {claims} claims");
}

#[test]
fn nothing_certain_about_small_boards_of_gekitai_is_false() {
    for start in [
        "4/4/4/4;markers=3 1",
        "4/4/4/4;markers=4 1",
        "4/4/4/4;markers=4;both=draw 1",
        "5/5/5/5/5;markers=3 1",
    ] {
        nothing_certain_is_false("gekitai", start);
    }
}

#[test]
fn nothing_certain_about_few_knights_is_false() {
    nothing_certain_is_false("jeson-mor", "1n1n1/5/5/5/1N1N1 1");
}

/// `QUADRILLE_LONG=1 cargo test --release -p quadrille-engine --test all certain -- --include-ignored`
#[test]
#[ignore = "takes minutes and gigabytes"]
fn nothing_certain_about_larger_tables_is_false() {
    for start in ["4/4/4/4 1", "4/4/4/4;both=draw 1", "5/5/5/5/5;markers=4 1"] {
        nothing_certain_is_false("gekitai", start);
    }
    nothing_certain_is_false("jeson-mor", "n1n1n/5/5/5/N1N1N 1");
}
