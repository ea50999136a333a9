//! The reduced game of Jeson Mor on bitboards, with incremental keys of all eight images.
//!
//! The centre stays empty: `play/jeson_mor.rs` explains why a majority on the ring wins, and which moves
//! remain while nobody has one.

use rules::jeson_mor::{Cell, JesonMor, jumps};
use rules::random::{Random, spread};
use rules::{Bits, Game, Player};

/// The side that tries to win, and the side that prevents it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum Side {
    Attacker,
    Defender,
}

impl Side {
    pub(in crate::solve) fn other(self) -> Side {
        match self {
            Side::Attacker => Side::Defender,
            Side::Defender => Side::Attacker,
        }
    }
}

/// A position: the attacker's and the defender's knights, and a key for each image.
#[derive(Clone, Copy, Debug)]
pub(in crate::solve) struct State {
    pub(in crate::solve) knights: [u128; 2],
    keys: [u64; 8],
}

impl State {
    /// A key that is equal for all eight images and evenly distributed.
    #[inline]
    pub(in crate::solve) fn key(&self, to_move: Side) -> u64 {
        const DEFENDING: u64 = 0xd1b5_4a32_d192_ed03;
        let least = self.keys.iter().fold(u64::MAX, |least, key| least.min(*key));
        spread(if to_move == Side::Attacker { least } else { least ^ DEFENDING })
    }

    /// A second hash that is equal for all eight images.
    #[inline]
    pub(in crate::solve) fn sum(&self) -> u64 {
        spread(self.keys.iter().fold(0, |sum: u64, key| sum.wrapping_add(*key)))
    }

    #[inline]
    pub(in crate::solve) fn of(&self, side: Side) -> u128 {
        self.knights[side as usize]
    }
}

/// What follows from counting the knights on the ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::solve) enum Count {
    /// The player to move wins, or loses.
    Decided(bool),
    /// The cells worth moving to, and whether that includes quiet moves.
    Open { targets: u128, quiet: bool },
}

/// A board of one size.
pub(in crate::solve) struct Board {
    jumps: [u128; 121],
    keys: Box<[[[u64; 8]; 121]; 2]>,
    pub(in crate::solve) ring: u128,
    pub(in crate::solve) centre: u128,
    /// The cells a jump from the ring.
    pub(in crate::solve) near: u128,
}

impl Board {
    pub(in crate::solve) fn new(size: usize) -> Board {
        let mut random = Random::new(0x6a6d_7175);
        let mut keys = Box::new([[[0; 8]; 121]; 2]);
        let fresh: [[u64; 121]; 2] =
            std::array::from_fn(|_| std::array::from_fn(|_| random.next_u64()));
        let mut table = [0; 121];
        for cell in Cell::all(size) {
            table[cell.index()] = jumps(cell, size);
            for (keys, fresh) in keys.iter_mut().zip(&fresh) {
                keys[cell.index()] =
                    std::array::from_fn(|which| fresh[cell.image(which, size).index()]);
            }
        }
        let centre = Cell::at(size / 2, size / 2);
        let (ring, centre) = (jumps(centre, size), 1 << centre.index());
        let near = ring.bits().fold(0, |near, cell| near | table[cell]) & !ring & !centre;
        Board { jumps: table, keys, ring, centre, near }
    }

    /// The state of a position whose centre is empty.
    pub(in crate::solve) fn state(&self, pos: &JesonMor, attacker: Player) -> State {
        let knights = [pos.knights(attacker), pos.knights(attacker.other())];
        let mut keys = [0; 8];
        for (set, table) in knights.into_iter().zip(self.keys.iter()) {
            for cell in set.bits() {
                toggle(&mut keys, &table[cell]);
            }
        }
        State { knights, keys }
    }

    /// Counts the knights on the ring, and returns what follows.
    #[inline]
    pub(in crate::solve) fn count(&self, state: &State, to_move: Side) -> Count {
        let (own, their) = (state.of(to_move), state.of(to_move.other()));
        let mine = (own & self.ring).count_ones() as i32;
        let theirs = (their & self.ring).count_ones() as i32;
        match theirs - mine {
            0 => Count::Open { targets: !own & !self.centre, quiet: true },
            1 => Count::Open { targets: self.ring & !own, quiet: false },
            2 => Count::Open { targets: self.ring & their, quiet: false },
            less => Count::Decided(less < 0),
        }
    }

    /// How many knights on the ring a side is behind.
    #[inline]
    pub(in crate::solve) fn behind(&self, state: &State, side: Side) -> i32 {
        let on_ring = |side: Side| (state.of(side) & self.ring).count_ones() as i32;
        on_ring(side.other()) - on_ring(side)
    }

    /// How many moves a side has to these cells.
    #[inline]
    pub(in crate::solve) fn room(&self, state: &State, side: Side, targets: u128) -> u32 {
        let reached = |from| (self.jumps(from) & targets).count_ones();
        self.movers(state, side).bits().map(reached).sum()
    }

    /// The knights that may move: those on the ring are frozen.
    #[inline]
    pub(in crate::solve) fn movers(&self, state: &State, to_move: Side) -> u128 {
        state.of(to_move) & !self.ring
    }

    #[inline]
    pub(in crate::solve) fn jumps(&self, cell: usize) -> u128 {
        self.jumps[cell & 127]
    }

    /// How many of a side's knights off the ring have a quiet move, counting up to two.
    #[inline]
    pub(in crate::solve) fn restless(&self, state: &State, side: Side) -> u32 {
        let quiet = !state.of(side) & !self.centre & !self.ring;
        let mut found = 0;
        for cell in self.movers(state, side).bits() {
            found += u32::from(self.jumps(cell) & quiet != 0);
            if found == 2 {
                break;
            }
        }
        found
    }

    /// The state after a jump.
    #[inline]
    pub(in crate::solve) fn after(
        &self,
        state: &State,
        to_move: Side,
        from: usize,
        to: usize,
    ) -> State {
        let mut next = *state;
        let (me, them) = (to_move as usize, to_move.other() as usize);
        let (from, to) = (from & 127, to & 127);
        next.knights[me] ^= 1 << from | 1 << to;
        toggle(&mut next.keys, &self.keys[me][from]);
        toggle(&mut next.keys, &self.keys[me][to]);
        if next.knights[them] >> to & 1 == 1 {
            next.knights[them] ^= 1 << to;
            toggle(&mut next.keys, &self.keys[them][to]);
        }
        next
    }
}

impl Board {
    /// The jump with this number, counted from 1 over all jumps of the knights that may move.
    pub(in crate::solve) fn jump(
        &self,
        state: &State,
        to_move: Side,
        number: u8,
    ) -> Option<(usize, usize)> {
        let jumps = self
            .movers(state, to_move)
            .bits()
            .flat_map(|from| self.jumps(from).bits().map(move |to| (from, to)));
        jumps.zip(1u8..).find(|(_, at)| *at == number).map(|(jump, _)| jump)
    }
}

#[inline]
fn toggle(keys: &mut [u64; 8], with: &[u64; 8]) {
    for (key, with) in keys.iter_mut().zip(with) {
        *key ^= with;
    }
}

/// The win distance, in turns of the attacker, of a game that is over or that counting decides.
pub(in crate::solve) fn won_by_counting(pos: &JesonMor, attacker: Player) -> Option<u32> {
    super::super::strategy::won_at_sight(&crate::play::jeson_mor::Judge::BY_HAND, attacker, pos)
}

/// Whether the reduced game applies: the goal is to leave the centre, and it is empty.
pub(in crate::solve) fn is_reduced(pos: &JesonMor) -> bool {
    let ring = jumps(pos.centre(), pos.size());
    let full = |player| pos.knights(player) & ring == ring;
    let held = (pos.knights(Player::One) | pos.knights(Player::Two)) >> pos.centre().index() & 1;
    pos.goal() == rules::jeson_mor::Goal::Leave
        && pos.outcome().is_none()
        && held == 0
        && !full(Player::One)
        && !full(Player::Two)
}
