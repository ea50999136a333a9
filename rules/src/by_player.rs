//! A value for each of the two players.

use crate::game::Player;
use serde::{Deserialize, Serialize};
use std::ops::{Deref, DerefMut, Index, IndexMut};

/// One value for each player, indexed by [`Player`]; in JSON an array of two.
///
/// ```
/// use rules::{ByPlayer, Player};
/// let mut wins = ByPlayer::new(3, 4);
/// wins[Player::Two] += 1;
/// assert_eq!(wins.swapped(), ByPlayer::new(5, 3));
/// assert_eq!(wins.map(|n| n * 2), ByPlayer::new(6, 10));
/// assert_eq!(ByPlayer::from_fn(Player::number), ByPlayer::new(1, 2));
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
#[serde(bound(serialize = "T: Serialize", deserialize = "T: Deserialize<'de>"))]
pub struct ByPlayer<T>([T; 2]);

impl<T> ByPlayer<T> {
    /// Player 1's value and player 2's.
    #[inline]
    pub const fn new(one: T, two: T) -> Self {
        ByPlayer([one, two])
    }

    /// The values of a function.
    #[inline]
    pub fn from_fn(value: impl FnMut(Player) -> T) -> Self {
        ByPlayer(Player::BOTH.map(value))
    }

    /// The same value for both.
    #[inline]
    pub const fn both(value: T) -> Self
    where
        T: Copy,
    {
        ByPlayer([value, value])
    }

    /// Maps both values.
    #[inline]
    pub fn map<U>(self, change: impl FnMut(T) -> U) -> ByPlayer<U> {
        ByPlayer(self.0.map(change))
    }

    /// References to both values.
    #[inline]
    pub fn each_ref(&self) -> ByPlayer<&T> {
        ByPlayer(self.0.each_ref())
    }

    /// Both values exchanged.
    #[inline]
    #[must_use]
    pub fn swapped(self) -> Self {
        let [one, two] = self.0;
        ByPlayer([two, one])
    }

    /// Each player with a reference to the value.
    #[inline]
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (Player, &T)> {
        Player::BOTH.into_iter().zip(&self.0)
    }
}

impl<T> Index<Player> for ByPlayer<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, player: Player) -> &T {
        &self.0[player.index()]
    }
}

impl<T> IndexMut<Player> for ByPlayer<T> {
    #[inline(always)]
    fn index_mut(&mut self, player: Player) -> &mut T {
        &mut self.0[player.index()]
    }
}

/// Indexing by number, 0 or 1, for loops over several arrays.
impl<T> Index<usize> for ByPlayer<T> {
    type Output = T;

    #[inline(always)]
    fn index(&self, number: usize) -> &T {
        &self.0[number]
    }
}

impl<T> Deref for ByPlayer<T> {
    type Target = [T; 2];

    #[inline(always)]
    fn deref(&self) -> &[T; 2] {
        &self.0
    }
}

impl<T> DerefMut for ByPlayer<T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [T; 2] {
        &mut self.0
    }
}

impl<T> From<[T; 2]> for ByPlayer<T> {
    #[inline(always)]
    fn from(values: [T; 2]) -> Self {
        ByPlayer(values)
    }
}

impl<T> From<ByPlayer<T>> for [T; 2] {
    #[inline(always)]
    fn from(values: ByPlayer<T>) -> Self {
        values.0
    }
}

impl<T> IntoIterator for ByPlayer<T> {
    type Item = T;
    type IntoIter = std::array::IntoIter<T, 2>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a ByPlayer<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    #[inline]
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_an_array_of_two() {
        let pair = ByPlayer::new("x".to_owned(), "o".to_owned());
        let text = serde_json::to_string(&pair).unwrap();
        assert_eq!(text, r#"["x","o"]"#);
        assert_eq!(serde_json::from_str::<ByPlayer<String>>(&text).unwrap(), pair);
        assert!(serde_json::from_str::<ByPlayer<u8>>("[1]").is_err());
        assert!(serde_json::from_str::<ByPlayer<u8>>("[1,2,3]").is_err());
    }

    #[test]
    fn every_player_has_a_value_of_their_own() {
        let mut names = ByPlayer::from([1, 2]);
        names[Player::One] = 7;
        names.iter_mut().for_each(|name| *name += 1);
        assert_eq!(<[i32; 2]>::from(names), [8, 3]);
        assert_eq!(names.pairs().last(), Some((Player::Two, &3)));
    }
}
