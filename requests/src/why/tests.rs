use super::*;
use crate::think::Search;
use crate::{Budget, Desk, Effort, Given};
use engine::{GAMES, Stop};
use rules::random::Random;

/// A game in which now and then somebody plays anything.
fn careless(entry: &engine::Entry, seed: u64) -> Vec<String> {
    let mut random = Random::new(seed);
    let mut session = (entry.start)(&Default::default()).unwrap();
    let thinker = (entry.thinker)(1);
    while session.result().is_none() && session.turns_played() < 24 {
        let turn = match random.below(3) {
            0 => random.pick(&session.turns()).cloned(),
            _ => thinker.beginners_turn(session.as_ref(), &mut random),
        };
        session.play(&turn.unwrap()).unwrap();
    }
    session.history()
}

/// The game after some more turns.
fn after(session: &dyn Session, turns: &[String]) -> Box<dyn Session> {
    let mut session = session.boxed_clone();
    turns.iter().for_each(|turn| session.play(turn).unwrap());
    session
}

/// Looks whether the rules bear out what a sentence says, by the sentence itself.
fn check(before: &dyn Session, played: &str, why: &Why) {
    let (mover, name) = (before.turn(), format!("{} {played}: {why:?}", before.text()));
    let won = |turns: &[String], who| after(before, turns).result() == Some(Outcome::Win(who));
    let said = |turn: &str| assert!(why.text.contains(turn), "{name}: does not name {turn}");
    let both = [Kind::Allowed, Kind::Lost, Kind::Taken, Kind::Danger].contains(&why.kind);
    why.line.iter().take(if both { 2 } else { 1 }).for_each(|turn| said(turn));
    let (last, init) = why.line.split_last().unwrap();
    let opponents = [Kind::Allowed, Kind::Proved, Kind::Lost, Kind::Taken, Kind::Danger];
    assert_eq!(opponents.contains(&why.kind), why.line[0] == played, "{name}");
    match why.kind {
        Kind::Missed => assert!(won(&why.line, mover), "{name}"),
        Kind::Allowed => {
            assert!(won(&why.line, mover.other()), "{name}");
            if let Some(better) = why.text.strip_suffix(" prevents that.") {
                let better = better.rsplit(' ').next().unwrap().to_owned();
                let next = after(before, &[better]);
                let all = next.turns();
                let loses = all.iter().any(|turn| {
                    let end = after(next.as_ref(), std::slice::from_ref(turn));
                    end.result() == Some(Outcome::Win(mover.other()))
                });
                assert!(!loses, "{name}");
            }
        }
        Kind::Lost | Kind::Won => {
            let winner = if why.kind == Kind::Won { mover } else { mover.other() };
            assert!(won(&why.line, winner), "{name}");
            let own = if winner == mover { why.line.len().div_ceil(2) } else { why.line.len() / 2 };
            said(&format!("in {own} turns"));
        }
        Kind::Taken | Kind::Takes => {
            let (from, to) = (after(before, init), after(before, &why.line));
            let owner = from.turn().other();
            let pieces = |session: &dyn Session| {
                let diagram = session.diagram();
                let own = diagram.cells.iter().filter_map(|cell| {
                    let piece = cell.piece.as_ref().filter(|piece| piece.owner == owner)?;
                    Some((cell.name.clone(), piece.clone()))
                });
                own.collect::<Vec<_>>()
            };
            let (had, has) = (pieces(from.as_ref()), pieces(to.as_ref()));
            let named = had.iter().filter(|(cell, _)| why.text.contains(&format!(" on {cell}")));
            let named: Vec<_> = named.collect();
            assert!(!named.is_empty(), "{name}");
            let stays = named.iter().any(|(cell, _)| has.iter().any(|(own, _)| own == cell));
            assert!(!stays, "{name}: it is still there after {last}");
        }
        Kind::Threat | Kind::Danger => {
            let (_, then) = why.text.split_once(" threatens ").unwrap();
            let then = then.strip_suffix(", which would win.").unwrap();
            let there = after(before, &why.line);
            let mut again = there.edited(Edit::Turn(there.turn().other())).unwrap();
            again.play(then).unwrap();
            assert_eq!(again.result(), Some(Outcome::Win(there.turn().other())), "{name}");
        }
        Kind::Proved => assert!(why.text.ends_with("that is proved."), "{name}"),
    }
}

#[test]
fn the_rules_bear_out_every_sentence() {
    let games: u64 = if std::env::var_os("QUADRILLE_LONG").is_some() { 40 } else { 4 };
    for entry in GAMES {
        let (mut told, mut mistakes) = (0, 0);
        for seed in 0..games {
            let turns = careless(entry, seed);
            let given = Given { turns: Some(turns.clone()), ..Given::start_of(entry.info.id) };
            let effort = Effort { nodes: Some(1_500.into()), ..Effort::default() };
            let mut review = Search { given, effort }.review(&Budget::OWN).unwrap();
            let mut desk = Desk::new(1);
            while let Some(judged) = review.step(&mut desk, &Stop::default()) {
                mistakes += usize::from(judged.mistake.is_some());
                let Some(why) = &judged.why else { continue };
                told += 1;
                let mut before = (entry.start)(&Default::default()).unwrap();
                turns[..judged.ply - 1].iter().for_each(|turn| before.play(turn).unwrap());
                check(before.as_ref(), &turns[judged.ply - 1], why);
            }
        }
        assert!(told > 0, "{}: {mistakes} mistakes, and nothing said of them", entry.info.id);
    }
}
