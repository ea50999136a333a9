//! Closed sets are found, hold under the rules and under the slow ones, and damaged ones are refused.

use crate::slow_rules::closed::ClosedSlowly;
use crate::slow_rules::gekitai::Board;
use engine::play::Play;
use engine::solve::certificate::Proof;
use engine::solve::closed::Closed;
use engine::solve::question::{Method, Settings, Verdict, solve};
use engine::{Stop, find};
use rules::gekitai::{Both, Gekitai, Options};
use rules::{Game, Notation, Player, Symmetric};

fn settings(method: Method, player: Option<Player>) -> Settings {
    Settings {
        method,
        player,
        most_turns: None,
        time: None,
        nodes: Some(100_000_000),
        mebibytes: 16,
        threads: 1,
        checkpoint: None,
        resume: None,
    }
}

fn held<G: Play>(pos: &G, method: Method, player: Option<Player>) -> Option<Closed<G>> {
    let answer = solve(pos, &settings(method, player), &Stop::default(), &mut |_| {}).unwrap();
    match answer.verdict {
        Verdict::Draw(closed) => Some(*closed),
        Verdict::Win(_) | Verdict::Open => None,
    }
}

fn board(size: u8, markers: u8, both: Both) -> Gekitai {
    Gekitai::new(&Options { size, markers, both }).unwrap()
}

fn refusal(text: &str) -> String {
    (find("gekitai").unwrap().verify)(text, &mut |_, _| {}).unwrap_err().to_string()
}

#[test]
fn nobody_wins_on_four_by_four_and_closed_sets_show_it() {
    for both in [Both::Mover, Both::Draw] {
        let closed = held(&board(4, 5, both), Method::Draw, None).unwrap();
        let text = closed.write();
        let proven = (find("gekitai").unwrap().verify)(&text, &mut |_, _| {}).unwrap();
        assert_eq!(proven.checked.stored, closed.stored.len());
        assert!(ClosedSlowly::<Board>::read(&text).holds());
        let Proof::Closed(again) = Proof::<Gekitai>::read(&text).unwrap() else { panic!("{text}") };
        assert_eq!(again.write(), text);
    }
}

#[test]
fn where_proofs_come_to_nothing_closed_sets_are_looked_for_unasked() {
    let closed = held(&board(4, 4, Both::Mover), Method::All, None).unwrap();
    assert_eq!(closed.against, [Player::One, Player::Two]);
}

#[test]
fn a_player_who_wins_is_not_held_and_the_other_is() {
    let won = board(5, 4, Both::Mover);
    assert!(held(&won, Method::Draw, Some(Player::One)).is_none());
    assert!(held(&won, Method::Draw, None).is_none());
    let closed = held(&won, Method::Draw, Some(Player::Two)).unwrap();
    closed.verify(&mut |_| {}).unwrap();
    assert!(ClosedSlowly::<Board>::read(&closed.write()).holds());
    assert!(closed.stored.keys().all(|pos| pos.turn() == Player::Two));
}

/// The sets of a small game, changed.
fn forged(change: impl Fn(&mut Closed<Gekitai>)) -> String {
    let mut closed = held(&board(4, 4, Both::Mover), Method::Draw, None).unwrap();
    closed.verify(&mut |_| {}).unwrap();
    change(&mut closed);
    closed.write()
}

#[test]
fn a_set_that_lacks_any_one_position_is_refused() {
    let whole = held(&board(4, 4, Both::Mover), Method::Draw, None).unwrap();
    let (mut refused, mut needed) = (0, 0);
    for pos in whole.stored.keys() {
        let mut less = whole.clone();
        less.stored.remove(pos);
        let text = less.write();
        // Another reply may work instead; the slow rules say whether one does.
        let holds = ClosedSlowly::<Board>::read(&text).holds();
        assert_eq!(less.verify(&mut |_| {}).is_ok(), holds, "without {}", pos.text());
        needed += 1;
        refused += usize::from(!holds);
    }
    assert!(refused * 2 > needed, "{refused} of {needed}");
}

#[test]
fn a_set_with_a_position_that_is_won_is_refused() {
    let lost = Gekitai::from_text("xx2/4/4/oo2;markers=4 1", &Options::default()).unwrap();
    let text = forged(|closed| {
        closed.stored.insert(lost.canonical().0, 0);
    });
    assert!(refusal(&text).contains("player 1 wins with "), "{}", refusal(&text));
}

#[test]
fn a_set_that_does_not_cover_the_start_or_has_strangers_in_it_is_refused() {
    let text = forged(|closed| {
        let start = closed.start.canonical().0;
        closed.stored.remove(&start);
    });
    assert!(refusal(&text).starts_with("line 4: it is not stored"), "{}", refusal(&text));
    let text = forged(|closed| closed.against = vec![Player::Two]);
    assert!(refusal(&text).contains("the claim is not about that player"), "{}", refusal(&text));
    let text = forged(|_| {}).replace("certificate 2", "certificate 1");
    assert!(refusal(&text).contains("do not match their checksum"), "{}", refusal(&text));
}

#[test]
fn a_game_that_is_over_needs_no_set() {
    let drawn = "1xxx/4/1ooo/4;both=draw,markers=8 1";
    assert!(Gekitai::from_text(drawn, &Options::default()).is_err());
    let won = Gekitai::from_text("xxx1/4/oo2/4 2", &Options::default()).unwrap();
    assert!(won.outcome().is_some());
    let closed = Closed { start: won, against: vec![Player::Two], stored: Default::default() };
    assert!(closed.verify(&mut |_| {}).is_ok());
    let closed = Closed { against: vec![Player::One], ..closed };
    assert!(closed.verify(&mut |_| {}).unwrap_err().to_string().contains("player 1 has won"));
}
