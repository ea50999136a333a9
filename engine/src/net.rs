//! Learned evaluation: an efficiently updatable neural network (NNUE) with one hidden layer.
//!
//! A net sees a position from the side of the player to move: inputs that are present or not, such as "my
//! stack of three on c4". Their weights add up in the hidden layer, so a move changes only the few sums it
//! touches. All arithmetic is on integers, so every machine gets the same score. `docs/engine.md` describes
//! the training.

use crate::score::Score;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use rules::{ByPlayer, Game, Player};
use std::io::{self, Read, Write};

/// Nets have a separate last layer for each stage of a game.
pub const STAGES: usize = 8;

/// Quantised 1 in the first layer.
pub const FIRST: i32 = 255;
/// Quantised 1 in the last layer.
pub const LAST: i32 = 64;
/// The score of one unit of log odds: at this score 73 of 100 games are won.
pub const LOG_ODDS: i32 = 100;
/// A clear advantage, with which three of four games are won.
pub const CLEAR: Score = 110;
/// The largest weight, in natural units, so that no sum overflows.
pub const LARGEST: f32 = 1.98;

/// The inputs that nets see of a game's positions.
pub trait Seen: Game {
    /// How many inputs there are.
    const INPUTS: usize;

    /// Calls back with each active input, from a player's point of view.
    fn inputs(&self, viewer: Player, tell: &mut impl FnMut(usize));

    /// Calls back with the inputs that are not updated incrementally, since moves change too many of them.
    fn late_inputs(&self, _viewer: Player, _tell: &mut impl FnMut(usize)) {}

    /// The hand-crafted evaluation, if a part of it is added to the score.
    fn by_hand(&self) -> Option<Score> {
        None
    }

    /// The stage of the game, below [`STAGES`].
    fn stage(&self) -> usize;
}

/// A net with `H` neurons in its hidden layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net<const H: usize> {
    /// The first layer, by input.
    pub first: Vec<[i16; H]>,
    /// The bias of the first layer.
    pub bias: [i16; H],
    /// The last layer, by stage.
    pub last: [[i16; H]; STAGES],
    /// The bias of the last layer by stage, in the units of both layers together.
    pub end: [i32; STAGES],
    /// The weight of the hand-crafted evaluation, by stage.
    pub hand: [i32; STAGES],
}

/// The accumulator: the sums of the hidden layer from each player's point of view.
#[derive(Debug)]
pub struct Accumulator<const H: usize>(ByPlayer<[i16; H]>);

impl<const H: usize> Clone for Accumulator<H> {
    fn clone(&self) -> Self {
        Accumulator(self.0)
    }

    // In place: every node of a search does it.
    #[inline]
    fn clone_from(&mut self, source: &Self) {
        self.0 = source.0;
    }
}

impl<const H: usize> Default for Accumulator<H> {
    fn default() -> Self {
        Accumulator(ByPlayer::both([0; H]))
    }
}

impl<const H: usize> Accumulator<H> {
    /// Computes the accumulator of a position from scratch.
    pub fn refresh<G: Seen>(&mut self, net: &Net<H>, pos: &G) {
        self.0 = ByPlayer::both(net.bias);
        for viewer in Player::BOTH {
            pos.inputs(viewer, &mut |input| self.add(net, viewer, input));
        }
    }

    /// Activates an input.
    #[inline]
    pub fn add(&mut self, net: &Net<H>, viewer: Player, input: usize) {
        for (sum, weight) in self.0[viewer].iter_mut().zip(&net.first[input]) {
            *sum = sum.wrapping_add(*weight);
        }
    }

    /// Deactivates an input.
    #[inline]
    pub fn take(&mut self, net: &Net<H>, viewer: Player, input: usize) {
        for (sum, weight) in self.0[viewer].iter_mut().zip(&net.first[input]) {
            *sum = sum.wrapping_sub(*weight);
        }
    }

    /// The score for a player; `late` are the inputs that are not in the accumulator.
    #[inline]
    pub fn score(&self, net: &Net<H>, viewer: Player, stage: usize, late: &[usize]) -> Score {
        let mut sums = self.0[viewer];
        for input in late {
            for (sum, weight) in sums.iter_mut().zip(&net.first[*input]) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        let mut out = 0;
        for (sum, weight) in sums.iter().zip(&net.last[stage]) {
            let held = (*sum).clamp(0, FIRST as i16);
            // At most 255 × 127, which fits sixteen bits: processors multiply these in pairs.
            out += i32::from(held) * i32::from(held.wrapping_mul(*weight));
        }
        let out = out / FIRST + net.end[stage];
        (i64::from(out) * i64::from(LOG_ODDS) / i64::from(FIRST * LAST)) as Score
    }
}

impl<const H: usize> Net<H> {
    /// The hand-crafted evaluation's part of the score.
    #[inline]
    pub fn part_of_hand(&self, stage: usize, estimate: Score) -> Score {
        estimate * self.hand[stage] / LAST
    }

    /// Reads a net with this number of inputs; fails if the file is damaged.
    pub fn read(packed: &[u8], inputs: usize) -> io::Result<Net<H>> {
        let mut bytes = Vec::new();
        GzDecoder::new(packed).take(16 << 20).read_to_end(&mut bytes)?;
        let words = (inputs + 1 + STAGES) * H + 4 * STAGES;
        let body = bytes.strip_prefix(&header(inputs, H)[..]);
        let Some(body) = body.filter(|body| body.len() == 2 * words) else {
            let expected = format!("no net of {inputs} inputs and {H} hidden cells");
            return Err(io::Error::new(io::ErrorKind::InvalidData, expected));
        };
        let (high, low) = body.split_at(words);
        let word = |(high, low): (&u8, &u8)| i16::from_be_bytes([*high, *low]);
        let mut words = high.iter().zip(low).map(word);
        let mut row = || std::array::from_fn(|_| words.next().unwrap_or_default());
        let first = (0..inputs).map(|_| row()).collect();
        let (bias, last) = (row(), std::array::from_fn(|_| row()));
        let mut numbers = || {
            std::array::from_fn(|_| {
                let high = i32::from(words.next().unwrap_or_default());
                high << 16 | i32::from(words.next().unwrap_or_default() as u16)
            })
        };
        Ok(Net { first, bias, last, end: numbers(), hand: numbers() })
    }

    /// Writes the net compressed: all high bytes before all low ones, since the high ones are similar.
    pub fn write(&self) -> io::Result<Vec<u8>> {
        let mut words: Vec<i16> = self.first.concat();
        words.extend(self.bias);
        words.extend(self.last.concat());
        for number in self.end.iter().chain(&self.hand) {
            words.extend([(number >> 16) as i16, *number as i16]);
        }
        let mut packer = GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&header(self.first.len(), H))?;
        for byte in [0, 1] {
            let bytes: Vec<u8> = words.iter().map(|word| word.to_be_bytes()[byte]).collect();
            packer.write_all(&bytes)?;
        }
        packer.finish()
    }
}

fn header(inputs: usize, hidden: usize) -> Vec<u8> {
    format!("quadrille net 1: {inputs} inputs, {hidden} hidden, {STAGES} stages\n").into_bytes()
}
