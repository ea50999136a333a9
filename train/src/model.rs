//! The net in floating point, and one step of learning.

use engine::net::{FIRST, LARGEST, LAST, Net, STAGES};
use rules::random::Random;

/// What is learned: the layers of the net one after the other.
#[derive(Clone)]
pub struct Model<const H: usize> {
    pub inputs: usize,
    /// First layer by input, its bias, last layer by stage, its ends, the parts of the hand-made estimate.
    pub weights: Vec<f32>,
}

/// One position as the net sees it.
pub struct Seen {
    pub inputs: Vec<u16>,
    pub stage: usize,
    /// The hand-made estimate in natural units.
    pub hand: f32,
    /// How likely a win is.
    pub target: f32,
}

/// Where each layer begins.
struct Layout {
    bias: usize,
    last: usize,
    end: usize,
    hand: usize,
}

impl<const H: usize> Model<H> {
    const fn layout(inputs: usize) -> Layout {
        let bias = inputs * H;
        let last = bias + H;
        let end = last + STAGES * H;
        Layout { bias, last, end, hand: end + STAGES }
    }

    pub fn new(inputs: usize, seed: u64) -> Self {
        let at = Self::layout(inputs);
        let mut random = Random::new(seed);
        let mut noise =
            |range: f32| (random.below(1 << 20) as f32 / (1 << 19) as f32 - 1.0) * range;
        let mut weights = vec![0.0; at.hand + STAGES];
        weights[..at.bias].iter_mut().for_each(|weight| *weight = noise(0.1));
        weights[at.bias..at.last].iter_mut().for_each(|weight| *weight = 0.2 + noise(0.1));
        weights[at.last..at.end].iter_mut().for_each(|weight| *weight = noise(0.2));
        Model { inputs, weights }
    }

    fn hidden(&self, inputs: &[u16]) -> [f32; H] {
        let bias = Self::layout(self.inputs).bias;
        let mut sums = [0.0; H];
        sums.copy_from_slice(&self.weights[bias..bias + H]);
        for input in inputs {
            let row = &self.weights[usize::from(*input) * H..][..H];
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight);
        }
        sums
    }

    fn out(&self, sums: &[f32; H], seen: &Seen) -> f32 {
        let at = Self::layout(self.inputs);
        let row = &self.weights[at.last + seen.stage * H..][..H];
        let square = |sum: f32| sum.clamp(0.0, 1.0).powi(2);
        let out: f32 = sums.iter().zip(row).map(|(sum, weight)| square(*sum) * weight).sum();
        out + self.weights[at.end + seen.stage] + self.weights[at.hand + seen.stage] * seen.hand
    }

    /// How likely a win is, by the net.
    pub fn guess(&self, seen: &Seen) -> f32 {
        sigmoid(self.out(&self.hidden(&seen.inputs), seen))
    }

    /// Adds to `slope` how the loss of a position depends on each weight; returns the loss.
    pub fn slope(&self, seen: &Seen, slope: &mut [f32]) -> f32 {
        let at = Self::layout(self.inputs);
        let sums = self.hidden(&seen.inputs);
        let guess = sigmoid(self.out(&sums, seen));
        let error = guess - seen.target;
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
        let add = |slope: &mut [f32]| slope.iter_mut().zip(&back).for_each(|(s, b)| *s += b);
        add(&mut slope[at.bias..at.last]);
        for input in &seen.inputs {
            add(&mut slope[usize::from(*input) * H..][..H]);
        }
        loss(guess, seen.target)
    }

    /// The net in whole numbers.
    pub fn rounded(&self) -> Net<H> {
        let at = Self::layout(self.inputs);
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

/// Adam's rule.
pub struct Adam {
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
}

impl Adam {
    pub fn new(weights: usize) -> Adam {
        Adam { mean: vec![0.0; weights], square: vec![0.0; weights], steps: 0 }
    }

    /// Sets to zero what no position has ever had a say in: noise of the beginning, which nobody needs.
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
