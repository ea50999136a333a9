//! Random play, for measuring and testing.

use crate::Session;
use rules::random::Random;
use rules::{ByPlayer, Game};

/// The results of playouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of games.
    pub games: u64,
    /// Moves of all games.
    pub moves: u64,
    /// Games won by player 1 and by player 2.
    pub wins: ByPlayer<u64>,
    /// Games cut off at the move limit.
    pub stopped: u64,
}

/// A random turn of a match, step by step, since listing whole turns is slow; empty if the game is over.
pub fn random_turn(session: &dyn Session, random: &mut Random) -> String {
    let (mut next, mut turn) = (session.boxed_clone(), String::new());
    while next.turn() == session.turn() && next.outcome().is_none() {
        let steps = next.steps();
        let Some(step) = random.pick(&steps).filter(|step| next.play(&step.text).is_ok()) else {
            break;
        };
        turn.push_str(&step.text);
    }
    turn
}

/// The move limit, since random play may never end; nearly all games end far below it.
const LIMIT: u64 = 2_000;

/// Plays games with uniformly random moves from a position; all draw from one sequence that starts at `seed`.
pub fn run<G: Game>(start: &G, games: u64, seed: u64) -> Count {
    let mut random = Random::new(seed);
    let mut count = Count::default();
    let mut moves = Vec::new();
    for _ in 0..games {
        let mut pos = start.clone();
        let mut left = LIMIT;
        while left > 0 && pos.outcome().is_none() {
            moves.clear();
            pos.append_moves(&mut moves);
            let Some(m) = random.pick(&moves) else { break };
            pos.play_unchecked(*m);
            left -= 1;
        }
        count.games += 1;
        count.moves += LIMIT - left;
        match pos.outcome() {
            Some(outcome) => {
                if let Some(winner) = outcome.winner() {
                    count.wins[winner] += 1;
                }
            }
            None => count.stopped += 1,
        }
    }
    count
}
