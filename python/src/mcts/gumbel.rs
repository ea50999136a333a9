//! How a search with few simulations spends them: Gumbel AlphaZero, after Danihelka, Guez, Schrittwieser and Silver,
//! "Policy improvement by planning with Gumbel" (2022).
//!
//! At the root, the moves with the highest sums of prior and noise are considered, and half of them are dropped again
//! and again (sequential halving). Below it, visits follow the improved policy. Values are 0 to 1 here.

use rules::random::Random;

/// How much values count against priors: the paper's constants for board games.
const VISIT: f32 = 50.0;
const SCALE: f32 = 1.0;
/// The prior that stands for a prior of 0.
const LEAST: f32 = 1e-9;

/// A move of a node.
#[derive(Clone, Copy, Debug)]
pub struct Arm {
    /// Its prior.
    pub prior: f32,
    /// Its visits, those that wait included.
    pub visits: u32,
    /// Its value to the player who makes it, -1 to 1, once it has been visited.
    pub value: Option<f32>,
}

impl Arm {
    fn logit(&self) -> f32 {
        self.prior.max(LEAST).ln()
    }
}

/// Priors as logarithms plus values: those of moves without visits are the node's own value, mixed from the network's
/// and from what was searched. `own` is the network's.
fn improved(arms: &[Arm], own: f32) -> Vec<f32> {
    let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
    let (mut known, mut share) = (0.0, 0.0);
    for (arm, value) in arms.iter().filter_map(|arm| Some((arm, arm.value?))) {
        known += arm.prior.max(LEAST) * value;
        share += arm.prior.max(LEAST);
    }
    let mixed = match share > 0.0 {
        true => (own + visits as f32 * known / share) / (1.0 + visits as f32),
        false => own,
    };
    let most = arms.iter().map(|arm| arm.visits).max().unwrap_or(0);
    let scale = (VISIT + most as f32) * SCALE;
    let one = |arm: &Arm| arm.logit() + scale * (arm.value.unwrap_or(mixed) + 1.0) / 2.0;
    arms.iter().map(one).collect()
}

/// The improved policy.
pub fn policy(arms: &[Arm], own: f32) -> Vec<f32> {
    let mut all = improved(arms, own);
    let highest = all.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    all.iter_mut().for_each(|one| *one = (*one - highest).exp());
    let sum: f32 = all.iter().sum();
    all.iter_mut().for_each(|one| *one /= sum);
    all
}

/// The move below the root whose visits lie furthest behind the improved policy.
pub fn below(arms: &[Arm], own: f32) -> usize {
    let visits: u32 = arms.iter().map(|arm| arm.visits).sum();
    let behind = |(share, arm): (f32, &Arm)| share - arm.visits as f32 / (1.0 + visits as f32);
    best(policy(arms, own).into_iter().zip(arms).map(behind))
}

/// The move of the root that is visited next: the best of those with this many visits.
pub fn root(arms: &[Arm], own: f32, noise: &[f32], visits: u32) -> usize {
    let worth = improved(arms, own).into_iter().zip(noise).zip(arms);
    best(worth.map(|((worth, noise), arm)| match arm.visits == visits {
        true => worth + noise,
        false => f32::NEG_INFINITY,
    }))
}

/// The move that is played: the best of those with the most visits.
pub fn played(arms: &[Arm], own: f32, noise: &[f32]) -> usize {
    root(arms, own, noise, arms.iter().map(|arm| arm.visits).max().unwrap_or(0))
}

/// The place of the highest number; ties go to the first.
fn best(all: impl Iterator<Item = f32>) -> usize {
    let higher = |best: (usize, f32), one: (usize, f32)| if one.1 > best.1 { one } else { best };
    all.enumerate().fold((0, f32::NEG_INFINITY), higher).0
}

/// How many visits the moves have that are considered in each simulation.
pub fn schedule(considered: usize, simulations: usize) -> Vec<u32> {
    let rounds = considered.max(2).next_power_of_two().trailing_zeros() as usize;
    let mut visits = vec![0; considered.max(1)];
    let (mut left, mut all) = (considered.max(1), Vec::with_capacity(simulations));
    while all.len() < simulations {
        for _ in 0..(simulations / (rounds * left)).max(1) {
            all.extend(&visits[..left]);
            visits[..left].iter_mut().for_each(|count| *count += 1);
        }
        left = (left / 2).max(2.min(considered.max(1)));
    }
    all.truncate(simulations);
    all
}

/// Draws from the standard Gumbel distribution.
pub fn noise(random: &mut Random, scale: f32, count: usize) -> Vec<f32> {
    let mut draw = || {
        // Between 0 and 1, without both.
        let unit = ((random.next_u64() >> 12) as f64 + 0.5) / (1u64 << 52) as f64;
        -(-unit.ln()).ln() as f32 * scale
    };
    (0..count).map(|_| draw()).collect()
}
