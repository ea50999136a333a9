//! The score of a match, from the first contestant's point of view.

use super::stats::{Elo, Pairs, Wdl};
use super::{Ending, Played, contestant};
use rules::{Player as Side, Verdict};
use std::collections::BTreeMap;
use std::time::Duration;

/// The score so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally {
    /// The first contestant's games when it moved first, and when it moved second.
    pub sides: [Wdl; 2],
    /// Each contestant's faults, with the number of games they lost.
    pub faults: [BTreeMap<&'static str, u64>; 2],
    /// Drawn games by reason.
    pub draws: BTreeMap<String, u64>,
    turns: u64,
    own_turns: [u64; 2],
    time: [Duration; 2],
    /// Half points of the first contestant in the games of each pair.
    pairs: BTreeMap<usize, [Option<u8>; 2]>,
}

impl Tally {
    /// Counts a game.
    pub fn add(&mut self, played: &Played) {
        let side = if contestant(played.number, Side::One) == 0 { Side::One } else { Side::Two };
        let half_points = match played.result {
            Verdict::Win(winner) if winner == side => 2,
            Verdict::Win(_) => 0,
            Verdict::Draw | Verdict::Open => 1,
        };
        let [first, second] = &mut self.sides;
        let wdl = if side == Side::One { first } else { second };
        match half_points {
            2 => wdl.wins += 1,
            1 => wdl.draws += 1,
            _ => wdl.losses += 1,
        }
        let [even, odd] = self.pairs.entry(played.number / 2).or_default();
        *(if played.number.is_multiple_of(2) { even } else { odd }) = Some(half_points);
        self.add_ending(played);
        self.add_times(played);
    }

    fn add_ending(&mut self, played: &Played) {
        match (&played.ending, played.result) {
            (Ending::Fault(fault), Verdict::Win(winner)) => {
                let guilty = contestant(played.number, winner.other());
                if let Some(faults) = self.faults.get_mut(guilty) {
                    *faults.entry(fault.kind()).or_default() += 1;
                }
            }
            (ending, Verdict::Draw) => *self.draws.entry(ending.to_string()).or_default() += 1,
            _ => {}
        }
    }

    fn add_times(&mut self, played: &Played) {
        self.turns += played.record.main.nodes.len() as u64;
        let own_turns = played.own_turns();
        for side in Side::BOTH {
            let who = contestant(played.number, side);
            if let (Some(all), Some(sum)) = (self.own_turns.get_mut(who), self.time.get_mut(who)) {
                *all += own_turns[side] as u64;
                *sum += played.time[side];
            }
        }
    }

    /// All games of the first contestant.
    pub fn total(&self) -> Wdl {
        let [first, second] = self.sides;
        first + second
    }

    /// The results of complete pairs.
    pub fn pairs(&self) -> Pairs {
        let mut pairs = Pairs::default();
        for pair in self.pairs.values() {
            if let [Some(one), Some(other)] = *pair
                && let Some(count) = pairs.0.get_mut(usize::from(one + other))
            {
                *count += 1;
            }
        }
        pairs
    }

    /// The Elo difference in favour of the first contestant.
    pub fn elo(&self) -> Option<Elo> {
        Elo::of(self.total(), self.pairs())
    }

    /// The mean length of a game in turns, those of the opening included.
    pub fn turns_per_game(&self) -> f64 {
        self.turns as f64 / self.total().games().max(1) as f64
    }

    /// The mean thinking time of each contestant for a turn.
    pub fn time_per_turn(&self) -> [Duration; 2] {
        let [a, b] = self.own_turns;
        let [time_a, time_b] = self.time;
        [time_a.div_f64(a.max(1) as f64), time_b.div_f64(b.max(1) as f64)]
    }
}
