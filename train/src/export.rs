//! Samples as arrays for a learner outside this program.
//!
//! A line of JSON says what follows, little-endian, sample by sample in each array: inputs (padded with their number),
//! stage, hand-made estimate, target (not a number if there is none), then for each choice its slots (padded with their
//! number) and its hand-made order (choices are padded with minus infinity).

use crate::Args;
use crate::data::Sample;
use crate::learn::{CHOICES, Goal, Learnable, scale};
use crate::model::Seen;
use anyhow::{Context, Result, anyhow, ensure};
use rules::random::Random;
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::Command;

/// Images of each position.
const IMAGES: usize = 4;

pub fn export<G: Learnable, const H: usize>(
    samples: &[Sample<G>],
    args: &Args,
    generation: u32,
    file: &Path,
) -> Result<()> {
    let scale = scale(samples);
    println!("  {} positions; a score of {scale:.0} is won 73 times in 100", samples.len());
    let goal = Goal { scale, result: args.result, hand: G::by_hand() };
    let seed = args.seed.wrapping_mul(7_919).wrapping_add(u64::from(generation));
    let seen = |number: usize| {
        let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ number as u64);
        // Images of a position are adjacent, so that a position is held out with all its images.
        let image = if number.is_multiple_of(IMAGES) { 0 } else { random.below(G::IMAGES) };
        goal.see(&samples[number / IMAGES], image, &mut random)
    };
    let shape = Shape::of(samples);
    let all = samples.len() * IMAGES;
    let head = json!({
        "samples": all, "images": IMAGES, "inputs": G::INPUTS, "width": shape.width, "hidden": H,
        "slots": G::SLOTS, "choices": CHOICES, "slots_of_a_move": shape.slots,
    });
    let share = all.div_ceil(args.threads.max(1)).max(1);
    let encode = |from: usize| {
        let mut arrays = Arrays::default();
        (from..all.min(from + share)).try_for_each(|i| arrays.push(&seen(i), &shape))?;
        Ok(arrays)
    };
    let encode = &encode;
    let parts = std::thread::scope(|scope| -> Result<Vec<Arrays>> {
        let workers: Vec<_> =
            (0..all).step_by(share).map(|from| scope.spawn(move || encode(from))).collect();
        let died = |_| anyhow!("a thread that encodes positions died");
        workers.into_iter().map(|worker| worker.join().map_err(died)?).collect()
    })?;
    write(&head.to_string(), &parts, file)
        .with_context(|| format!("cannot write {}", file.display()))
}

/// The row lengths of the arrays, and their padding.
struct Shape {
    width: usize,
    no_input: u16,
    slots: usize,
    no_slot: u16,
}

impl Shape {
    /// The longest rows of all positions; their images have as many.
    fn of<G: Learnable>(samples: &[Sample<G>]) -> Shape {
        let mut shape =
            Shape { width: 1, no_input: G::INPUTS as u16, slots: 1, no_slot: G::SLOTS as u16 };
        for Sample { pos, .. } in samples {
            let mut inputs = 0;
            pos.inputs(pos.turn(), &mut |_| inputs += 1);
            pos.late_inputs(pos.turn(), &mut |_| inputs += 1);
            shape.width = shape.width.max(inputs);
            for m in pos.moves() {
                let mut slots = 0;
                pos.slots(m, &mut |_| slots += 1);
                shape.slots = shape.slots.max(slots);
            }
        }
        shape
    }
}

/// Each array's bytes, for some of the samples.
#[derive(Default)]
struct Arrays([Vec<u8>; 6]);

impl Arrays {
    fn push(&mut self, seen: &Seen, shape: &Shape) -> Result<()> {
        let [inputs, stage, hand, target, slots, order] = &mut self.0;
        pad(inputs, &seen.inputs, shape.width, shape.no_input)?;
        stage.push(seen.stage as u8);
        hand.extend(seen.hand.to_le_bytes());
        target.extend(seen.target.unwrap_or(f32::NAN).to_le_bytes());
        for i in 0..CHOICES {
            let choice = seen.moves.get(i);
            let own = choice.map_or(&[][..], |choice| &choice.slots);
            pad(slots, own, shape.slots, shape.no_slot)?;
            order.extend(choice.map_or(f32::NEG_INFINITY, |choice| choice.order).to_le_bytes());
        }
        Ok(())
    }
}

fn pad(out: &mut Vec<u8>, list: &[u16], width: usize, with: u16) -> Result<()> {
    ensure!(list.len() <= width, "a row has {} numbers, expected at most {width}", list.len());
    let list = list.iter().copied().chain(std::iter::repeat(with)).take(width);
    out.extend(list.flat_map(u16::to_le_bytes));
    Ok(())
}

fn write(head: &str, parts: &[Arrays], file: &Path) -> std::io::Result<()> {
    let mut out = File::create(file)?;
    writeln!(out, "{head}")?;
    for array in 0..6 {
        for part in parts {
            out.write_all(&part.0[array])?;
        }
    }
    Ok(())
}

/// Runs the learner.
pub fn run(learner: &str, samples: &Path, net: &Path, epochs: usize) -> Result<()> {
    let mut words = learner.split_whitespace();
    let program = words.next().context("the learner is empty")?;
    let status = Command::new(program)
        .args(words)
        .args([samples, net])
        .arg(epochs.to_string())
        .status()
        .with_context(|| format!("cannot run `{learner}`"))?;
    ensure!(status.success(), "`{learner}` failed");
    std::fs::remove_file(samples).context("cannot remove the samples")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Sample;
    use rules::gekitai::Gekitai;
    use rules::{Game, Notation};

    #[test]
    fn the_longest_row_counts_wherever_it_stands() {
        let sample = |text: &str| {
            let pos = Gekitai::from_text(text, &Default::default()).unwrap();
            let best = pos.moves()[0];
            Sample { pos, score: 0, result: None, best, evaluated: true }
        };
        let samples = [sample("6/6/6/6/6/6 1"), sample("x1o3/6/6/6/6/6 1")];
        // Two markers and two reserves.
        assert_eq!(Shape::of(&samples).width, 4);
    }

    #[test]
    fn a_row_that_is_too_long_is_refused_instead_of_cut() {
        let mut out = Vec::new();
        pad(&mut out, &[7, 8], 3, 9).unwrap();
        assert_eq!(out, [7, 0, 8, 0, 9, 0]);
        let error = pad(&mut out, &[7, 8, 9], 2, 0).unwrap_err().to_string();
        assert_eq!(error, "a row has 3 numbers, expected at most 2");
    }
}
