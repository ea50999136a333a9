//! Round-robin scheduling.

use std::collections::VecDeque;

/// A queue for each owner, served in rotation: an owner that has been served moves to the end.
#[derive(Debug)]
pub struct Rotation<K, Q> {
    ring: VecDeque<(K, Q)>,
}

impl<K, Q> Default for Rotation<K, Q> {
    fn default() -> Self {
        Rotation { ring: VecDeque::new() }
    }
}

impl<K: PartialEq, Q: Default> Rotation<K, Q> {
    /// An owner's queue; a new owner comes last.
    pub fn of(&mut self, owner: K) -> &mut Q {
        let at = self.ring.iter().position(|(own, _)| *own == owner).unwrap_or_else(|| {
            self.ring.push_back((owner, Q::default()));
            self.ring.len() - 1
        });
        &mut self.ring[at].1
    }

    /// Takes from the first owner for which `take` returns something.
    pub fn next<T>(&mut self, mut take: impl FnMut(&K, &mut Q) -> Option<T>) -> Option<T> {
        let (at, taken) = self
            .ring
            .iter_mut()
            .enumerate()
            .find_map(|(at, (owner, queue))| Some((at, take(owner, queue)?)))?;
        let served = self.ring.remove(at);
        self.ring.extend(served);
        Some(taken)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &Q)> {
        self.ring.iter().map(|(owner, queue)| (owner, queue))
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = (&K, &mut Q)> {
        self.ring.iter_mut().map(|(owner, queue)| (&*owner, queue))
    }

    /// Keeps the owners for which `keep` is true.
    pub fn retain(&mut self, mut keep: impl FnMut(&mut Q) -> bool) {
        self.ring.retain_mut(|(_, queue)| keep(queue));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_served_goes_to_the_end_and_who_has_nothing_is_passed_over() {
        let mut rotation: Rotation<char, VecDeque<u8>> = Rotation::default();
        for (owner, what) in [('a', 1), ('a', 2), ('a', 3), ('b', 4), ('c', 5), ('c', 6)] {
            rotation.of(owner).push_back(what);
        }
        let order: Vec<_> =
            std::iter::from_fn(|| rotation.next(|_, queue| queue.pop_front())).collect();
        assert_eq!(order, [1, 4, 5, 2, 6, 3]);
        rotation.retain(|queue| !queue.is_empty());
        assert_eq!(rotation.iter().count(), 0);
    }
}
