//! Six MaKING: kings that can be crowned at once are detected without search; otherwise towers count by their
//! potential.

use super::Play;
use super::seen::six_making as seen;
use crate::evaluate::Estimate;
use crate::levels::{Skills, skill};
use crate::net::{Accumulator, CLEAR, Net, Seen};
use crate::score::{Score, win_after};
use crate::seed::{self, Seed};
use crate::solve::Prove;
use rules::six_making::{Cell, KING, Move, SixMaking};
use rules::{Bits, ByPlayer, Game, Player};

/// The evaluator of Six MaKING.
#[derive(Debug)]
pub struct Judge {
    /// The nets of the boards of side four and five.
    nets: [Option<&'static Net<{ seen::HIDDEN }>>; 2],
}

impl Judge {
    /// An evaluator with this net, for the board it was trained on.
    pub fn with(net: &'static Net<{ seen::HIDDEN }>, size: u8) -> Judge {
        let mut nets = [None; 2];
        nets[usize::from(size == 5)] = Some(net);
        Judge { nets }
    }

    #[inline]
    fn net(&self, pos: &SixMaking) -> Option<&'static Net<{ seen::HIDDEN }>> {
        self.nets[usize::from(pos.size() == 5)]
    }
}

impl Default for Judge {
    fn default() -> Judge {
        Judge { nets: seen::nets() }
    }
}

#[inline]
fn cells(set: u32) -> impl Iterator<Item = Cell> {
    set.bits().map(Cell::new)
}

/// The value of a player's towers and their reach, and the ways to crown a king.
#[derive(Default)]
struct Count {
    value: ByPlayer<i32>,
    /// Ways to crown a king, were it that player's turn.
    crowns: ByPlayer<i32>,
}

/// The value of a tower to its owner.
const TOWER: [i32; 7] = [0, 6, 14, 26, 38, 60, 0];

fn count(pos: &SixMaking) -> Count {
    let mut count = Count::default();
    for cell in cells(pos.occupied()) {
        let tower = pos.tower(cell);
        let height = tower.height();
        let owner = tower.top();
        count.value[owner] += TOWER[height.min(6)];
        for target in cells(pos.reach(cell)) {
            let built = height + pos.tower(target).height();
            if built >= KING {
                count.crowns[owner] += 1;
            } else {
                count.value[owner] += built as i32;
            }
        }
    }
    count
}

/// The hand-crafted evaluation.
pub fn by_hand(pos: &SixMaking) -> Score {
    let count = count(pos);
    let (me, them) = (pos.turn(), pos.turn().other());
    let reserve = i32::from(pos.reserve(pos.turn())) - i32::from(pos.reserve(pos.turn().other()));
    count.value[me] - count.value[them] - 40 * i32::from(count.crowns[them] > 0) + 3 * reserve
}

/// Whether a player could crown a king, were it that player's turn.
fn can_crown(pos: &SixMaking, player: Player) -> bool {
    cells(pos.occupied()).filter(|cell| pos.tower(*cell).top() == player).any(|cell| {
        let height = pos.tower(cell).height();
        cells(pos.reach(cell)).any(|target| height + pos.tower(target).height() >= KING)
    })
}

impl Estimate for Judge {
    type Game = SixMaking;
    type State = Accumulator<{ seen::HIDDEN }>;

    fn refresh(&self, pos: &SixMaking, sums: &mut Self::State) {
        if let Some(net) = self.net(pos) {
            sums.refresh(net, pos);
        }
    }

    fn update(
        &self,
        before: &Self::State,
        pos: &SixMaking,
        m: Move,
        next: &SixMaking,
        sums: &mut Self::State,
    ) {
        let Some(net) = self.net(pos) else { return };
        sums.clone_from(before);
        let mut change = |cell: Cell| {
            for viewer in Player::BOTH {
                let [old, new] = [pos, next].map(|pos| seen::tower(pos, viewer, cell));
                sums.replace(net, viewer, old, new);
            }
        };
        match m {
            Move::Tower { from, to } | Move::Top { from, to, .. } => {
                change(from);
                change(to);
            }
            Move::Place(cell) => {
                change(cell);
                for viewer in Player::BOTH {
                    let (old, new) = (seen::reserves(pos, viewer), seen::reserves(next, viewer));
                    let which = usize::from(viewer != pos.turn());
                    sums.swap(net, viewer, old[which], new[which]);
                }
            }
        }
    }

    fn evaluate(&self, pos: &SixMaking, sums: &Self::State) -> Score {
        let by_hand = by_hand(pos);
        let Some(net) = self.net(pos) else { return by_hand };
        let stage = pos.stage();
        sums.score(net, pos.turn(), stage, &[]) + net.part_of_hand(stage, by_hand)
    }

    fn known(&self, pos: &SixMaking) -> Option<Score> {
        can_crown(pos, pos.turn()).then_some(win_after(1))
    }

    fn unit(&self, pos: &SixMaking) -> i32 {
        if self.net(pos).is_some() { CLEAR } else { 40 }
    }

    fn move_count_limit(&self, pos: &SixMaking, depth: i32) -> usize {
        let depth = depth.clamp(0, 60) as usize;
        if self.net(pos).is_some() { 8 + 4 * depth + depth * depth / 2 } else { usize::MAX }
    }

    fn futility_margin(&self, pos: &SixMaking) -> Option<i32> {
        Some(self.unit(pos) * 3 / 5)
    }

    fn is_unstable(&self, pos: &SixMaking) -> bool {
        can_crown(pos, pos.turn().other())
    }

    fn score_moves(&self, pos: &SixMaking, sums: &Self::State, moves: &mut [(i32, u16, Move)]) {
        let Some(net) = self.net(pos) else {
            moves.iter_mut().for_each(|(worth, _, m)| *worth += order_by_hand(pos, *m));
            return;
        };
        let policy = sums.policy(net, pos.turn(), &[]);
        for (worth, _, m) in moves {
            *worth += policy.order(order_by_hand(pos, *m));
            pos.slots(*m, &mut |slot| *worth += policy.slot(slot));
        }
    }
}

/// The hand-crafted ordering score of a move.
fn order_by_hand(pos: &SixMaking, m: Move) -> i32 {
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

impl Prove for Judge {
    fn overlooks_no_win(&self, pos: &SixMaking) -> bool {
        // An opponent who can still place is not out of moves.
        let empty = pos.size() * pos.size() - pos.occupied().count_ones() as usize;
        pos.reserve(pos.turn().other()) > 0 && empty > 1
    }
}

impl Play for SixMaking {
    type Judge = Judge;

    fn by_hand() -> Judge {
        Judge { nets: [None; 2] }
    }

    const SEED: Option<Seed<Self>> = Some(seed::six_making::SEED);
    const SKILLS: Skills = [
        skill(60, 1_171, 89),
        skill(200, 306, 37),
        skill(380, 135, 17),
        skill(670, 78, 8),
        skill(1_200, 48, 3),
        skill(2_200, 31, 1),
        skill(4_400, 19, 0),
        skill(10_000, 11, 0),
        skill(28_000, 5, 0),
    ];
    const LEVEL_ELO: &'static [i32] = &[-270, 60, 170, 410, 510, 700, 840, 960, 1_070];
    const LOG_ODDS: f64 = 84.0;
    const BENCH_DEPTH: u32 = 6;
}
