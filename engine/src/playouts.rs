//! Random games, for measuring speed.

use rules::Game;
use rules::random::Random;

/// What random games came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How many games there were.
    pub games: u64,
    /// How many moves they took together.
    pub moves: u64,
    /// Games won by player 1 and by player 2.
    pub wins: [u64; 2],
    /// Games that were ended at the limit of moves.
    pub stopped: u64,
}

/// Random play can go on for ever; nearly all games end far below this many moves.
const LIMIT: u64 = 2_000;

/// Plays games from a position with moves drawn uniformly, each game from one sequence of `seed`.
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
                    count.wins[winner.index()] += 1;
                }
            }
            None => count.stopped += 1,
        }
    }
    count
}
