//! The games in memory.

use crate::room::Room;
use std::collections::HashMap;
use std::sync::Arc;

/// How many bytes games in memory may take, as far as nobody is in them.
const MOST_WEIGHT: usize = 256 << 20;

/// Games in memory, and how much they weigh together.
#[derive(Default)]
pub struct Rooms {
    /// The games.
    pub by_id: HashMap<String, Arc<Room>>,
    weight: usize,
}

impl Rooms {
    /// Keeps a game. Somebody may have been quicker: there is one room for a game, or hints get lost.
    pub fn keep(&mut self, room: Arc<Room>) -> Arc<Room> {
        if let Some(known) = self.by_id.get(&room.id) {
            return Arc::clone(known);
        }
        self.weight += room.weight;
        self.by_id.insert(room.id.clone(), Arc::clone(&room));
        if self.weight > MOST_WEIGHT {
            self.lighten();
        }
        room
    }

    /// Forgets a room, whoever holds it.
    pub fn remove(&mut self, room: &Arc<Room>) {
        if self.by_id.get(&room.id).is_some_and(|own| Arc::ptr_eq(own, room)) {
            self.by_id.remove(&room.id);
            self.weight -= room.weight;
        }
    }

    /// Forgets those that nobody but this map holds, as far as they are to go.
    pub fn forget(&mut self, go: impl Fn(&Room) -> bool) {
        // A room that only the map holds can be had by nobody else while the map is locked.
        self.by_id.retain(|_, room| Arc::strong_count(room) > 1 || !go(room));
        self.weight = self.by_id.values().map(|room| room.weight).sum();
    }

    /// Forgets games that nobody looks at, those that were left longest ago first, until the others weigh
    /// less.
    fn lighten(&mut self) {
        let mut idle: Vec<_> = self
            .by_id
            .values()
            .filter(|room| Arc::strong_count(room) == 1)
            .map(|room| (room.touched(), room.weight))
            .collect();
        idle.sort_unstable();
        let mut weight = self.weight;
        let enough = idle.iter().find(|(_, own)| {
            weight -= own;
            weight <= MOST_WEIGHT / 4 * 3
        });
        let until = enough.or(idle.last()).map_or(i64::MIN, |(touched, _)| *touched);
        self.forget(|room| room.touched() <= until);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::room::tests::left;

    #[test]
    fn games_that_were_left_longest_ago_make_room_for_others() {
        let mut rooms = Rooms::default();
        for (id, touched) in [("a", 3), ("b", 1), ("c", 2), ("d", 4)] {
            let room = left(id, MOST_WEIGHT / 4 + 1, touched);
            rooms.weight += room.weight;
            rooms.by_id.insert(id.to_owned(), Arc::new(room));
        }
        // Somebody is in the one that was left first.
        let _held = Arc::clone(&rooms.by_id["b"]);
        rooms.lighten();
        let mut kept: Vec<_> = rooms.by_id.keys().map(String::as_str).collect();
        kept.sort_unstable();
        assert_eq!(kept, ["b", "d"]);
        assert_eq!(rooms.weight, 2 * (MOST_WEIGHT / 4 + 1));
    }
}
