//! The engines available to requests.

use engine::{Entry, Thinker};

/// A set of engines, each created when its game is first asked for.
pub struct Desk {
    mebibytes: usize,
    most: usize,
    made: Vec<(&'static str, Box<dyn Thinker>)>,
}

impl Desk {
    /// Keeps one engine per game, each with a transposition table of this size.
    pub fn new(mebibytes: usize) -> Desk {
        Desk { mebibytes, most: usize::MAX, made: Vec::new() }
    }

    /// Keeps only the most recently used engine, so that memory stays within one table.
    pub fn of_one(mebibytes: usize) -> Desk {
        Desk { most: 1, ..Desk::new(mebibytes) }
    }

    /// The engine for a game, created if necessary.
    pub fn thinker(&mut self, entry: &Entry) -> &mut dyn Thinker {
        let id = entry.info.id;
        let at = self.made.iter().position(|(own, _)| *own == id).unwrap_or_else(|| {
            self.made.truncate(self.most.saturating_sub(1));
            self.made.push((id, (entry.thinker)(self.mebibytes)));
            self.made.len() - 1
        });
        self.made[at].1.as_mut()
    }

    /// Resizes the transposition tables, which empties them.
    pub fn resize(&mut self, mebibytes: usize) {
        if mebibytes != self.mebibytes {
            self.mebibytes = mebibytes;
            self.made.clear();
        }
    }

    /// Empties the transposition tables, as before a new game.
    pub fn forget(&mut self) {
        self.made.iter_mut().for_each(|(_, thinker)| thinker.forget());
    }
}
