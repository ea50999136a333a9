//! Placing discs and moving towers.

use super::{Cell, KING, Last, SelfDefeat, SixMaking, Tower, setup};
use crate::bits::Bits;
use crate::game::{Outcome, ParseMoveError, Player, counted};
use crate::grid::{DIRECTIONS, KNIGHT_JUMPS, outside};
use crate::random::Random;
use std::fmt;
use std::str::FromStr;

/// One move: a new disc, a whole tower, or the top of a tower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Move {
    /// Places a disc on an empty cell.
    Place(Cell),
    /// Moves a whole tower onto another.
    Tower {
        /// The cell it leaves.
        from: Cell,
        /// The cell of the other tower.
        to: Cell,
    },
    /// Moves the top of a tower onto another, so that some discs stay.
    Top {
        /// The cell of the tower.
        from: Cell,
        /// The cell of the other tower.
        to: Cell,
        /// How many discs move.
        discs: u8,
    },
}

impl Move {
    /// The move of this many discs from a tower of this height.
    #[inline]
    pub(super) fn carry(from: Cell, to: Cell, discs: u8, height: usize) -> Move {
        if usize::from(discs) == height {
            Move::Tower { from, to }
        } else {
            Move::Top { from, to, discs }
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Move::Place(cell) => write!(f, "{cell}"),
            Move::Tower { from, to } => write!(f, "{from}-{to}"),
            Move::Top { from, to, discs } => write!(f, "{from}-{to}:{discs}"),
        }
    }
}

impl FromStr for Move {
    type Err = ParseMoveError;

    fn from_str(text: &str) -> Result<Move, ParseMoveError> {
        let expected = "a cell such as `c3`, or `a1-c1`, or `a1-c1:2`";
        read(text.trim()).ok_or_else(|| ParseMoveError::new(text, expected))
    }
}

fn read(text: &str) -> Option<Move> {
    let Some((from, rest)) = text.split_once('-') else {
        return Cell::parse(text).map(Move::Place);
    };
    let from = Cell::parse(from)?;
    let Some((to, discs)) = rest.split_once(':') else {
        return Some(Move::Tower { from, to: Cell::parse(rest)? });
    };
    let [discs @ b'1'..=b'9'] = discs.as_bytes() else { return None };
    Some(Move::Top { from, to: Cell::parse(to)?, discs: discs - b'0' })
}

/// The seeds of the keys: towers by cell, and moves that ko forbids by their ends.
const SEEDS: [u64; 2] = [0x736d_3031, 0x736d_3032];

/// The precomputed keys. The WebAssembly program computes them instead, since they do not compress.
#[cfg(not(target_family = "wasm"))]
mod table {
    use super::SEEDS;
    use crate::random::keys;

    static TOWERS: [[u64; 64]; 25] = {
        let all: [u64; 1600] = keys(SEEDS[0]);
        let mut table = [[0; 64]; 25];
        let mut i = 0;
        while i < 1600 {
            // An empty cell adds nothing.
            if i % 64 != 1 {
                table[i / 64][i % 64] = all[i];
            }
            i += 1;
        }
        table
    };
    static KO: [u64; 25 * 25] = keys(SEEDS[1]);

    #[inline]
    pub fn tower(cell: usize, low: usize) -> u64 {
        TOWERS[cell][low]
    }

    #[inline]
    pub fn ko(ends: usize) -> u64 {
        KO[ends]
    }
}

#[cfg(target_family = "wasm")]
mod table {
    use super::SEEDS;
    use crate::random::key;

    #[inline]
    pub fn tower(cell: usize, low: usize) -> u64 {
        if low == 1 { 0 } else { key(SEEDS[0], cell * 64 + low) }
    }

    #[inline]
    pub fn ko(ends: usize) -> u64 {
        key(SEEDS[1], ends)
    }
}

const TURN_KEY: u64 = Random::new(0x736d_3033).next_u64();

/// What a tower on a cell adds to the key.
#[inline]
fn tower_key(cell: Cell, tower: Tower) -> u64 {
    let bits = u32::from(tower.bits());
    table::tower(cell.index(), bits as usize % 64).rotate_left(bits / 64)
}

/// The sets of cells of each board size.
const fn board(size: usize) -> u32 {
    if size == 4 { 0b01111_01111_01111_01111 } else { 0x1ff_ffff }
}

static STEPS: [u32; 25] = table(false);
static KNIGHT: [u32; 25] = table(true);

const fn table(knight: bool) -> [u32; 25] {
    let mut table = [0; 25];
    let mut i = 0;
    while i < 25 * 8 {
        let (columns, rows) = if knight { KNIGHT_JUMPS[i % 8] } else { DIRECTIONS[i % 8] };
        if (knight || i % 8 < 4)
            && let Some(to) = Cell::new(i / 8).step(columns, rows, 5)
        {
            table[i / 8] |= 1 << to.index();
        }
        i += 1;
    }
    table
}

/// The cells in each direction from each cell.
static RAYS: [[u32; 8]; 25] = {
    let mut table = [[0; 8]; 25];
    let mut i = 0;
    while i < 25 * 8 {
        let (columns, rows) = DIRECTIONS[i % 8];
        let mut at = Cell::new(i / 8);
        while let Some(next) = at.step(columns, rows, 5) {
            table[i / 8][i % 8] |= 1 << next.index();
            at = next;
        }
        i += 1;
    }
    table
};

/// The first tower in each of four directions: straight from 0, diagonal from 4.
#[inline]
fn first_hits(cell: Cell, first: usize, occupied: u32) -> u32 {
    let rays = &RAYS[cell.index()];
    // The first two of each four directions lead to higher cells, the last two to lower ones.
    let lowest = |set: u32| set & set.wrapping_neg();
    let highest = |set: u32| if set == 0 { 0 } else { 1 << (31 - set.leading_zeros()) };
    lowest(rays[first] & occupied)
        | lowest(rays[first + 1] & occupied)
        | highest(rays[first + 2] & occupied)
        | highest(rays[first + 3] & occupied)
}

/// The cells that a tower of this height reaches; it may land only on occupied ones.
#[inline]
pub(super) fn reach(cell: Cell, height: usize, occupied: u32) -> u32 {
    match height {
        1 => STEPS[cell.index()] & occupied,
        2 => first_hits(cell, 0, occupied),
        3 => KNIGHT[cell.index()] & occupied,
        4 => first_hits(cell, 4, occupied),
        5 => first_hits(cell, 0, occupied) | first_hits(cell, 4, occupied),
        _ => 0,
    }
}

#[inline]
fn cells(set: u32) -> impl Iterator<Item = Cell> {
    set.bits().map(Cell::new)
}

impl SixMaking {
    /// The set of the board's cells.
    #[inline]
    pub fn board(&self) -> u32 {
        board(self.size())
    }

    #[inline]
    pub(super) fn append_placements(&self, out: &mut Vec<Move>) {
        if self.reserve(self.turn) == 0 {
            return;
        }
        out.reserve(32);
        out.extend(cells(self.board() & !self.occupied).map(Move::Place));
    }

    #[inline]
    pub(super) fn append_carries(&self, out: &mut Vec<Move>) {
        let ko = self.ko();
        for from in cells(self.occupied) {
            let tower = self.tower(from);
            let height = tower.height();
            let may_crown = tower.top() == self.turn || self.self_defeat == SelfDefeat::Allowed;
            for to in cells(reach(from, height, self.occupied)) {
                let most = if may_crown {
                    height
                } else {
                    (KING - 1).saturating_sub(self.tower(to).height())
                };
                if height <= most {
                    out.push(Move::Tower { from, to });
                }
                for discs in 1..=most.min(height - 1) as u8 {
                    let m = Move::Top { from, to, discs };
                    if ko != Some(m) {
                        out.push(m);
                    }
                }
            }
        }
    }

    /// Whether a move obeys the rules, in a game that is not over.
    #[inline]
    pub(super) fn may_make(&self, m: Move) -> bool {
        let (from, to, discs) = match m {
            Move::Place(cell) => {
                let empty = self.board() & !self.occupied;
                return self.reserve(self.turn) > 0 && empty >> cell.index() & 1 == 1;
            }
            Move::Tower { from, to } => (from, to, self.tower(from).height()),
            Move::Top { from, to, discs } => (from, to, usize::from(discs)),
        };
        let tower = self.tower(from);
        let height = tower.height();
        let whole = matches!(m, Move::Tower { .. });
        let crowns = discs + self.tower(to).height() >= KING;
        height > 0
            && (whole || (1..height).contains(&discs) && self.ko() != Some(m))
            && reach(from, height, self.occupied) >> to.index() & 1 == 1
            && (!crowns || tower.top() == self.turn || self.self_defeat == SelfDefeat::Allowed)
    }

    /// Whether the player to move has any move; most often there is an empty cell and a disc for it.
    #[inline]
    pub(super) fn can_move(&self) -> bool {
        if self.reserve(self.turn) > 0 && self.occupied != self.board() {
            return true;
        }
        let mut moves = Vec::new();
        self.append_carries(&mut moves);
        !moves.is_empty()
    }

    #[inline]
    pub(super) fn make(&mut self, m: Move) {
        let mover = self.turn;
        let old_ko = self.ko_key();
        match m {
            Move::Place(cell) => self.put(cell, mover),
            Move::Tower { from, to } => self.carry(from, to, self.tower(from).height()),
            Move::Top { from, to, discs } => self.carry(from, to, usize::from(discs)),
        }
        self.turn = mover.other();
        self.key ^= TURN_KEY ^ old_ko ^ self.ko_key();
        if self.outcome.is_none() && !self.can_move() {
            self.outcome = Some(Outcome::Win(mover));
        }
    }

    #[inline]
    fn put(&mut self, cell: Cell, owner: Player) {
        self.set(cell, Tower::disc(owner));
        self.discs[owner] += 1;
        self.last = Some(Last::Placed { cell });
        self.ko = false;
    }

    #[inline]
    fn carry(&mut self, from: Cell, to: Cell, discs: usize) {
        let (rest, part) = self.tower(from).split(discs);
        let built = self.tower(to).with(part);
        self.set(from, rest);
        self.set(to, built);
        self.last = Some(Last::Moved { from, to, discs: discs as u8 });
        self.ko = self.could_undo();
        if built.height() >= KING {
            self.outcome = Some(Outcome::Win(built.top()));
        }
    }

    #[inline]
    fn set(&mut self, cell: Cell, tower: Tower) {
        let old = self.towers[cell.index()];
        self.key ^= tower_key(cell, old) ^ tower_key(cell, tower);
        self.towers[cell.index()] = tower;
        let bit = 1 << cell.index();
        self.occupied = if tower.is_empty() { self.occupied & !bit } else { self.occupied | bit };
    }

    /// Whether undoing the last move would be legal but for the ko rule.
    #[inline]
    pub(super) fn could_undo(&self) -> bool {
        let Some(Last::Moved { from, to, .. }) = self.last else { return false };
        reach(to, self.tower(to).height(), self.occupied) >> from.index() & 1 == 1
    }

    #[inline]
    fn ko_key(&self) -> u64 {
        match self.last {
            Some(Last::Moved { from, to, discs }) if self.ko => {
                table::ko(from.index() * 25 + to.index()).rotate_left(discs.into())
            }
            _ => 0,
        }
    }

    pub(super) fn fresh_key(&self) -> u64 {
        let turn = if self.turn == Player::Two { TURN_KEY } else { 0 };
        let towers = Cell::all(5).map(|cell| tower_key(cell, self.tower(cell)));
        towers.fold(turn ^ self.ko_key(), |key, tower| key ^ tower)
    }

    pub(super) fn object(&self, m: Move) -> String {
        let (from, to, discs) = match m {
            Move::Place(cell) => (cell, cell, 1),
            Move::Tower { from, to } => (from, to, self.tower(from).height()),
            Move::Top { from, to, discs } => (from, to, usize::from(discs)),
        };
        if let Some(reason) = outside(&[from, to], self.size()) {
            return reason;
        }
        let height = self.tower(from).height();
        match m {
            Move::Place(cell) if height > 0 => return format!("{cell} is occupied"),
            Move::Place(_) => {
                return format!("all your {} discs are on the board", setup::discs_each(self.size));
            }
            _ if height == 0 => return format!("{from} is empty"),
            Move::Top { .. } if discs >= height => {
                let discs = counted(height, "disc");
                return format!(
                    "the tower on {from} has {discs}; write {from}-{to} to move all of it"
                );
            }
            _ => {}
        }
        if self.tower(to).is_empty() {
            return format!("{to} is empty, and towers move only onto other towers");
        }
        if reach(from, height, self.occupied) >> to.index() & 1 == 0 {
            return format!("a tower of {height} on {from} does not reach {to}");
        }
        if self.ko() == Some(m) {
            return "it would undo the opponent's last move (ko)".into();
        }
        "it would build a king that the opponent tops".into()
    }
}
