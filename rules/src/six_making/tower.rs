//! A tower of discs, packed.

use crate::game::Player;

/// Discs on a cell, from the bottom to the top; none for an empty cell.
///
/// Bit i is set when the disc i above the bottom is player 2's, and one more bit is set above the top
/// disc. A king may have ten discs, so sixteen bits suffice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tower(u16);

impl Tower {
    /// An empty cell.
    pub const EMPTY: Tower = Tower(1);

    /// A single disc.
    #[inline]
    pub const fn disc(owner: Player) -> Tower {
        Tower(2 | owner as u16)
    }

    /// Discs from the bottom to the top, at most ten.
    pub fn from_discs(discs: &[Player]) -> Option<Tower> {
        (discs.len() <= 10).then(|| {
            let add = |tower: Tower, disc: &Player| tower.with(Tower::disc(*disc));
            discs.iter().fold(Tower::EMPTY, add)
        })
    }

    /// How many discs there are.
    #[inline]
    pub const fn height(self) -> usize {
        15 - self.0.leading_zeros() as usize
    }

    /// Whether there is no disc.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 1
    }

    /// The owner of the top disc; of an empty cell, player 1.
    #[inline]
    pub const fn top(self) -> Player {
        // The top disc is the bit below the highest.
        if self.0 >> (self.height() + (self.height() == 0) as usize - 1) & 1 == 1 && self.0 > 1 {
            Player::Two
        } else {
            Player::One
        }
    }

    /// The discs, from the bottom to the top.
    pub fn discs(self) -> impl DoubleEndedIterator<Item = Player> + ExactSizeIterator {
        let owner = move |i| if self.0 >> i & 1 == 1 { Player::Two } else { Player::One };
        (0..self.height()).map(owner)
    }

    /// Splits the tower into what stays and the top `discs`.
    #[inline]
    pub(super) const fn split(self, discs: usize) -> (Tower, Tower) {
        let rest = self.height() - discs;
        (Tower(self.0 & ((1 << rest) - 1) | 1 << rest), Tower(self.0 >> rest))
    }

    /// This tower with another one on top.
    #[inline]
    pub(super) const fn with(self, top: Tower) -> Tower {
        let height = self.height();
        Tower(self.0 ^ 1 << height | top.0 << height)
    }

    /// The packed form: below 64 for all but kings.
    #[inline]
    pub const fn bits(self) -> u16 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Player::{One, Two};

    #[test]
    fn towers_split_and_join() {
        let tower = Tower::from_discs(&[One, Two, Two, One, Two]).unwrap();
        assert_eq!((tower.height(), tower.top()), (5, Two));
        let (rest, part) = tower.split(2);
        assert_eq!(rest, Tower::from_discs(&[One, Two, Two]).unwrap());
        assert_eq!(part, Tower::from_discs(&[One, Two]).unwrap());
        assert_eq!(rest.with(part), tower);
        assert_eq!(tower.split(5).0, Tower::EMPTY);
        assert_eq!(Tower::from_discs(&[]), Some(Tower::EMPTY));
        assert_eq!(Tower::disc(One).top(), One);
        assert_eq!(Tower::disc(Two).discs().collect::<Vec<_>>(), [Two]);
        assert_eq!(Tower::from_discs(&[One; 11]), None);
    }
}
