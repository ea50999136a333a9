//! Matches: two players, many games, sides swapped.
//!
//! Game `2n` and game `2n + 1` begin with the same opening; in the first of them player A moves first, in the
//! second player B. Openings and the players' random numbers follow from the seed and the number of the game
//! alone, so the order of the games, the number of threads and interruptions make no difference.
//!
//! This module plays and counts. The caller provides the players, stores the records and shows the progress:
//! see `docs/arena.md`.

pub mod archive;
mod game;
pub mod openings;
pub mod players;
pub mod ratings;
pub mod stats;
pub mod tally;
#[cfg(test)]
mod tests;

pub use game::{Ending, Played};

use crate::control::Stop;
use crate::session::Session;
use game::{Fixture, Team};
use openings::Openings;
use rules::Player as Side;
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};

/// A player of a match. Each thread of a match has players of its own.
pub trait Player: Send {
    /// Prepares for a new game; its random choices follow from `seed`.
    fn new_game(&mut self, seed: u64) -> Result<(), Fault>;

    /// A turn, or a move of one, for the side to move of a game that is not over. The player keeps its own
    /// time. Once `stop` is set, the answer no longer counts.
    fn turn(&mut self, game: &dyn Session, stop: &Stop) -> Result<String, Fault>;
}

/// A fault that loses a game. The player is replaced by a new one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// An illegal turn.
    Illegal(String),
    /// The player crashed, or never started.
    Crash(String),
    /// No answer in time.
    Time,
    /// An answer that makes no sense.
    Garbage(String),
}

/// A participant: a name, and a factory that makes a player for each thread.
pub struct Contestant {
    /// The name in records and tables.
    pub name: String,
    /// Makes a player.
    pub make: Box<dyn Fn() -> Result<Box<dyn Player>, Fault> + Send + Sync>,
}

/// The settings of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// How many games are played.
    pub games: usize,
    /// Random opening turns of each game.
    pub opening: usize,
    /// The seed of all random numbers of the match.
    pub seed: u64,
    /// A game of this many turns, those of the opening included, is a draw.
    pub max_turns: usize,
    /// Games played at the same time.
    pub concurrency: usize,
}

/// A match of two contestants.
pub struct Arena {
    contestants: [Contestant; 2],
    plan: Plan,
    /// One for each start position; the pairs of games cycle through them.
    openings: Mutex<Vec<Openings>>,
}

/// Which contestant, 0 or 1, plays a side of a game.
pub fn contestant(number: usize, side: Side) -> usize {
    (number + side.index()) % 2
}

impl Arena {
    /// A match from this start position; an error if games rarely last longer than the opening.
    pub fn new(
        start: Box<dyn Session>,
        contestants: [Contestant; 2],
        plan: Plan,
    ) -> Result<Arena, String> {
        Arena::from_starts(vec![start], contestants, plan)
    }

    /// A match whose pairs of games cycle through these start positions, of which there must be at least one.
    pub fn from_starts(
        starts: Vec<Box<dyn Session>>,
        contestants: [Contestant; 2],
        plan: Plan,
    ) -> Result<Arena, String> {
        let openings = starts.iter().map(|start| {
            Openings::new(start.as_ref(), plan.opening, plan.seed).ok_or_else(|| {
                format!("hardly any game outlasts an opening of {} turns", plan.opening)
            })
        });
        let openings = openings.collect::<Result<Vec<_>, _>>()?;
        if openings.is_empty() {
            return Err("a match needs a start position".into());
        }
        Ok(Arena { contestants, plan, openings: Mutex::new(openings) })
    }

    /// Passes on the openings of a pair's start position and the pair's number among them.
    fn opening<T>(&self, pair: usize, see: impl FnOnce(&mut Openings, usize) -> T) -> T {
        let mut all = lock(&self.openings);
        let count = all.len();
        see(&mut all[pair % count], pair / count)
    }

    /// The names of the contestants.
    pub fn names(&self) -> [&str; 2] {
        self.contestants.each_ref().map(|contestant| contestant.name.as_str())
    }

    /// How the match is played.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Makes each player once, to find out before the match whether it starts.
    pub fn try_players(&self) -> Result<(), String> {
        for contestant in &self.contestants {
            (contestant.make)()
                .map_err(|fault| format!("player `{}`: {}", contestant.name, fault.detail()))?;
        }
        Ok(())
    }

    /// Checks that a game read back from a file belongs to this match.
    pub fn check(&self, played: &Played) -> Result<(), String> {
        let record = &played.record;
        let own = self.opening(played.number / 2, |openings, _| openings.start().record(&[]));
        for tag in ["Game", "Options"] {
            same(tag, record.tag(tag).unwrap_or_default(), own.tag(tag).unwrap_or_default())?;
        }
        for (tag, side) in [("Player1", Side::One), ("Player2", Side::Two)] {
            let name = self.names().into_iter().nth(contestant(played.number, side));
            same(tag, record.tag(tag).unwrap_or_default(), name.unwrap_or_default())?;
        }
        let opening =
            self.opening(played.number / 2, |openings, number| openings.turns(number).to_vec());
        same("Opening", &played.opening.to_string(), &opening.len().to_string())?;
        let turns = record.main.nodes.iter().map(|node| node.turn.as_str());
        match turns.take(opening.len()).eq(opening.iter().map(String::as_str)) {
            true => Ok(()),
            false => Err("it begins with another opening: was another seed used?".into()),
        }
    }

    /// Plays the games that are not `done`, reports each as it ends, and stops early on request.
    pub fn run(&self, done: &BTreeSet<usize>, each: &mut dyn FnMut(Played) -> ControlFlow<()>) {
        let missing = (0..self.plan.games).filter(|number| !done.contains(number));
        let missing = Mutex::new(missing);
        let next = || lock(&missing).next();
        let stop = Stop::default();
        let (sender, finished) = channel();
        std::thread::scope(|scope| {
            for _ in 0..self.plan.concurrency.max(1) {
                let (sender, stop) = (sender.clone(), &stop);
                scope.spawn(move || self.work(&next, stop, &sender));
            }
            drop(sender);
            for played in finished {
                if each(played).is_break() {
                    stop.stop();
                    return;
                }
            }
        });
    }

    /// A worker thread: plays game after game with the same two players.
    fn work(&self, next: &dyn Fn() -> Option<usize>, stop: &Stop, finished: &Sender<Played>) {
        let mut team = Team::new(&self.contestants);
        while let Some(number) = next() {
            let fixture = self.fixture(number);
            let Some(played) = fixture.play(&mut team, stop) else { return };
            if finished.send(played).is_err() {
                return;
            }
        }
    }

    fn fixture(&self, number: usize) -> Fixture {
        let game = self.opening(number / 2, |openings, number| openings.game(number));
        Fixture { number, seed: self.plan.seed, max_turns: self.plan.max_turns, game }
    }
}

fn same(tag: &str, read: &str, expected: &str) -> Result<(), String> {
    match read == expected {
        true => Ok(()),
        false => Err(format!("{tag} is `{read}`, expected `{expected}`")),
    }
}

/// Locks ignoring poison: no thread leaves the data inconsistent when it panics.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
