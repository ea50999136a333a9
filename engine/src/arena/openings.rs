//! Random openings, the same for both games of a pair.

use crate::control::{Limits, Stop};
use crate::registry::find;
use crate::session::Session;
use rules::random::Random;
use std::collections::HashSet;

/// Attempts to find a new, undecided opening before any other is accepted.
const TRIES: u64 = 100;
/// Node limit of the search that tells whether an opening is decided.
const NODES: u64 = 4_000;

/// The openings of a match, generated in order. They depend on the seed alone, so that a match can be resumed
/// and extended.
pub struct Openings {
    start: Box<dyn Session>,
    turns: usize,
    seed: u64,
    made: Vec<Vec<String>>,
    /// The positions they lead to.
    seen: HashSet<String>,
}

impl Openings {
    /// Openings of this length; `None` if games hardly ever last that long.
    pub fn new(start: &dyn Session, turns: usize, seed: u64) -> Option<Openings> {
        let mut openings = Openings {
            start: start.boxed_clone(),
            turns,
            seed,
            made: Vec::new(),
            seen: HashSet::new(),
        };
        let first = openings.search(0)?;
        openings.made.push(first);
        Some(openings)
    }

    /// The position before all openings.
    pub fn start(&self) -> &dyn Session {
        self.start.as_ref()
    }

    /// The turns of a pair's opening.
    pub fn turns(&mut self, pair: usize) -> &[String] {
        while self.made.len() <= pair {
            let number = self.made.len();
            let next = self.search(number as u64).or_else(|| self.made.first().cloned());
            self.made.push(next.unwrap_or_default());
        }
        self.made.get(pair).map_or(&[], Vec::as_slice)
    }

    /// The game after a pair's opening.
    pub fn game(&mut self, pair: usize) -> Box<dyn Session> {
        let mut game = self.start.boxed_clone();
        for turn in self.turns(pair) {
            // Generated openings are legal.
            let _ = game.play(turn);
        }
        game
    }

    /// An opening that leaves the game open and is new, if possible.
    fn search(&mut self, number: u64) -> Option<Vec<String>> {
        let mut random = Random::new(self.seed ^ Random::new(number).next_u64());
        let mut last = None;
        for _ in 0..TRIES {
            let Some(game) = wander(self.start.as_ref(), self.turns, &mut random) else { continue };
            let fresh = self.seen.insert(game.text());
            last = Some(game.history());
            if self.turns == 0 || (fresh && !is_decided(game.as_ref())) {
                break;
            }
        }
        last
    }
}

/// Whether a short search proves a winner: such an opening would say nothing about the players.
fn is_decided(game: &dyn Session) -> bool {
    let Some(entry) = find(game.info().id) else { return false };
    let view = (entry.thinker)(1).think(game, &Limits::nodes(NODES), &Stop::default(), &mut |_| {});
    view.is_some_and(|view| view.lines.iter().any(|line| line.win_in.is_some()))
}

/// A game after this many random turns; `None` if it is over.
fn wander(start: &dyn Session, turns: usize, random: &mut Random) -> Option<Box<dyn Session>> {
    let mut game = start.boxed_clone();
    for _ in 0..turns {
        let mover = game.turn();
        while game.turn() == mover && game.result().is_none() {
            let step = random.pick(&game.steps())?.text.clone();
            game.play(&step).ok()?;
        }
        if game.result().is_some() {
            return None;
        }
    }
    Some(game)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::GAMES;

    fn openings(game: &str, turns: usize, seed: u64) -> Option<Openings> {
        let start = (find(game).unwrap().start)(&Default::default()).unwrap();
        Openings::new(start.as_ref(), turns, seed)
    }

    #[test]
    fn openings_follow_from_the_seed_and_leave_the_game_open() {
        for entry in GAMES {
            let id = entry.info.id;
            let (mut one, mut same) = (openings(id, 4, 7).unwrap(), openings(id, 4, 7).unwrap());
            // They are the same when asked for in another order.
            let eighth = same.turns(8).to_vec();
            let all: Vec<_> = (0..9).map(|pair| one.turns(pair).to_vec()).collect();
            assert_eq!(all[8], eighth);
            assert!(all.iter().all(|turns| turns.len() == 4), "{id}: {all:?}");
            assert_eq!(all.iter().collect::<HashSet<_>>().len(), 9, "{id} repeats itself");
            let game = one.game(3);
            assert_eq!((game.history(), game.result()), (all[3].clone(), None));
            assert_ne!(openings(id, 4, 8).unwrap().turns(0), all[0]);
        }
    }

    #[test]
    fn no_turns_lead_to_the_start_every_time() {
        let mut none = openings("gekitai", 0, 1).unwrap();
        assert!(none.turns(0).is_empty() && none.turns(5).is_empty());
    }

    #[test]
    fn an_opening_longer_than_any_game_is_refused() {
        assert!(openings("gekitai", 100_000, 1).is_none());
    }

    #[test]
    fn when_all_openings_are_used_they_come_again() {
        let mut one_turn = openings("gekitai", 1, 1).unwrap();
        assert_eq!(one_turn.turns(60).len(), 1);
        assert_eq!(one_turn.seen.len(), 36);
    }
}
