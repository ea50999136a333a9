//! The net inputs of each game, and the nets that come with the program.

use crate::net::{Net, STAGES, Seen};
use crate::parts::{self, Part};
use crate::score::Score;
use rules::gekitai::{Both, Gekitai, Place};
use rules::glaisher::Glaisher;
use rules::hex::{self, Hex};
use rules::jeson_mor::{Goal, JesonMor, Jump, jumps};
use rules::six_making::{Cell, SelfDefeat, SixMaking};
use rules::{Bits, Game, Player};
use std::sync::OnceLock;

/// The kind of evaluation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judgement {
    /// Learned, if there is a net for the game and its options.
    #[default]
    Learned,
    /// Hand-crafted.
    Hand,
}

impl Judgement {
    /// Both, with their names in options.
    pub const NAMED: [(&'static str, Judgement); 2] =
        [("learned", Judgement::Learned), ("hand", Judgement::Hand)];

    /// The evaluation of this name, ignoring case.
    pub fn named(name: &str) -> Option<Judgement> {
        let found = Judgement::NAMED.iter().find(|(own, _)| own.eq_ignore_ascii_case(name))?;
        Some(found.1)
    }
}

/// A net that comes with the program, read when it becomes available; `None` if it is damaged.
fn shipped<G: Seen, const H: usize>(
    kept: &'static OnceLock<Option<Net<H>>>,
    part: &'static Part,
) -> Option<&'static Net<H>> {
    let packed = part.bytes()?;
    kept.get_or_init(|| Net::read::<G>(packed).ok()).as_ref()
}

pub(super) mod glaisher {
    use super::*;
    use crate::play::glaisher::missing as count_missing;
    use rules::glaisher::Move;
    use rules::hex::Direction;

    pub const HIDDEN: usize = 64;
    const HEIGHTS: usize = 10;
    const MISSING: usize = hex::CELLS * 2 * HEIGHTS;
    /// Distinct numbers of missing cells.
    const COUNTS: usize = 11;
    const MIN_PARTS: usize = MISSING + 2 * COUNTS;
    const LANDINGS: usize = hex::CELLS * 7;

    /// The policy slot of the cell and the direction of a shift.
    #[inline]
    pub fn leaving(from: Hex, direction: Direction) -> usize {
        hex::CELLS + from.index() * 6 + direction as usize
    }

    /// The policy slot of a cell on which a part lands.
    #[inline]
    pub fn landing(cell: Hex) -> usize {
        LANDINGS + cell.index()
    }

    /// Whether there is a net for this board.
    #[inline]
    pub fn covers(pos: &Glaisher) -> bool {
        pos.board().side() == 5
    }

    /// The stack on a cell.
    #[inline]
    pub fn stack(pos: &Glaisher, viewer: Player, cell: Hex) -> Option<usize> {
        let height = usize::from(pos.height(cell)).min(HEIGHTS);
        let theirs = usize::from(pos.stacks(viewer) & cell.bit() == 0);
        height.checked_sub(1).map(|height| (cell.index() * 2 + theirs) * HEIGHTS + height)
    }

    /// The cells missing to a connection, for the viewer and for the opponent.
    #[inline]
    pub fn missing([mine, theirs]: [usize; 2]) -> [usize; 2] {
        [MISSING + mine.min(COUNTS - 1), MISSING + COUNTS + theirs.min(COUNTS - 1)]
    }

    impl Seen for Glaisher {
        const INPUTS: usize = MIN_PARTS + 1;

        fn inputs(&self, viewer: Player, tell: &mut impl FnMut(usize)) {
            for cell in hex::cells(self.board().cells & !self.empty()) {
                stack(self, viewer, cell).into_iter().for_each(&mut *tell);
            }
            if self.min_parts() > 1 {
                tell(MIN_PARTS);
            }
        }

        fn late_inputs(&self, viewer: Player, tell: &mut impl FnMut(usize)) {
            let count = |player| count_missing(self.board(), self.stacks(player), self.empty());
            missing([viewer, viewer.other()].map(count)).into_iter().for_each(tell);
        }

        fn stage(&self) -> usize {
            let stacks = (self.board().cells & !self.empty()).count_ones() as usize;
            let stage = (stacks.saturating_sub(8) / 7).min(STAGES / 2 - 1);
            stage + if self.is_placing() { STAGES / 2 } else { 0 }
        }

        const SLOTS: usize = LANDINGS + hex::CELLS;

        fn slots(&self, m: Move, tell: &mut impl FnMut(usize)) {
            match m {
                Move::Place(cell) => tell(cell.index()),
                Move::Shift { from, direction, parts } => {
                    tell(leaving(from, direction));
                    parts.heights().for_each(|part| tell(landing(from.ahead(direction, part))));
                }
            }
        }
    }

    pub fn net() -> Option<&'static Net<HIDDEN>> {
        static NET: OnceLock<Option<Net<HIDDEN>>> = OnceLock::new();
        shipped::<Glaisher, HIDDEN>(&NET, &parts::GLAISHER)
    }
}

pub(super) mod six_making {
    use super::*;
    use crate::play::six_making::by_hand;
    use rules::six_making::Move;

    pub const HIDDEN: usize = 128;
    const TOWERS: usize = 64;
    const RESERVES: usize = 25 * TOWERS;
    /// Distinct numbers of discs in reserve.
    const COUNTS: usize = 17;
    const SELF_DEFEAT: usize = RESERVES + 2 * COUNTS;
    /// Slots of what stays behind, by the number of discs that leave.
    const TOPS: usize = 25 + 25 * 25;

    /// The tower on a cell; kings need no input, since they end the game.
    #[inline]
    pub fn tower(pos: &SixMaking, viewer: Player, cell: Cell) -> Option<usize> {
        let tower = pos.tower(cell);
        let (bits, height) = (usize::from(tower.bits()), tower.height());
        // The viewer's discs are zeros below the highest bit, which marks the tower's height.
        let flip = if viewer == Player::One { 0 } else { (1 << height) - 1 };
        (1..6).contains(&height).then_some(cell.index() * TOWERS + (bits ^ flip))
    }

    /// The discs in reserve, the viewer's and the opponent's.
    #[inline]
    pub fn reserves(pos: &SixMaking, viewer: Player) -> [usize; 2] {
        let count = |player| usize::from(pos.reserve(player)).min(COUNTS - 1);
        [RESERVES + count(viewer), RESERVES + COUNTS + count(viewer.other())]
    }

    impl Seen for SixMaking {
        const INPUTS: usize = SELF_DEFEAT + 1;

        fn inputs(&self, viewer: Player, tell: &mut impl FnMut(usize)) {
            for cell in self.occupied().bits().map(Cell::new) {
                tower(self, viewer, cell).into_iter().for_each(&mut *tell);
            }
            reserves(self, viewer).into_iter().for_each(&mut *tell);
            if self.self_defeat() == SelfDefeat::Allowed {
                tell(SELF_DEFEAT);
            }
        }

        fn hand_eval(&self) -> Option<Score> {
            Some(by_hand(self))
        }

        fn stage(&self) -> usize {
            let each = if self.size() == 4 { 12 } else { 16 };
            let beside = usize::from(self.reserve(Player::One) + self.reserve(Player::Two));
            (2 * each - beside) * STAGES / (2 * each + 1)
        }

        const SLOTS: usize = TOPS + 5 * 25;

        fn slots(&self, m: Move, tell: &mut impl FnMut(usize)) {
            match m {
                Move::Place(cell) => tell(cell.index()),
                Move::Tower { from, to } => tell(25 + from.index() * 25 + to.index()),
                Move::Top { from, to, discs } => {
                    tell(25 + from.index() * 25 + to.index());
                    tell(TOPS + usize::from(discs).min(4) * 25 + from.index());
                }
            }
        }
    }

    /// The nets of the two boards.
    pub fn nets() -> [Option<&'static Net<HIDDEN>>; 2] {
        static SMALL: OnceLock<Option<Net<HIDDEN>>> = OnceLock::new();
        static LARGE: OnceLock<Option<Net<HIDDEN>>> = OnceLock::new();
        [
            shipped::<SixMaking, HIDDEN>(&SMALL, &parts::SIX_MAKING_4),
            shipped::<SixMaking, HIDDEN>(&LARGE, &parts::SIX_MAKING_5),
        ]
    }
}

pub(super) mod gekitai {
    use super::*;
    use crate::play::gekitai::by_hand;

    pub const HIDDEN: usize = 64;
    const SIDE: usize = 6;
    const RESERVES: usize = SIDE * SIDE * 2;
    const COUNTS: usize = 9;
    const BOTH: usize = RESERVES + 2 * COUNTS;

    /// A marker on a cell, the viewer's or the opponent's.
    #[inline]
    pub fn marker(cell: usize, theirs: bool) -> usize {
        (cell / 8 * SIDE + cell % 8) * 2 + usize::from(theirs)
    }

    /// The markers in reserve, the viewer's and the opponent's.
    #[inline]
    pub fn reserves(pos: &Gekitai, viewer: Player) -> [usize; 2] {
        let count = |player| usize::from(pos.reserve(player)).min(COUNTS - 1);
        [RESERVES + count(viewer), RESERVES + COUNTS + count(viewer.other())]
    }

    /// Whether there is a net for these options.
    #[inline]
    pub fn covers(pos: &Gekitai) -> bool {
        let options = pos.options();
        options.size == SIDE as u8 && options.markers == 8
    }

    impl Seen for Gekitai {
        const INPUTS: usize = BOTH + 1;

        fn inputs(&self, viewer: Player, tell: &mut impl FnMut(usize)) {
            for player in Player::BOTH {
                for cell in self.markers(player).bits() {
                    tell(marker(cell, player != viewer));
                }
            }
            reserves(self, viewer).into_iter().for_each(&mut *tell);
            if self.options().both == Both::Draw {
                tell(BOTH);
            }
        }

        fn hand_eval(&self) -> Option<Score> {
            Some(by_hand(self))
        }

        fn stage(&self) -> usize {
            let beside = usize::from(self.reserve(Player::One) + self.reserve(Player::Two));
            (16usize.saturating_sub(beside) / 2).min(STAGES - 1)
        }

        const SLOTS: usize = SIDE * SIDE;

        fn slots(&self, Place(cell): Place, tell: &mut impl FnMut(usize)) {
            // Positions of other sizes have no net, but their moves have slots all the same.
            tell((cell.row() * SIDE + cell.column()).min(SIDE * SIDE - 1));
        }
    }

    pub fn net() -> Option<&'static Net<HIDDEN>> {
        static NET: OnceLock<Option<Net<HIDDEN>>> = OnceLock::new();
        shipped::<Gekitai, HIDDEN>(&NET, &parts::GEKITAI)
    }
}

pub(super) mod jeson_mor {
    use super::*;
    use crate::play::jeson_mor::by_hand;
    use rules::grid::KNIGHT_JUMPS;
    use rules::jeson_mor::Cell;

    pub const HIDDEN: usize = 64;
    const SIDE: usize = 9;
    const CELLS: usize = SIDE * SIDE;
    /// Distinct numbers of knights on the ring.
    const RING: usize = 9;
    const RINGS: usize = 2 * CELLS;
    /// Distinct numbers of moves left, two at a time.
    const COUNTS: usize = 20;
    const MOVES: usize = RINGS + RING * RING;
    const KNIGHTS: usize = MOVES + 2 * COUNTS;

    /// Whether there is a net for these options.
    #[inline]
    pub fn covers(pos: &JesonMor) -> bool {
        pos.size() == SIDE && pos.goal() == Goal::Leave
    }

    fn number(cell: Cell) -> usize {
        // Cells of larger boards have no net, but a number all the same.
        (cell.row() * SIDE + cell.column()) % CELLS
    }

    /// A knight on a cell, the viewer's or the opponent's.
    #[inline]
    pub fn knight(cell: Cell, theirs: bool) -> usize {
        number(cell) * 2 + usize::from(theirs)
    }

    /// The knights on the ring, the moves that do not leave it, and the knights on the board, for both players.
    #[inline]
    pub fn counts(pos: &JesonMor, viewer: Player) -> [usize; 5] {
        let ring = jumps(pos.centre(), pos.size());
        let count = |set: u128| set.count_ones() as usize;
        let both = [viewer, viewer.other()].map(|player| pos.knights(player));
        let [mine, theirs] = both.map(|own| count(own & ring).min(RING - 1));
        let moves = both.map(|own| {
            let left = |from| count(jumps(Cell::new(from), pos.size()) & !own);
            ((own & !ring).bits().map(left).sum::<usize>() / 2).min(COUNTS - 1)
        });
        let knights = both.map(|own| count(own).min(RING));
        [
            RINGS + mine * RING + theirs,
            MOVES + moves[0],
            MOVES + COUNTS + moves[1],
            KNIGHTS + knights[0],
            KNIGHTS + RING + 1 + knights[1],
        ]
    }

    impl Seen for JesonMor {
        const INPUTS: usize = KNIGHTS + 2 * (RING + 1);

        fn inputs(&self, viewer: Player, tell: &mut impl FnMut(usize)) {
            for player in Player::BOTH {
                for cell in self.knights(player).bits() {
                    tell(knight(Cell::new(cell), player != viewer));
                }
            }
        }

        fn late_inputs(&self, viewer: Player, tell: &mut impl FnMut(usize)) {
            counts(self, viewer).into_iter().for_each(tell);
        }

        fn hand_eval(&self) -> Option<Score> {
            Some(by_hand(self))
        }

        fn stage(&self) -> usize {
            let knights = |player| self.knights(player).count_ones() as usize;
            let all = knights(Player::One) + knights(Player::Two);
            (all * STAGES / 19).min(STAGES - 1)
        }

        const SLOTS: usize = CELLS * 8;

        fn slots(&self, m: Jump, tell: &mut impl FnMut(usize)) {
            let step = |to: usize, from: usize| to as i8 - from as i8;
            let jump = (step(m.to.column(), m.from.column()), step(m.to.row(), m.from.row()));
            let jump = KNIGHT_JUMPS.iter().position(|known| *known == jump).unwrap_or_default();
            tell(number(m.from) * 8 + jump);
        }
    }

    pub fn net() -> Option<&'static Net<HIDDEN>> {
        static NET: OnceLock<Option<Net<HIDDEN>>> = OnceLock::new();
        shipped::<JesonMor, HIDDEN>(&NET, &parts::JESON_MOR)
    }
}
