//! The map of games in memory, and eviction from it.

use crate::games::room::Room;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many bytes idle games may occupy.
pub const MOST_WEIGHT: usize = 256 << 20;

/// Games in memory and their total weight, as it was when each was added or the others were last weighed.
#[derive(Default)]
pub struct Rooms {
    /// Ordered, so that a simulation is repeatable.
    pub by_id: BTreeMap<String, Arc<Room>>,
    weight: usize,
}

impl Rooms {
    /// Adds a room and returns it, or the one that was added first: with two rooms for a game, hints would get lost.
    pub fn keep(&mut self, room: Arc<Room>) -> Arc<Room> {
        if let Some(known) = self.by_id.get(&room.id) {
            return Arc::clone(known);
        }
        self.weight += room.weight();
        self.by_id.insert(room.id.clone(), Arc::clone(&room));
        self.stay_within();
        room
    }

    /// Evicts idle games if all together are too heavy.
    pub fn stay_within(&mut self) {
        if self.weight > MOST_WEIGHT {
            self.lighten();
        }
    }

    /// Removes a room, even if it is in use.
    pub fn remove(&mut self, room: &Arc<Room>) {
        if self.by_id.get(&room.id).is_some_and(|own| Arc::ptr_eq(own, room)) {
            self.by_id.remove(&room.id);
            self.weight = self.weight.saturating_sub(room.weight());
        }
    }

    /// Evicts the rooms for which `go` is true, unless they are in use.
    pub fn forget(&mut self, go: impl Fn(&Room) -> bool) {
        // While the map is locked, nobody else can get hold of a room that only the map references.
        self.by_id.retain(|_, room| Arc::strong_count(room) > 1 || !go(room));
        self.weigh();
    }

    /// Games grow while they are in memory.
    fn weigh(&mut self) {
        self.weight = self.by_id.values().map(|room| room.weight()).sum();
    }

    /// Evicts idle games, least recently used first, until the total weight is within the limit.
    fn lighten(&mut self) {
        self.weigh();
        let mut idle: Vec<_> = self
            .by_id
            .values()
            .filter(|room| Arc::strong_count(room) == 1)
            .map(|room| (room.touched(), room.weight()))
            .collect();
        idle.sort_unstable();
        let mut weight = self.weight;
        let enough = idle.iter().find(|(_, own)| {
            weight = weight.saturating_sub(*own);
            weight <= MOST_WEIGHT / 4 * 3
        });
        let until = enough.or(idle.last()).map_or(i64::MIN, |(touched, _)| *touched);
        self.forget(|room| room.touched() <= until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::room::tests::left;

    #[test]
    fn games_that_were_left_longest_ago_make_room_for_others() {
        let mut rooms = Rooms::default();
        for (id, touched) in [("a", 3), ("b", 1), ("c", 2), ("d", 4)] {
            let room = left(id, MOST_WEIGHT / 4 + 1, touched);
            rooms.weight += room.weight();
            rooms.by_id.insert(id.to_owned(), Arc::new(room));
        }
        // The least recently used room is in use.
        let _held = Arc::clone(&rooms.by_id["b"]);
        rooms.lighten();
        let mut kept: Vec<_> = rooms.by_id.keys().map(String::as_str).collect();
        kept.sort_unstable();
        assert_eq!(kept, ["b", "d"]);
        assert_eq!(rooms.weight, 2 * (MOST_WEIGHT / 4 + 1));
    }
}
