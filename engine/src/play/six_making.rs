//! Six MaKING: whoever can crown a king does; otherwise towers count by what they may become.

use super::Play;
use crate::evaluate::Estimate;
use crate::score::{Score, win_after};
use crate::seed::{self, Seed};
use crate::solve::Prove;
use rules::six_making::{Cell, KING, Move, SixMaking};
use rules::{Game, Player, Symmetric};

/// The judgement of Six MaKING.
#[derive(Debug, Default)]
pub struct Judge;

#[inline]
fn pop(set: &mut u32) -> Cell {
    let cell = Cell::new(set.trailing_zeros() as usize);
    *set &= *set - 1;
    cell
}

/// What towers and their reach are worth, and whether a king can be crowned.
#[derive(Default)]
struct Count {
    value: [i32; 2],
    /// Ways to crown a king, were it that player's turn.
    crowns: [i32; 2],
}

/// A tower's worth to the owner of its top.
const TOWER: [i32; 7] = [0, 6, 14, 26, 38, 60, 0];

fn count(pos: &SixMaking) -> Count {
    let mut count = Count::default();
    let mut rest = pos.occupied();
    while rest != 0 {
        let cell = pop(&mut rest);
        let tower = pos.tower(cell);
        let height = tower.height();
        let owner = tower.top().index();
        count.value[owner] += TOWER[height.min(6)];
        let mut targets = pos.reach(cell);
        while targets != 0 {
            let built = height + pos.tower(pop(&mut targets)).height();
            if built >= KING {
                count.crowns[owner] += 1;
            } else {
                count.value[owner] += built as i32;
            }
        }
    }
    count
}

/// Whether a player could crown a king, were it that player's turn.
fn can_crown(pos: &SixMaking, player: Player) -> bool {
    let mut rest = pos.occupied();
    while rest != 0 {
        let cell = pop(&mut rest);
        let tower = pos.tower(cell);
        if tower.top() != player {
            continue;
        }
        let height = tower.height();
        let mut targets = pos.reach(cell);
        while targets != 0 {
            if height + pos.tower(pop(&mut targets)).height() >= KING {
                return true;
            }
        }
    }
    false
}

impl Estimate for Judge {
    type Game = SixMaking;
    type State = ();

    fn evaluate(&self, pos: &SixMaking, (): &()) -> Score {
        let count = count(pos);
        let (me, them) = (pos.turn().index(), pos.turn().other().index());
        let reserve =
            i32::from(pos.reserve(pos.turn())) - i32::from(pos.reserve(pos.turn().other()));
        count.value[me] - count.value[them] - 40 * i32::from(count.crowns[them] > 0) + 3 * reserve
    }

    fn known(&self, pos: &SixMaking) -> Option<Score> {
        can_crown(pos, pos.turn()).then_some(win_after(1))
    }

    fn unit(&self) -> i32 {
        40
    }

    fn is_lively(&self, pos: &SixMaking) -> bool {
        can_crown(pos, pos.turn().other())
    }

    fn promise(&self, pos: &SixMaking, m: Move) -> i32 {
        let (from, to, discs) = match m {
            Move::Place(_) => return 0,
            Move::Tower { from, to } => (from, to, pos.tower(from).height()),
            Move::Top { from, to, discs } => (from, to, usize::from(discs)),
        };
        let built = discs + pos.tower(to).height();
        let mine = pos.tower(from).top() == pos.turn();
        match (built >= KING, mine) {
            (true, true) => 900_000,
            (true, false) => -900_000,
            (false, true) => 300 * built as i32,
            (false, false) => -100 * built as i32,
        }
    }
}

impl Prove for Judge {
    fn overlooks_no_win(&self, pos: &SixMaking) -> bool {
        // An opponent who can still place is not out of moves.
        let empty = pos.size() * pos.size() - pos.occupied().count_ones() as usize;
        pos.reserve(pos.turn().other()) > 0 && empty > 1
    }

    fn proof_key(&self, pos: &SixMaking) -> u64 {
        pos.canonical_key()
    }

    fn proves(&self) -> bool {
        true
    }
}

impl Play for SixMaking {
    type Judge = Judge;
    const SEED: Option<Seed<Self>> = Some(seed::six_making::SEED);
    const PUZZLES: &'static str = include_str!("../puzzles/six-making.txt");
    const BENCH_DEPTH: u32 = 6;
}
