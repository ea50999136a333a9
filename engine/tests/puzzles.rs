//! Every shipped puzzle has the one solution it claims.
//!
//! Showing that there is no other takes long: a short run does it for every eighth puzzle, a long one for all.

use crate::effort::is_long;
use engine::control::{Control, Limits, Stop};
use engine::play::Play;
use engine::puzzles::{Puzzle, shipped};
use engine::session::{Course, Match, Position};
use engine::solve::bound::{Bounder, Bounds, Count};
use rules::{Outcome, Player};
use std::collections::HashSet;

/// Every whole turn, with the position after it.
fn append_turns<G: Play>(pos: &G, begun: &str, out: &mut Vec<(String, G)>) {
    for m in pos.moves() {
        let next = pos.after(m);
        let text = format!("{begun}{m}");
        if next.turn() == pos.turn() && next.outcome().is_none() {
            append_turns(&next, &text, out);
        } else {
            out.push((text, next));
        }
    }
}

/// Whether a player wins with this turn, by trying all turns.
fn wins_now<G: Play>(pos: &G, player: Player) -> bool {
    let mut turns = Vec::new();
    append_turns(pos, "", &mut turns);
    turns.iter().any(|(_, next)| next.outcome() == Some(Outcome::Win(player)))
}

/// In two turns, by the rules alone: after this turn, does every reply leave a win?
fn every_reply_loses<G: Play>(pos: &G, player: Player) -> bool {
    let mut replies = Vec::new();
    append_turns(pos, "", &mut replies);
    replies.iter().all(|(_, next)| match next.outcome() {
        Some(outcome) => outcome == Outcome::Win(player),
        None => wins_now(next, player),
    })
}

/// With more turns than this there are too many pairs to try: Glaisher has millions.
const PLAIN: usize = 300;

/// No other turn than the solution's wins as soon, and that one does not win sooner than it claims.
fn has_one_solution<G: Play>(puzzle: &Puzzle) {
    let pos = G::from_text(&puzzle.position, &G::Options::default()).unwrap();
    let player = pos.turn();
    let mut turns = Vec::new();
    append_turns(&pos, "", &mut turns);
    let judge = G::Judge::default();
    let mut bounds = Bounds::new(16);
    let mut within = |next: &G, more: u32| {
        let control = Control::new(&Limits::default(), &Stop::default());
        let mut bounder = Bounder::new(&judge, &mut bounds, &control, player, Count::Turns);
        bounder.wins(next, 2 * more).unwrap()
    };
    let winning: Vec<_> =
        turns.iter().filter(|(_, next)| within(next, puzzle.only - 1)).map(|(t, _)| t).collect();
    assert_eq!(winning, [&puzzle.solution[0]], "{}", puzzle.record);
    let (_, next) = turns.iter().find(|(turn, _)| *turn == puzzle.solution[0]).unwrap();
    assert!(within(next, puzzle.turns - 1) && !within(next, puzzle.turns - 2), "{}", puzzle.record);
    if turns.len() <= PLAIN && puzzle.turns == 2 {
        let winning = turns
            .iter()
            .filter(|(_, next)| next.outcome().is_none() && every_reply_loses(next, player));
        let winning: Vec<_> = winning.map(|(turn, _)| turn).collect();
        assert_eq!(winning, [&puzzle.solution[0]], "{}", puzzle.record);
    }
}

fn check<G: Play>() {
    let puzzles = shipped(G::INFO.id);
    assert!(puzzles.is_sorted_by_key(|puzzle| puzzle.rating), "they go from easy to hard");
    let mut keys = HashSet::new();
    for (i, puzzle) in puzzles.iter().enumerate() {
        assert!((2..=5).contains(&puzzle.turns) && puzzle.only >= puzzle.turns);
        let mut game = Match::new(G::from_text(&puzzle.position, &G::Options::default()).unwrap());
        let (key, mover) = (game.position().canonical_key(), game.turn());
        assert!(keys.insert(key), "twice: {}", puzzle.position);
        puzzle.solution.iter().for_each(|turn| game.play(turn).unwrap());
        assert_eq!(game.outcome(), Some(Outcome::Win(mover)));
        assert_eq!(puzzle.solution.len() as u32, 2 * puzzle.turns - 1);
        if i % (puzzles.len() / 8).max(1) == 0 || is_long() {
            has_one_solution::<G>(puzzle);
        }
    }
}

macro_rules! games {
    ($($name:ident: $game:ty,)*) => {$(
        #[test]
        fn $name() {
            super::check::<$game>();
        }
    )*};
}

mod puzzles_of_every_game_have_one_solution {
    rules::every_game!(games);
}

#[test]
fn the_puzzles_of_a_game_fill_their_files() {
    for game in ["glaisher", "gekitai", "jeson-mor", "six-making"] {
        let (count, all) = (engine::puzzles::count(game), shipped(game));
        assert!(count >= 100 && all.len() == count, "{game}: {} of {count}", all.len());
    }
    assert!(shipped("chess").is_empty());
}
