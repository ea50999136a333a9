//! The net inputs of each game, and the nets that come with the program.

use crate::net::{Net, STAGES, Seen};
use crate::parts::{self, Part};
use crate::score::Score;
use rules::gekitai::{Both, Gekitai};
use rules::glaisher::Glaisher;
use rules::hex::{self, Hex};
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
    kept.get_or_init(|| Net::read(packed, G::INPUTS).ok()).as_ref()
}

pub(super) mod glaisher {
    use super::*;
    use crate::play::glaisher::missing as count_missing;

    pub const HIDDEN: usize = 64;
    const HEIGHTS: usize = 10;
    const MISSING: usize = hex::CELLS * 2 * HEIGHTS;
    /// Distinct numbers of missing cells.
    const COUNTS: usize = 11;
    const MIN_PARTS: usize = MISSING + 2 * COUNTS;

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
            for cell in hex::cells(hex::BOARD & !self.empty()) {
                stack(self, viewer, cell).into_iter().for_each(&mut *tell);
            }
            if self.min_parts() > 1 {
                tell(MIN_PARTS);
            }
        }

        fn late_inputs(&self, viewer: Player, tell: &mut impl FnMut(usize)) {
            let count = |player| count_missing(self.stacks(player), self.empty());
            missing([viewer, viewer.other()].map(count)).into_iter().for_each(tell);
        }

        fn stage(&self) -> usize {
            let stacks = (hex::BOARD & !self.empty()).count_ones() as usize;
            let stage = (stacks.saturating_sub(8) / 7).min(STAGES / 2 - 1);
            stage + if self.is_placing() { STAGES / 2 } else { 0 }
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

    pub const HIDDEN: usize = 128;
    const TOWERS: usize = 64;
    const RESERVES: usize = 25 * TOWERS;
    /// Distinct numbers of discs in reserve.
    const COUNTS: usize = 17;
    const SELF_DEFEAT: usize = RESERVES + 2 * COUNTS;

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

        fn by_hand(&self) -> Option<Score> {
            Some(by_hand(self))
        }

        fn stage(&self) -> usize {
            let each = if self.size() == 4 { 12 } else { 16 };
            let beside = usize::from(self.reserve(Player::One) + self.reserve(Player::Two));
            (2 * each - beside) * STAGES / (2 * each + 1)
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

        fn by_hand(&self) -> Option<Score> {
            Some(by_hand(self))
        }

        fn stage(&self) -> usize {
            let beside = usize::from(self.reserve(Player::One) + self.reserve(Player::Two));
            (16usize.saturating_sub(beside) / 2).min(STAGES - 1)
        }
    }

    pub fn net() -> Option<&'static Net<HIDDEN>> {
        static NET: OnceLock<Option<Net<HIDDEN>>> = OnceLock::new();
        shipped::<Gekitai, HIDDEN>(&NET, &parts::GEKITAI)
    }
}
