use super::*;
use crate::think::Search;
use crate::{Budget, Desk, Effort, Given};
use engine::solve::follow;
use engine::{GAMES, Limits, Stop};
use rules::diagram::Tone;
use rules::random::Random;

/// A game with occasional random turns.
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

/// The game after these further turns.
fn after(session: &dyn Session, turns: &[String]) -> Box<dyn Session> {
    let mut session = session.boxed_clone();
    turns.iter().for_each(|turn| session.play(turn).unwrap());
    session
}

/// Checks by the rules that a sentence is true, parsing the sentence itself.
fn check(before: &dyn Session, played: &str, why: &Why) {
    let (mover, name) = (before.turn(), format!("{} {played}: {why:?}", before.text()));
    let won = |turns: &[String], who| after(before, turns).result() == Some(Outcome::Win(who));
    let said = |turn: &str| assert!(why.text.contains(turn), "{name}: does not name {turn}");
    let both = [Kind::Allowed, Kind::Lost, Kind::Behind, Kind::Taken, Kind::Danger];
    let both = both.contains(&why.kind);
    why.line.iter().take(if both { 2 } else { 1 }).for_each(|turn| said(turn));
    let (last, init) = why.line.split_last().unwrap();
    let opponents =
        [Kind::Allowed, Kind::Proved, Kind::Lost, Kind::Behind, Kind::Taken, Kind::Danger];
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
        Kind::Behind | Kind::Ahead => {
            let who = if why.kind == Kind::Ahead { mover } else { mover.other() };
            let owns = |turns: &[String]| {
                let session = after(before, turns);
                [
                    knights_on_ring(session.as_ref(), who),
                    knights_on_ring(session.as_ref(), who.other()),
                ]
            };
            let ([had, less], [has, rest]) = (owns(init), owns(&why.line));
            let had_not = had <= less || !why.text.contains(" gives ");
            assert!(has > rest && had_not, "{name}: {had}:{less}, then {has}:{rest}");
            let who = before.info().players[who];
            assert!(why.text.contains(&format!(" {who} ")), "{name}");
            let what = format!(" the majority on the ring, {has} to {rest}.");
            assert!(why.text.ends_with(&what), "{name}");
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
            let (then, how) =
                then.strip_suffix('.').unwrap().split_once(", which would win").unwrap();
            let there = after(before, &why.line);
            let mut again = there.edited(Edit::Turn(there.turn().other())).unwrap();
            again.play(then).unwrap();
            assert_eq!(again.result(), Some(Outcome::Win(there.turn().other())), "{name}");
            assert!(again.diagram().status.ends_with(how), "{name}: {}", again.diagram().status);
        }
        Kind::Proved => {
            let wins = |player: &Player| {
                let words =
                    format!(" {} wins by force; this is proved.", before.info().players[*player]);
                why.text.ends_with(&words)
            };
            match Player::BOTH.into_iter().find(wins) {
                Some(winner) => assert!(is_won_by(after(before, &why.line[..1]), winner), "{name}"),
                None => assert!(
                    why.text.ends_with(" nobody can force a win; this is proved."),
                    "{name}"
                ),
            }
        }
    }
}

/// How many of a player's knights are one jump from the centre, judging by the names of the cells.
fn knights_on_ring(session: &dyn Session, player: Player) -> usize {
    let diagram = session.diagram();
    let place = |name: &str| {
        let (column, row) = name.split_at(1);
        (i32::from(column.as_bytes()[0] - b'a'), row.parse::<i32>().unwrap() - 1)
    };
    let middle = diagram.cells.iter().find(|cell| cell.tone == Tone::Goal).unwrap();
    let (x, y) = place(&middle.name);
    let on_ring = diagram.cells.iter().filter(|cell| {
        let (column, row) = place(&cell.name);
        let knight = cell.piece.as_ref().is_some_and(|piece| piece.owner == player);
        knight && ((column - x) * (row - y)).abs() == 2
    });
    on_ring.count()
}

/// Whether a player wins if both follow the proof, and search where it is silent.
fn is_won_by(mut session: Box<dyn Session>, winner: Player) -> bool {
    let mut thinker = (engine::find(session.info().id).unwrap().thinker)(1);
    for _ in 0..120 {
        if let Some(result) = session.result() {
            return result == Outcome::Win(winner);
        }
        let told = follow::said(session.as_ref(), false).ok().and_then(|said| said.turn);
        let turn = told
            .map(|(turn, _)| turn)
            .or_else(|| thinker.turn(session.as_ref(), &Limits::nodes(4_000), &Stop::default()));
        session.play(&turn.unwrap()).unwrap();
    }
    false
}

#[test]
fn who_is_said_to_win_by_proof_wins_when_both_do_their_best() {
    let entry = engine::find("gekitai").unwrap();
    let before = (entry.start)(&Default::default()).unwrap();
    let mistake = |winner| Mistake {
        before: before.as_ref(),
        played: "f6",
        better: &[],
        answer: &[],
        proved: Some(Some(winner)),
    };
    check(before.as_ref(), "f6", &mistake(Player::Two).why().unwrap());
    let wrong = mistake(Player::One).why().unwrap();
    assert_eq!(wrong.text, "After f6 X wins by force; this is proved.");
    assert!(!is_won_by(after(before.as_ref(), &wrong.line), Player::One), "the check sees nothing");
}

#[test]
fn a_threat_says_how_it_would_win() {
    let entry = engine::find("gekitai").unwrap();
    let before = (entry.from_text)("xx4/6/6/6/6/oo4 1", &Default::default()).unwrap();
    let better = ["e4".to_owned()];
    let mistake = Mistake {
        before: before.as_ref(),
        played: "f3",
        better: &better,
        answer: &[],
        proved: None,
    };
    let why = mistake.why().unwrap();
    assert!(why.text.ends_with(", which would win with three in a row."), "{}", why.text);
    check(before.as_ref(), "f3", &why);
}

#[test]
fn the_majority_on_the_ring_is_told() {
    let entry = engine::find("jeson-mor").unwrap();
    let before = (entry.from_text)("n1nn1/5/5/N4/2N1N 1", &Default::default()).unwrap();
    let line = |turns: &str| turns.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let why = |played: &str, better: &str, answer: &str| {
        let (better, answer) = (line(better), line(answer));
        let mistake = Mistake {
            before: before.as_ref(),
            played,
            better: &better,
            answer: &answer,
            proved: None,
        };
        let why = mistake.why()?;
        check(before.as_ref(), played, &why);
        Some(why.text)
    };
    let told = |text: &str| Some(text.to_owned());
    let left = why("a2-b4", "c1-e2 c5-a4", "c5-e4");
    assert_eq!(left, told("After a2-b4 Black has the majority on the ring, 1 to 0."));
    let let_in = why("e1-c2", "c1-e2 c5-a4", "c5-a4 c2-a3");
    let words = "After e1-c2, c5-a4 gives Black the majority on the ring, 2 to 1.";
    assert_eq!(let_in, told(words));
    let missed = why("e1-c2", "c1-e2 a5-b3", "a5-c4");
    assert_eq!(missed, told("c1-e2 gives White the majority on the ring, 2 to 1."));
    // A majority that the reply takes away again is no reason.
    assert_eq!(why("e1-c2", "c1-e2 c5-a4", "a5-c4"), None);
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
