//! The net in floating point, and one step of learning.

use engine::net::{FIRST, LARGEST, LAST, LOGIT, Net, STAGES};
use rules::random::Random;

/// The trainable weights: the layers of the net one after the other.
#[derive(Clone)]
pub struct Model<const H: usize> {
    pub inputs: usize,
    slots: usize,
    /// First layer by input, its bias, last layer by stage, its ends, the parts of the hand-made estimate, the
    /// policy by slot, the part of the hand-made move ordering.
    pub weights: Vec<f32>,
}

/// One position as the net sees it.
pub struct Seen {
    pub inputs: Vec<u16>,
    pub stage: usize,
    /// The hand-made estimate in natural units.
    pub hand: f32,
    /// How likely a win is; `None` if the search never evaluates such positions.
    pub target: Option<f32>,
    /// Moves to choose from, the best one first; none if there is no choice.
    pub moves: Vec<Choice>,
}

/// A move as the policy sees it.
pub struct Choice {
    pub slots: Vec<u16>,
    /// The hand-made ordering score in natural units.
    pub order: f32,
}

/// How much the policy counts in the loss.
pub const POLICY: f32 = 0.1;

/// Where each layer begins.
struct Layout {
    bias: usize,
    last: usize,
    end: usize,
    hand: usize,
    policy: usize,
    order: usize,
}

impl<const H: usize> Model<H> {
    const fn layout(&self) -> Layout {
        let bias = self.inputs * H;
        let last = bias + H;
        let end = last + STAGES * H;
        let hand = end + STAGES;
        let policy = hand + STAGES;
        Layout { bias, last, end, hand, policy, order: policy + self.slots * H }
    }

    pub fn new(inputs: usize, slots: usize, seed: u64) -> Self {
        let mut model = Model { inputs, slots, weights: Vec::new() };
        let at = model.layout();
        let mut random = Random::new(seed);
        let mut noise =
            |range: f32| (random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * range;
        let mut weights = vec![0.0; at.order + 1];
        weights[..at.bias].iter_mut().for_each(|weight| *weight = noise(0.1));
        weights[at.bias..at.last].iter_mut().for_each(|weight| *weight = 0.2 + noise(0.1));
        weights[at.last..at.end].iter_mut().for_each(|weight| *weight = noise(0.2));
        model.weights = weights;
        model
    }

    fn hidden(&self, inputs: &[u16]) -> [f32; H] {
        let bias = self.layout().bias;
        let mut sums = [0.0; H];
        sums.copy_from_slice(&self.weights[bias..bias + H]);
        for input in inputs {
            let row = &self.weights[usize::from(*input) * H..][..H];
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
        }
        sums
    }

    fn out(&self, sums: &[f32; H], seen: &Seen) -> f32 {
        let at = self.layout();
        let row = &self.weights[at.last + seen.stage * H..][..H];
        let square = |sum: f32| sum.clamp(0.0, 1.0).powi(2);
        let out: f32 = sums.iter().zip(row).map(|(sum, weight)| square(*sum) * weight).sum();
        out + self.weights[at.end + seen.stage] + self.weights[at.hand + seen.stage] * seen.hand
    }

    /// How likely a win is, by the net.
    pub fn guess(&self, seen: &Seen) -> f32 {
        sigmoid(self.out(&self.hidden(&seen.inputs), seen))
    }

    /// Adds the gradient of a position's loss to `slope`; returns the loss.
    pub fn slope(&self, seen: &Seen, slope: &mut [f32]) -> f32 {
        let at = self.layout();
        let sums = self.hidden(&seen.inputs);
        let guess = sigmoid(self.out(&sums, seen));
        let error = seen.target.map_or(0.0, |target| guess - target);
        slope[at.end + seen.stage] += error;
        slope[at.hand + seen.stage] += error * seen.hand;
        let row = at.last + seen.stage * H;
        let mut back = [0.0; H];
        for (i, sum) in sums.iter().enumerate() {
            let held = sum.clamp(0.0, 1.0);
            slope[row + i] += error * held * held;
            let inside = if *sum > 0.0 && *sum < 1.0 { 2.0 * held } else { 0.0 };
            back[i] = error * self.weights[row + i] * inside;
        }
        let chosen = self.slope_of_policy(seen, &sums, slope, &mut back);
        let add = |slope: &mut [f32]| slope.iter_mut().zip(&back).for_each(|(s, b)| *s += b);
        add(&mut slope[at.bias..at.last]);
        for input in &seen.inputs {
            add(&mut slope[usize::from(*input) * H..][..H]);
        }
        seen.target.map_or(0.0, |target| loss(guess, target)) + chosen
    }

    /// The outputs of the policy for each move.
    fn choose(&self, seen: &Seen, sums: &[f32; H]) -> Vec<f32> {
        let at = self.layout();
        let slot = |slot: &u16| -> f32 {
            let row = &self.weights[at.policy + usize::from(*slot) * H..][..H];
            sums.iter().zip(row).map(|(sum, weight)| sum.clamp(0.0, 1.0) * weight).sum()
        };
        let output = |choice: &Choice| {
            choice.slots.iter().map(slot).sum::<f32>() + self.weights[at.order] * choice.order
        };
        seen.moves.iter().map(output).collect()
    }

    /// Adds the policy's gradient to `slope` and to that of the hidden layer; returns the policy's loss.
    fn slope_of_policy(
        &self,
        seen: &Seen,
        sums: &[f32; H],
        slope: &mut [f32],
        back: &mut [f32; H],
    ) -> f32 {
        let outputs = self.choose(seen, sums);
        let Some(largest) = outputs.iter().copied().reduce(f32::max) else { return 0.0 };
        let likely: Vec<f32> = outputs.iter().map(|output| (output - largest).exp()).collect();
        let all: f32 = likely.iter().sum();
        let at = self.layout();
        for (i, (choice, likely)) in seen.moves.iter().zip(&likely).enumerate() {
            let error = POLICY * (likely / all - if i == 0 { 1.0 } else { 0.0 });
            slope[at.order] += error * choice.order;
            for slot in &choice.slots {
                let row = at.policy + usize::from(*slot) * H;
                for (j, sum) in sums.iter().enumerate() {
                    slope[row + j] += error * sum.clamp(0.0, 1.0);
                    if *sum > 0.0 && *sum < 1.0 {
                        back[j] += error * self.weights[row + j];
                    }
                }
            }
        }
        -POLICY * (likely[0] / all).max(1e-6).ln()
    }

    /// The quantised net.
    pub fn rounded(&self) -> Net<H> {
        let at = self.layout();
        let round = |from: usize, unit: i32| {
            std::array::from_fn(|i| (self.weights[from + i] * unit as f32).round() as i16)
        };
        Net {
            first: (0..self.inputs).map(|input| round(input * H, FIRST)).collect(),
            bias: round(at.bias, FIRST),
            last: std::array::from_fn(|stage| round(at.last + stage * H, LAST)),
            end: std::array::from_fn(|stage| {
                (self.weights[at.end + stage] * (FIRST * LAST) as f32).round() as i32
            }),
            hand: std::array::from_fn(|stage| {
                (self.weights[at.hand + stage] * LAST as f32).round() as i32
            }),
            policy: (0..self.slots).map(|slot| round(at.policy + slot * H, LAST)).collect(),
            order: (self.weights[at.order] * LOGIT as f32).round() as i32,
        }
    }
}

pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}

/// Cross entropy.
pub fn loss(guess: f32, target: f32) -> f32 {
    let log = |p: f32| p.max(1e-6).ln();
    -(target * log(guess) + (1.0 - target) * log(1.0 - guess))
}

/// The Adam optimiser.
pub struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    pub fn new(weights: usize) -> Adam {
        Adam { mean: vec![0.0; weights], square: vec![0.0; weights], steps: 0 }
    }

    /// Zeroes weights that no position has ever affected, which are left over from the initialisation.
    pub fn forget_unused(&self, weights: &mut [f32]) {
        for (weight, square) in weights.iter_mut().zip(&self.square) {
            if *square == 0.0 {
                *weight = 0.0;
            }
        }
    }

    pub fn step(&mut self, weights: &mut [f32], slope: &[f32], rate: f32) {
        const KEEP: (f32, f32) = (0.9, 0.999);
        self.steps += 1;
        let unbiased = (1.0 - KEEP.0.powi(self.steps), 1.0 - KEEP.1.powi(self.steps));
        let past = self.mean.iter_mut().zip(&mut self.square);
        for ((weight, slope), (mean, square)) in weights.iter_mut().zip(slope).zip(past) {
            *mean = KEEP.0 * *mean + (1.0 - KEEP.0) * slope;
            *square = KEEP.1 * *square + (1.0 - KEEP.1) * slope * slope;
            let change = *mean / unbiased.0 / ((*square / unbiased.1).sqrt() + 1e-8);
            *weight = (*weight - rate * change).clamp(-LARGEST, LARGEST);
        }
    }
}
