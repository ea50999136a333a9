//! Learned evaluation: an efficiently updatable neural network (NNUE) with one hidden layer.
//!
//! A net sees a position from the side of the player to move: inputs that are present or not, such as "my
//! stack of three on c4". Their weights add up in the hidden layer, so a move changes only the few sums it
//! touches. Two heads read that layer: the value of the position, and a policy that says how likely each move is
//! to be the best, for move ordering. All arithmetic is on integers, so every machine gets the same numbers.
//! `docs/engine.md` describes the training.

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
    fn hand_eval(&self) -> Option<Score> {
        None
    }

    /// The stage of the game, below [`STAGES`].
    fn stage(&self) -> usize;

    /// How many slots the policy has.
    const SLOTS: usize;

    /// Calls back with the policy slots of a move, whose outputs add up to the move's.
    fn slots(&self, m: Self::Move, tell: &mut impl FnMut(usize));
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
    /// The policy, by slot.
    pub policy: Vec<[i16; H]>,
    /// The weight of the hand-crafted move ordering in the policy.
    pub order: i32,
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

    /// Deactivates an input and activates another.
    #[inline]
    pub fn swap(&mut self, net: &Net<H>, viewer: Player, old: usize, new: usize) {
        let weights = net.first[old].iter().zip(&net.first[new]);
        for (sum, (old, new)) in self.0[viewer].iter_mut().zip(weights) {
            *sum = sum.wrapping_sub(*old).wrapping_add(*new);
        }
    }

    /// Deactivates one input and activates another, where there are such.
    #[inline]
    pub fn replace(
        &mut self,
        net: &Net<H>,
        viewer: Player,
        old: Option<usize>,
        new: Option<usize>,
    ) {
        match (old, new) {
            (Some(old), Some(new)) => self.swap(net, viewer, old, new),
            (Some(old), None) => self.take(net, viewer, old),
            (None, Some(new)) => self.add(net, viewer, new),
            (None, None) => {}
        }
    }

    /// The hidden layer from a player's point of view; `late` are the inputs that are not in the accumulator.
    #[inline]
    fn hidden(&self, net: &Net<H>, viewer: Player, late: &[usize]) -> [i16; H] {
        let mut sums = self.0[viewer];
        for input in late {
            for (sum, weight) in sums.iter_mut().zip(&net.first[*input]) {
                *sum = sum.wrapping_add(*weight);
            }
        }
        sums
    }

    /// The policy for a player's moves.
    #[inline]
    pub fn policy<'n>(&self, net: &'n Net<H>, viewer: Player, late: &[usize]) -> Policy<'n, H> {
        Policy { held: clipped(self.hidden(net, viewer, late)), net }
    }

    /// The score for a player; `late` are the inputs that are not in the accumulator.
    #[inline]
    pub fn score(&self, net: &Net<H>, viewer: Player, stage: usize, late: &[usize]) -> Score {
        let held = clipped(self.hidden(net, viewer, late));
        let mut scaled = held;
        for (held, weight) in scaled.iter_mut().zip(&net.last[stage]) {
            // At most 255 × 127, which fits.
            *held = held.wrapping_mul(*weight);
        }
        let out = dot(&held, &scaled);
        let out = out / FIRST + net.end[stage];
        (i64::from(out) * i64::from(LOG_ODDS) / i64::from(FIRST * LAST)) as Score
    }
}

/// The hidden layer after its sums are cut off at 0 and 1.
#[inline]
fn clipped<const H: usize>(sums: [i16; H]) -> [i16; H] {
    sums.map(|sum| sum.clamp(0, FIRST as i16))
}

/// The sum of the products, written in pairs: that is how processors multiply words, and the compiler does not see it
/// in a plain loop.
#[inline]
fn dot<const H: usize>(a: &[i16; H], b: &[i16; H]) -> i32 {
    const { assert!(H.is_multiple_of(2)) };
    let (a, b) = (a.as_chunks::<2>().0, b.as_chunks::<2>().0);
    let product = |a: i16, b: i16| i32::from(a) * i32::from(b);
    a.iter().zip(b).map(|(a, b)| product(a[0], b[0]) + product(a[1], b[1])).sum()
}

/// A net's policy in one position.
pub struct Policy<'n, const H: usize> {
    /// The hidden layer, clipped.
    held: [i16; H],
    net: &'n Net<H>,
}

impl<const H: usize> Policy<'_, H> {
    /// The output of a slot: of two moves, the one with [`LOGIT`] more is e times as likely to be the best.
    #[inline]
    pub fn slot(&self, slot: usize) -> i32 {
        dot(&self.held, &self.net.policy[slot]) >> LOGIT_SHIFT
    }

    /// The part of the hand-crafted move ordering in a move's output.
    #[inline]
    pub fn order(&self, by_hand: i32) -> i32 {
        by_hand.clamp(-ORDER_LIMIT, ORDER_LIMIT) * self.net.order / ORDER_UNIT
    }
}

const LOGIT_SHIFT: u32 = 4;
/// One unit of log odds in the policy.
pub const LOGIT: i32 = (FIRST * LAST) >> LOGIT_SHIFT;
/// The hand-crafted ordering scores of moves are about this large.
pub const ORDER_UNIT: i32 = 256;
/// Beyond this a hand-crafted ordering score stands for something forced.
pub const ORDER_LIMIT: i32 = 100_000;

impl<const H: usize> Net<H> {
    /// The hand-crafted evaluation's part of the score.
    #[inline]
    pub fn part_of_hand(&self, stage: usize, estimate: Score) -> Score {
        estimate * self.hand[stage] / LAST
    }

    /// Reads the net of a game; fails if the file is damaged.
    pub fn read<G: Seen>(packed: &[u8]) -> io::Result<Net<H>> {
        let (inputs, slots) = (G::INPUTS, G::SLOTS);
        let mut bytes = Vec::new();
        GzDecoder::new(packed).take(16 << 20).read_to_end(&mut bytes)?;
        let words = (inputs + 1 + STAGES + slots) * H + 4 * STAGES + 2;
        let body = bytes.strip_prefix(&header(inputs, H, slots)[..]);
        let Some(body) = body.filter(|body| body.len() == 2 * words) else {
            let expected = format!("no net of {inputs} inputs, {H} hidden cells and {slots} slots");
            return Err(io::Error::new(io::ErrorKind::InvalidData, expected));
        };
        let (high, low) = body.split_at(words);
        let word = |(high, low): (&u8, &u8)| i16::from_be_bytes([*high, *low]);
        let mut words = high.iter().zip(low).map(word);
        let mut row = || std::array::from_fn(|_| words.next().unwrap_or_default());
        let first = (0..inputs).map(|_| row()).collect();
        let policy = (0..slots).map(|_| row()).collect();
        let (bias, last) = (row(), std::array::from_fn(|_| row()));
        let mut number = || {
            let high = i32::from(words.next().unwrap_or_default());
            high << 16 | i32::from(words.next().unwrap_or_default() as u16)
        };
        let mut numbers = || std::array::from_fn(|_| number());
        let (end, hand) = (numbers(), numbers());
        Ok(Net { first, bias, last, end, hand, policy, order: number() })
    }

    /// Writes the net compressed: all high bytes before all low ones, since the high ones are similar.
    pub fn write(&self) -> io::Result<Vec<u8>> {
        let mut words: Vec<i16> = self.first.concat();
        words.extend(self.policy.concat());
        words.extend(self.bias);
        words.extend(self.last.concat());
        for number in self.end.iter().chain(&self.hand).chain([&self.order]) {
            words.extend([(number >> 16) as i16, *number as i16]);
        }
        let mut packer = GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(&header(self.first.len(), H, self.policy.len()))?;
        for byte in [0, 1] {
            let bytes: Vec<u8> = words.iter().map(|word| word.to_be_bytes()[byte]).collect();
            packer.write_all(&bytes)?;
        }
        packer.finish()
    }
}

fn header(inputs: usize, hidden: usize, slots: usize) -> Vec<u8> {
    format!("quadrille net 2: {inputs} inputs, {hidden} hidden, {STAGES} stages, {slots} slots\n")
        .into_bytes()
}
