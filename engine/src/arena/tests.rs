//! Matches of players that answer from a list.

use super::archive::{read, write};
use super::players::Local;
use super::tally::Tally;
use super::*;
use crate::control::Limits;
use crate::registry::{GAMES, find};
use crate::who::Who;
use rules::Verdict;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Answers every question with the same text, or at random with none.
struct Parrot(Option<&'static str>, Local);

impl Player for Parrot {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.1.new_game(seed)
    }

    fn turn(&mut self, game: &dyn Session, stop: &Stop) -> Result<String, Fault> {
        match self.0 {
            Some("panic") => panic!("a parrot's panic"),
            Some("late") => Err(Fault::Time),
            Some(text) => Ok(text.into()),
            None => self.1.turn(game, stop),
        }
    }
}

fn parrot(name: &str, says: Option<&'static str>, made: &Arc<AtomicUsize>) -> Contestant {
    let made = made.clone();
    let make = move || -> Result<Box<dyn Player>, Fault> {
        made.fetch_add(1, Ordering::Relaxed);
        let random = Local::new(Who::Random, Limits::default(), &GAMES[0], 1);
        Ok(Box::new(Parrot(says, random)))
    };
    Contestant { name: name.into(), make: Box::new(make) }
}

const PLAN: Plan = Plan { games: 10, opening: 2, seed: 5, max_turns: 40, concurrency: 1 };

fn arena(game: &str, says: [Option<&'static str>; 2], plan: Plan) -> (Arena, Arc<AtomicUsize>) {
    let start = (find(game).unwrap().start)(&Default::default()).unwrap();
    let made = Arc::new(AtomicUsize::new(0));
    let [a, b] = says;
    let contestants = [parrot("A", a, &made), parrot("B", b, &made)];
    (Arena::new(start, contestants, plan).unwrap(), made)
}

fn play(arena: &Arena, done: &BTreeSet<usize>) -> Vec<Played> {
    let mut games = Vec::new();
    arena.run(done, &mut |played| {
        games.push(played);
        ControlFlow::Continue(())
    });
    games.sort_by_key(|played| played.number);
    games
}

fn moves(played: &Played) -> Vec<&str> {
    played.record.main.nodes.iter().map(|node| node.turn.as_str()).collect()
}

#[test]
fn a_pair_has_one_opening_and_two_first_players() {
    let (arena, _) = arena("six-making", [None, None], PLAN);
    let games = play(&arena, &BTreeSet::new());
    assert_eq!(games.len(), 10);
    for pair in games.chunks(2) {
        assert_eq!(moves(&pair[0])[..2], moves(&pair[1])[..2]);
        assert_eq!(pair[0].record.tag("Player1"), Some("A"));
        assert_eq!(pair[1].record.tag("Player1"), Some("B"));
        assert_eq!(pair[1].record.tag("Player2"), Some("A"));
    }
    assert_ne!(moves(&games[0])[..2], moves(&games[2])[..2]);
}

#[test]
fn threads_and_sittings_do_not_change_the_games() {
    for game in ["glaisher", "gekitai"] {
        let plan = Plan { games: 6, ..PLAN };
        let (one, _) = arena(game, [None, None], plan.clone());
        let (three, _) = arena(game, [None, None], Plan { concurrency: 3, ..plan });
        let games = play(&one, &BTreeSet::new());
        let rest = play(&three, &BTreeSet::from([1, 4]));
        let numbers: Vec<_> = rest.iter().map(|played| played.number).collect();
        assert_eq!(numbers, [0, 2, 3, 5]);
        for played in rest {
            assert_eq!(moves(&played), moves(&games[played.number]));
        }
    }
}

#[test]
fn a_match_goes_on_where_its_file_ends() {
    let (arena, _) = arena("gekitai", [None, None], PLAN);
    let all = play(&arena, &BTreeSet::new());
    let file: String = all.iter().take(4).map(write).collect();
    let torn = write(&all[4]);
    for cut in 0..torn.trim_end().len() {
        let text = format!("{file}{}", &torn[..cut]);
        let archive = read(text.as_bytes()).unwrap();
        assert_eq!(archive.games.len(), 4, "cut after {cut} bytes");
        assert_eq!(archive.bytes, file.len());
    }
    let archive = read(file.as_bytes()).unwrap();
    archive.games.iter().for_each(|played| arena.check(played).unwrap());
    let done = archive.games.iter().map(|played| played.number).collect();
    let rest = play(&arena, &done);
    assert_eq!(rest.len(), 6);
    let (mut whole, mut sittings) = (Tally::default(), Tally::default());
    all.iter().for_each(|played| whole.add(played));
    archive.games.iter().chain(&rest).for_each(|played| sittings.add(played));
    assert_eq!(whole.sides, sittings.sides);
    assert_eq!(whole.pairs(), sittings.pairs());
    assert_eq!(whole.turns_per_game(), sittings.turns_per_game());
}

#[test]
fn a_file_of_something_else_is_refused() {
    let (arena, _) = arena("gekitai", [None, None], Plan { games: 2, ..PLAN });
    let games = play(&arena, &BTreeSet::new());
    let (one, two) = (write(&games[0]), write(&games[1]));
    assert_eq!(read(b"").unwrap().games.len(), 0);
    let refused = [
        ("# A letter to my aunt\n".to_owned(), "record from line 1"),
        (format!("{one}{one}"), "round 1 appears twice"),
        (format!("{}{two}", &one[..40]), "record from line 1"),
        (two.replace("[Termination \"", "[Termination \"boredom of "), "is not a reason"),
        (two.replace("[Round", "[Bout"), "it lacks the tag `Round`"),
    ];
    for (text, expected) in refused {
        let error = read(text.as_bytes()).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
    // The tear goes through a character.
    let torn = [one.as_bytes(), b"[Game \"", &"é".as_bytes()[..1]].concat();
    assert_eq!(read(&torn).unwrap().bytes, one.len());
}

#[test]
fn games_of_another_match_are_refused() {
    let (own, _) = arena("gekitai", [None, None], PLAN);
    let refusal = |played: &Played| own.check(played).unwrap_err();
    let first = |arena: &Arena| play(arena, &(1..10).collect()).remove(0);
    let (other_game, _) = arena("six-making", [None, None], PLAN);
    assert_eq!(refusal(&first(&other_game)), "Game is `six-making`, expected `gekitai`");
    let (other_seed, _) = arena("gekitai", [None, None], Plan { seed: 6, ..PLAN });
    assert!(refusal(&first(&other_seed)).contains("another opening"));
    let (longer, _) = arena("gekitai", [None, None], Plan { opening: 3, ..PLAN });
    assert_eq!(refusal(&first(&longer)), "Opening is `3`, expected `2`");
    let mut swapped = first(&own);
    swapped.number = 1;
    assert_eq!(refusal(&swapped), "Player1 is `A`, expected `B`");
}

#[test]
fn a_fault_loses_the_game_and_makes_a_new_player() {
    for (says, ending) in
        [("zz", "illegal move: `zz` is not a move"), ("late", "time"), ("panic", "crash")]
    {
        let (arena, made) = arena("gekitai", [None, Some(says)], Plan { games: 4, ..PLAN });
        let games = play(&arena, &BTreeSet::new());
        let mut tally = Tally::default();
        for played in &games {
            let winner = if played.number % 2 == 0 { Side::One } else { Side::Two };
            assert_eq!(played.result, Verdict::Win(winner));
            let tag = played.record.tag("Termination").unwrap();
            assert!(tag.starts_with(ending), "{tag}");
            let again = read(write(played).as_bytes()).unwrap().games.remove(0);
            assert_eq!((again.ending, again.result), (played.ending.clone(), played.result));
            tally.add(played);
        }
        assert_eq!(tally.total().wins, 4);
        assert!(tally.faults[0].is_empty());
        assert_eq!(tally.faults[1].values().sum::<u64>(), 4);
        // One A for all games, and a new B for each.
        assert_eq!(made.load(Ordering::Relaxed), 5);
    }
}

#[test]
fn too_many_turns_are_a_draw() {
    let (arena, _) = arena("jeson-mor", [None, None], Plan { games: 2, max_turns: 5, ..PLAN });
    for played in play(&arena, &BTreeSet::new()) {
        assert_eq!((played.result, &played.ending), (Verdict::Draw, &Ending::TurnLimit));
        assert_eq!((moves(&played).len(), played.own_turns()), (5, [2, 1].into()));
        assert_eq!(played.record.tag("Result"), Some("1/2-1/2"));
    }
}

#[test]
fn a_match_ends_when_its_caller_has_seen_enough() {
    let (arena, _) = arena("gekitai", [None, None], Plan { concurrency: 3, ..PLAN });
    let mut seen = 0;
    arena.run(&BTreeSet::new(), &mut |_| {
        seen += 1;
        if seen == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, 2);
}
