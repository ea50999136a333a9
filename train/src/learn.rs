//! Learning a net from positions.

use crate::Args;
use crate::data::Sample;
use crate::model::{Adam, Choice, Model, Seen, loss, sigmoid};
use anyhow::{Result, bail};
use engine::evaluate::{Evaluate, score_moves};
use engine::net::{Accumulator, LOG_ODDS, Net, ORDER_LIMIT, ORDER_UNIT, STAGES};
use engine::play::Play;
use engine::score::is_proven;
use rules::random::Random;
use rules::{Game, Player};

/// Positions of one step.
const BATCH: usize = 8_192;
/// Parts of a batch whose gradients are summed separately: a fixed number, so that the sum does not depend on the
/// number of threads.
const PARTS: usize = 16;
/// One position in this many is held out, to test the net on positions it was not trained on.
const HELD_BACK: usize = 50;
const RATE: f32 = 1.5e-3;
/// A stage with fewer positions than this learns nothing that can be trusted.
const FEWEST: usize = 1_000;

/// The most moves of a position that the policy chooses from: the best and others by chance.
pub const CHOICES: usize = 40;

/// A game with nets.
pub trait Learnable: Play + engine::net::Seen {}

impl<G: Play + engine::net::Seen> Learnable for G {}

pub fn learn<G: Learnable, const H: usize>(
    samples: &[Sample<G>],
    args: &Args,
    generation: u32,
) -> Result<Net<H>> {
    if samples.len() < 2 * HELD_BACK {
        bail!("{} positions are too few to learn from", samples.len());
    }
    let scale = scale(samples);
    println!("  {} positions; a score of {scale:.0} is won 73 times in 100", samples.len());
    let goal = Goal { scale, result: args.result, hand: G::by_hand() };
    let (mut held, mut order) = (Vec::new(), Vec::new());
    for i in 0..samples.len() {
        if i % HELD_BACK == 0 { held.push(i) } else { order.push(i) }
    }
    let seed = args.seed.wrapping_add(u64::from(generation));
    let mut random = Random::new(seed);
    let mut model = Model::<H>::new(G::INPUTS, G::SLOTS, seed);
    let mut adam = Adam::new(model.weights.len());
    let steps = args.epochs * order.len().div_ceil(BATCH);
    let mut slopes = vec![vec![0.0; model.weights.len()]; PARTS];
    let mut done = 0;
    for epoch in 1..=args.epochs {
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let mut total = 0.0;
        for batch in order.chunks(BATCH) {
            let salt = random.next_u64();
            let losses =
                batch_slopes(&model, samples, batch, salt, &goal, &mut slopes, args.threads);
            total += losses;
            let (sum, rest) = slopes.split_at_mut(1);
            for part in rest.iter() {
                sum[0].iter_mut().zip(part).for_each(|(sum, slope)| *sum += slope);
            }
            sum[0].iter_mut().for_each(|slope| *slope /= batch.len() as f32);
            // Cosine decay of the learning rate.
            let part = done as f32 / steps as f32;
            let rate = RATE * 0.5 * (1.0 + (std::f32::consts::PI * part).cos()) + 1e-6;
            adam.step(&mut model.weights, &sum[0], rate);
            done += 1;
        }
        if epoch % 5 == 0 || epoch == args.epochs {
            let learned = total / order.len() as f32;
            let (float, whole) = held_back(&model, samples, &held, &goal);
            println!("  epoch {epoch}: loss {learned:.4}, held out {float:.4}, rounded {whole:.4}");
        }
    }
    adam.forget_unused(&mut model.weights);
    let mut net = model.rounded();
    share_stages(&mut net, positions_by_stage(samples));
    Ok(net)
}

/// How many positions teach the value in each stage.
fn positions_by_stage<G: Learnable>(samples: &[Sample<G>]) -> [usize; STAGES] {
    let mut counts = [0; STAGES];
    let evaluated = samples.iter().filter(|sample| sample.evaluated);
    evaluated.for_each(|sample| counts[sample.pos.stage()] += 1);
    counts
}

/// Gives stages that had too few positions the last layer of the nearest one that had enough: theirs still has its
/// random initialisation.
fn share_stages<const H: usize>(net: &mut Net<H>, positions: [usize; STAGES]) {
    let learned = |stage: &usize| positions[*stage] >= FEWEST;
    for stage in (0..STAGES).filter(|stage| !learned(stage)) {
        let near = (0..STAGES).filter(learned).min_by_key(|other| other.abs_diff(stage));
        let Some(near) = near else { return };
        net.last[stage] = net.last[near];
        (net.end[stage], net.hand[stage]) = (net.end[near], net.hand[near]);
    }
}

/// The settings of the training targets.
pub struct Goal<G: Play> {
    /// The score at which games are won 73 times in a hundred.
    pub scale: f32,
    /// How much the result of the game counts.
    pub result: f32,
    /// The evaluator without a net.
    pub hand: G::Judge,
}

impl<G: Learnable> Goal<G> {
    fn target(&self, sample: &Sample<G>) -> f32 {
        let score = if is_proven(sample.score) {
            if sample.score > 0 { 1.0 } else { 0.0 }
        } else {
            sigmoid(sample.score as f32 / self.scale)
        };
        match sample.result {
            Some(halves) => self.result * f32::from(halves) / 2.0 + (1.0 - self.result) * score,
            None => score,
        }
    }

    /// An image of a position, as the net sees it.
    pub fn see(&self, sample: &Sample<G>, image: usize, random: &mut Random) -> Seen {
        let pos = sample.pos.image(image);
        let mut inputs = Vec::with_capacity(64);
        pos.inputs(pos.turn(), &mut |input| inputs.push(input as u16));
        pos.late_inputs(pos.turn(), &mut |input| inputs.push(input as u16));
        let hand = pos.hand_eval().map_or(0.0, |score| score as f32 / LOG_ODDS as f32);
        let best = sample.pos.image_of(sample.best, image);
        let target = sample.evaluated.then(|| self.target(sample));
        let moves = self.choices(&pos, best, random);
        Seen { inputs, stage: pos.stage(), hand, target, moves }
    }

    /// The best move and others by chance.
    fn choices(&self, pos: &G, best: G::Move, random: &mut Random) -> Vec<Choice> {
        let mut others = pos.moves();
        self.hand.prune(pos, &mut others, |m| *m);
        others.retain(|m| *m != best);
        if others.is_empty() {
            return Vec::new();
        }
        while others.len() >= CHOICES {
            others.swap_remove(random.below(others.len()));
        }
        let mut scored: Vec<_> = [best].into_iter().chain(others).map(|m| (0, 0, m)).collect();
        score_moves(&self.hand, pos, &mut scored);
        let choice = |(worth, _, m): (i32, u16, G::Move)| {
            let mut slots = Vec::with_capacity(4);
            pos.slots(m, &mut |slot| slots.push(slot as u16));
            let order = worth.clamp(-ORDER_LIMIT, ORDER_LIMIT) as f32 / ORDER_UNIT as f32;
            Choice { slots, order }
        };
        scored.into_iter().map(choice).collect()
    }
}

/// The gradients of a batch in parts; returns the sum of the losses.
fn batch_slopes<G: Learnable, const H: usize>(
    model: &Model<H>,
    samples: &[Sample<G>],
    batch: &[usize],
    salt: u64,
    goal: &Goal<G>,
    slopes: &mut [Vec<f32>],
    threads: usize,
) -> f32 {
    let size = batch.len().div_ceil(PARTS).max(1);
    // The last batch may have fewer parts.
    slopes.iter_mut().for_each(|slope| slope.fill(0.0));
    let mut work: Vec<_> = batch.chunks(size).zip(slopes.iter_mut()).enumerate().collect();
    let share = work.len().div_ceil(threads.max(1));
    let one = |(number, (part, slope)): &mut (usize, (&[usize], &mut Vec<f32>))| {
        let mut random = Random::new(salt ^ *number as u64);
        part.iter()
            .map(|i| {
                let image = random.below(G::IMAGES);
                model.slope(&goal.see(&samples[*i], image, &mut random), slope)
            })
            .sum::<f32>()
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = work
            .chunks_mut(share)
            .map(|part| scope.spawn(move || part.iter_mut().map(one).collect::<Vec<f32>>()))
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap_or_default()).sum()
    })
}

/// The loss on the held-out positions, of the model and of the quantised net.
fn held_back<G: Learnable, const H: usize>(
    model: &Model<H>,
    samples: &[Sample<G>],
    held: &[usize],
    goal: &Goal<G>,
) -> (f32, f32) {
    let net = model.rounded();
    let (mut float, mut whole, mut count) = (0.0, 0.0, 0.0f32);
    let mut sums = Accumulator::default();
    for i in held {
        let sample = &samples[*i];
        let seen = goal.see(sample, 0, &mut Random::new(*i as u64));
        let Some(target) = seen.target else { continue };
        count += 1.0;
        float += loss(model.guess(&seen), target);
        sums.refresh(&net, &sample.pos);
        let viewer: Player = sample.pos.turn();
        let mut late = Vec::new();
        sample.pos.late_inputs(viewer, &mut |input| late.push(input));
        let score = sums.score(&net, viewer, seen.stage, &late)
            + sample.pos.hand_eval().map_or(0, |hand| net.part_of_hand(seen.stage, hand));
        whole += loss(sigmoid(score as f32 / LOG_ODDS as f32), target);
    }
    (float / count.max(1.0), whole / count.max(1.0))
}

/// The score at which games are won 73 times in a hundred: the scale that fits the results best.
pub fn scale<G: Game>(samples: &[Sample<G>]) -> f32 {
    let step = (samples.len() / 200_000).max(1);
    let known: Vec<(f32, f32)> = samples
        .iter()
        .step_by(step)
        .filter(|sample| sample.evaluated && !is_proven(sample.score))
        .filter_map(|sample| Some((sample.score as f32, f32::from(sample.result?) / 2.0)))
        .collect();
    let fit = |scale: f32| -> f32 {
        known.iter().map(|(score, result)| loss(sigmoid(score / scale), *result)).sum()
    };
    let scales = (0..60).map(|i| 10.0 * 1.06f32.powi(i));
    scales.min_by(|a, b| fit(*a).total_cmp(&fit(*b))).unwrap_or(100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::net::Seen as _;
    use rules::gekitai::Gekitai;

    fn goal() -> Goal<Gekitai> {
        Goal { scale: 100.0, result: 0.5, hand: Gekitai::by_hand() }
    }

    fn model() -> Model<16> {
        Model::new(Gekitai::INPUTS, Gekitai::SLOTS, 9)
    }

    /// Positions of random games; whoever has more markers on the board is said to be ahead.
    fn samples(count: usize) -> Vec<Sample<Gekitai>> {
        let mut random = Random::new(5);
        let mut samples = Vec::new();
        while samples.len() < count {
            let mut pos = Gekitai::new(&Default::default()).unwrap();
            while pos.outcome().is_none() && samples.len() < count {
                let m = *random.pick(&pos.moves()).unwrap();
                pos.play_unchecked(m);
                let markers = |player| pos.markers(player).count_ones() as i32;
                let score = 80 * (markers(pos.turn()) - markers(pos.turn().other()));
                let best = pos.moves().first().copied().unwrap_or(m);
                samples.push(Sample { pos, score, result: None, best, evaluated: true });
            }
        }
        samples
    }

    #[test]
    fn the_net_in_whole_numbers_equals_the_model_within_rounding() {
        let samples = samples(200);
        let model = model();
        for i in 0..samples.len() {
            let (float, whole) = held_back(&model, &samples, &[i], &goal());
            assert!((float - whole).abs() < 0.01, "{float} {whole}");
        }
    }

    #[test]
    fn a_stage_without_positions_gets_the_last_layer_of_its_neighbour() {
        let mut samples = samples(12_000);
        samples.retain(|sample| (2..4).contains(&sample.pos.stage()));
        let counts = positions_by_stage(&samples);
        assert!(counts[2] >= FEWEST && counts[3] >= FEWEST, "{counts:?}");
        let words = ["train", "gekitai", "--epochs", "1", "-o", "unused"];
        let command = <Args as clap::Args>::augment_args(clap::Command::new("train"));
        let matches = command.try_get_matches_from(words).unwrap();
        let args = <Args as clap::FromArgMatches>::from_arg_matches(&matches).unwrap();
        let net: Net<16> = learn(&samples, &args, 1).unwrap();
        let stage = |stage: usize| (net.last[stage], net.end[stage], net.hand[stage]);
        assert_ne!(stage(2), stage(3));
        assert!((0..2).all(|early| stage(early) == stage(2)));
        assert!((4..STAGES).all(|late| stage(late) == stage(3)));
    }

    #[test]
    fn learning_lowers_the_loss() {
        let samples = samples(400);
        let all: Vec<_> = (0..samples.len()).collect();
        let mut model = model();
        let mut adam = Adam::new(model.weights.len());
        let mut slopes = vec![vec![0.0; model.weights.len()]; PARTS];
        let (before, _) = held_back(&model, &samples, &all, &goal());
        for step in 0..60 {
            batch_slopes(&model, &samples, &all, step, &goal(), &mut slopes, 1);
            let sum: Vec<f32> = (0..model.weights.len())
                .map(|i| slopes.iter().map(|part| part[i]).sum::<f32>() / all.len() as f32)
                .collect();
            adam.step(&mut model.weights, &sum, 10.0 * RATE);
        }
        let (after, rounded) = held_back(&model, &samples, &all, &goal());
        assert!(after < before - 0.02 && rounded < before - 0.02, "{before} {after} {rounded}");
    }
}
