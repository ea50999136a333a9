//! Learning a net from positions.

use crate::Args;
use crate::data::Sample;
use crate::model::{Adam, Model, Seen, loss, sigmoid};
use anyhow::{Result, bail};
use engine::net::{Accumulator, LOG_ODDS, Net};
use engine::score::is_proven;
use rules::random::Random;
use rules::{Player, Symmetric};

/// Positions of one step.
const BATCH: usize = 8_192;
/// Parts of a batch whose slopes are summed by themselves: always as many, so that the sum does not depend
/// on the threads.
const PARTS: usize = 16;
/// One position in this many is held back, to test the net on positions it was not trained on.
const HELD_BACK: usize = 50;
const RATE: f32 = 1.5e-3;

pub fn learn<G: engine::net::Seen + Symmetric, const H: usize>(
    samples: &[Sample<G>],
    args: &Args,
    generation: u32,
) -> Result<Net<H>> {
    if samples.len() < 2 * HELD_BACK {
        bail!("{} positions are too few to learn from", samples.len());
    }
    let scale = scale(samples);
    println!("  {} positions; a score of {scale:.0} is won 73 times in 100", samples.len());
    let goal = Goal { scale, result: args.result };
    let (mut held, mut order) = (Vec::new(), Vec::new());
    for i in 0..samples.len() {
        if i % HELD_BACK == 0 { held.push(i) } else { order.push(i) }
    }
    let seed = args.seed.wrapping_add(u64::from(generation));
    let mut random = Random::new(seed);
    let mut model = Model::<H>::new(G::INPUTS, seed);
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
            // Half a cosine from the full rate to none.
            let part = done as f32 / steps as f32;
            let rate = RATE * 0.5 * (1.0 + (std::f32::consts::PI * part).cos()) + 1e-6;
            adam.step(&mut model.weights, &sum[0], rate);
            done += 1;
        }
        if epoch % 5 == 0 || epoch == args.epochs {
            let learned = total / order.len() as f32;
            let (float, whole) = held_back(&model, samples, &held, &goal);
            println!(
                "  epoch {epoch}: loss {learned:.4}, kept back {float:.4}, rounded {whole:.4}"
            );
        }
    }
    adam.forget_unused(&mut model.weights);
    Ok(model.rounded())
}

/// What is to be learned about a position.
struct Goal {
    scale: f32,
    result: f32,
}

impl Goal {
    fn target<G>(&self, sample: &Sample<G>) -> f32 {
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

    fn see<G: engine::net::Seen + Symmetric>(&self, sample: &Sample<G>, image: usize) -> Seen {
        let pos = sample.pos.image(image);
        let mut inputs = Vec::with_capacity(64);
        pos.inputs(pos.turn(), &mut |input| inputs.push(input as u16));
        pos.late_inputs(pos.turn(), &mut |input| inputs.push(input as u16));
        let hand = pos.by_hand().map_or(0.0, |score| score as f32 / LOG_ODDS as f32);
        Seen { inputs, stage: pos.stage(), hand, target: self.target(sample) }
    }
}

/// The slopes of a batch in parts; returns the sum of the losses.
fn batch_slopes<G: engine::net::Seen + Symmetric, const H: usize>(
    model: &Model<H>,
    samples: &[Sample<G>],
    batch: &[usize],
    salt: u64,
    goal: &Goal,
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
                model.slope(&goal.see(&samples[*i], image), slope)
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

/// The loss on what was kept back, of the model and of the net in whole numbers.
fn held_back<G: engine::net::Seen + Symmetric, const H: usize>(
    model: &Model<H>,
    samples: &[Sample<G>],
    held: &[usize],
    goal: &Goal,
) -> (f32, f32) {
    let net = model.rounded();
    let (mut float, mut whole) = (0.0, 0.0);
    let mut sums = Accumulator::default();
    for i in held {
        let sample = &samples[*i];
        let seen = goal.see(sample, 0);
        float += loss(model.guess(&seen), seen.target);
        sums.refresh(&net, &sample.pos);
        let viewer: Player = sample.pos.turn();
        let mut late = Vec::new();
        sample.pos.late_inputs(viewer, &mut |input| late.push(input));
        let score = sums.score(&net, viewer, seen.stage, &late)
            + sample.pos.by_hand().map_or(0, |hand| net.part_of_hand(seen.stage, hand));
        whole += loss(sigmoid(score as f32 / LOG_ODDS as f32), seen.target);
    }
    (float / held.len() as f32, whole / held.len() as f32)
}

/// The score at which games are won 73 times in a hundred: the scale that fits the results best.
fn scale<G>(samples: &[Sample<G>]) -> f32 {
    let step = (samples.len() / 200_000).max(1);
    let known: Vec<(f32, f32)> = samples
        .iter()
        .step_by(step)
        .filter(|sample| !is_proven(sample.score))
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
    use rules::Game;
    use rules::gekitai::Gekitai;

    const GOAL: Goal = Goal { scale: 100.0, result: 0.5 };

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
                samples.push(Sample { pos, score, result: None });
            }
        }
        samples
    }

    #[test]
    fn the_net_in_whole_numbers_equals_the_model_within_rounding() {
        let samples = samples(200);
        let model = Model::<16>::new(<Gekitai as engine::net::Seen>::INPUTS, 9);
        for i in 0..samples.len() {
            let (float, whole) = held_back(&model, &samples, &[i], &GOAL);
            assert!((float - whole).abs() < 0.01, "{float} {whole}");
        }
    }

    #[test]
    fn learning_lowers_the_loss() {
        let samples = samples(400);
        let all: Vec<_> = (0..samples.len()).collect();
        let mut model = Model::<16>::new(<Gekitai as engine::net::Seen>::INPUTS, 9);
        let mut adam = Adam::new(model.weights.len());
        let mut slopes = vec![vec![0.0; model.weights.len()]; PARTS];
        let (before, _) = held_back(&model, &samples, &all, &GOAL);
        for step in 0..60 {
            batch_slopes(&model, &samples, &all, step, &GOAL, &mut slopes, 1);
            let sum: Vec<f32> = (0..model.weights.len())
                .map(|i| slopes.iter().map(|part| part[i]).sum::<f32>() / all.len() as f32)
                .collect();
            adam.step(&mut model.weights, &sum, 10.0 * RATE);
        }
        let (after, rounded) = held_back(&model, &samples, &all, &GOAL);
        assert!(after < before - 0.02 && rounded < before - 0.02, "{before} {after} {rounded}");
    }
}
