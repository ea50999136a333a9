//! Learned judgement: a net with one hidden layer that is kept up to date from move to move.
//!
//! A net sees a position from the side of the player to move: inputs that are present or not, such as
//! "my stack of three on c4". Their weights add up in the hidden layer, so that a move changes the few
//! sums it touches. Everything is counted in whole numbers, so that every machine gets the same score.
//! `docs/engine.md` tells how the nets were made.

use crate::score::Score;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use rules::{Game, Player};
use std::io::{self, Read, Write};

/// Nets have different last layers for different stages of a game.
pub const STAGES: usize = 8;

/// What 1 is in the first layer.
pub const FIRST: i32 = 255;
/// What 1 is in the last layer.
pub const LAST: i32 = 64;
/// What a score of one natural unit of log odds is: at this score the game is won 73 times in a hundred.
pub const LOG_ODDS: i32 = 100;
/// A clear advantage: such a game is won three times in four.
pub const CLEAR: Score = 110;
/// No weight is larger, in natural units: then no sum overflows.
pub const LARGEST: f32 = 1.98;

/// What nets see of a game's positions.
pub trait Seen: Game {
    /// How many inputs there are.
    const INPUTS: usize;

    /// Tells each input that is present, as a player sees the position.
    fn inputs(&self, viewer: Player, tell: &mut impl FnMut(usize));

    /// Tells the inputs that are counted anew for each score, since moves change them in many ways.
    fn late_inputs(&self, _viewer: Player, _tell: &mut impl FnMut(usize)) {}

    /// The hand-made estimate, where a part of it belongs to the score.
    fn by_hand(&self) -> Option<Score> {
        None
    }

    /// The stage of the game, below [`STAGES`].
    fn stage(&self) -> usize;
}

/// A net with `H` cells in its hidden layer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Net<const H: usize> {
    /// The first layer, by input.
    pub first: Vec<[i16; H]>,
    /// What the sums begin with.
    pub bias: [i16; H],
    /// The last layer, by stage.
    pub last: [[i16; H]; STAGES],
    /// What is added at the end, by stage, in the units of both layers together.
    pub end: [i32; STAGES],
    /// How much of the hand-made estimate is added, by stage.
    pub hand: [i32; STAGES],
}

/// The sums of the hidden layer, as each player sees the position.
#[derive(Clone, Debug)]
pub struct Sums<const H: usize>([[i16; H]; 2]);

impl<const H: usize> Default for Sums<H> {
    fn default() -> Self {
        Sums([[0; H]; 2])
    }
}

impl<const H: usize> Sums<H> {
    /// Sums up a position from nothing.
    pub fn begin<G: Seen>(&mut self, net: &Net<H>, pos: &G) {
        self.0 = [net.bias; 2];
        for viewer in Player::BOTH {
            pos.inputs(viewer, &mut |input| self.add(net, viewer, input));
        }
    }

    /// An input comes to be present.
    #[inline]
    pub fn add(&mut self, net: &Net<H>, viewer: Player, input: usize) {
        for (sum, weight) in self.0[viewer.index()].iter_mut().zip(&net.first[input]) {
            *sum = sum.wrapping_add(*weight);
        }
    }

    /// An input is present no more.
    #[inline]
    pub fn take(&mut self, net: &Net<H>, viewer: Player, input: usize) {
        for (sum, weight) in self.0[viewer.index()].iter_mut().zip(&net.first[input]) {
            *sum = sum.wrapping_sub(*weight);
        }
    }

    /// The score for a player; `late` are inputs that are not kept in the sums.
    #[inline]
    pub fn score(&self, net: &Net<H>, viewer: Player, stage: usize, late: &[usize]) -> Score {
        let mut sums = self.0[viewer.index()];
        for input in late {
            for (sum, weight) in sums.iter_mut().zip(&net.first[*input]) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        let mut out = 0;
        for (sum, weight) in sums.iter().zip(&net.last[stage]) {
            let held = (*sum).clamp(0, FIRST as i16);
            // At most 255 × 127, which sixteen bits can hold: processors multiply these in pairs.
            out += i32::from(held) * i32::from(held.wrapping_mul(*weight));
        }
        let out = out / FIRST + net.end[stage];
        (i64::from(out) * i64::from(LOG_ODDS) / i64::from(FIRST * LAST)) as Score
    }
}

impl<const H: usize> Net<H> {
    /// The part of the hand-made estimate that belongs to the score.
    #[inline]
    pub fn part_of_hand(&self, stage: usize, estimate: Score) -> Score {
        estimate * self.hand[stage] / LAST
    }

    /// Reads a net of so many inputs; what was damaged is refused.
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

    /// Writes the net, packed: all high bytes before all low ones, since the high ones are much alike.
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
