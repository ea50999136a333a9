//! Known wins are found, and losses seen coming.

use engine::{Limits, Stop, find};
use rules::{Outcome, Player};

/// In how many turns the engine says the game is won, and its first turn.
fn verdict(game: &str, position: &str, nodes: u64) -> (Option<i32>, String) {
    let entry = find(game).unwrap();
    let session = (entry.from_text)(position, &Default::default()).unwrap();
    let mut thinker = (entry.thinker)(8);
    let limits = Limits::nodes(nodes);
    let view = thinker.think(session.as_ref(), &limits, &Stop::default(), &mut |_| {}).unwrap();
    let turn = thinker.turn(session.as_ref(), &limits, &Stop::default()).unwrap();
    (view.lines[0].win_in, turn)
}

#[test]
fn two_knights_against_one_on_the_ring_enter_and_win() {
    // c2 and e2 beside the centre d4 of 7×7; Black has one knight there.
    let (win_in, turn) = verdict("jeson-mor", "n5n/2n4/7/7/7/2N1N2/N5N 1", 10_000);
    assert_eq!(win_in, Some(3));
    assert!(turn.ends_with("-d4"), "{turn}");
}

#[test]
fn a_majority_of_two_on_the_ring_cannot_be_met_from_afar() {
    let (win_in, _) = verdict("jeson-mor", "n5n/2n1n2/7/7/7/7/N5N 1", 10_000);
    assert!(win_in.is_some_and(|turns| turns < 0), "{win_in:?}");
}

#[test]
fn a_king_is_crowned() {
    let (win_in, turn) = verdict("six-making", "xo,xxox,3/5/5/5/5 2", 1_000);
    assert_eq!((win_in, turn.as_str()), (Some(1), "a1-b1"));
}

#[test]
fn a_double_threat_of_pairs_wins_in_gekitai() {
    // X holds the centre with four markers, O has two in the corners.
    let (win_in, _) = verdict("gekitai", "o4o/6/2x3/3x2/6/x5 1", 60_000);
    assert!(win_in.is_some_and(|turns| turns > 0), "{win_in:?}");
}

#[test]
fn the_last_gap_is_closed() {
    let position = "5/6/7/8/r1,r1,r1,r1,1,r1,r1,r1,r1/8/r2,6/y3,5/5 1";
    let (win_in, turn) = verdict("glaisher", position, 1_000);
    assert_eq!(win_in, Some(1));
    let mut session = (find("glaisher").unwrap().from_text)(position, &Default::default()).unwrap();
    session.play(&turn).unwrap();
    assert_eq!(session.outcome(), Some(Outcome::Win(Player::One)), "{turn}");
}
