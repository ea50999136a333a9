//! The engines of a process, one for each game, made when they are first needed.

use engine::{Entry, Thinker};

/// The engines, with tables of one size.
pub struct Thinkers {
    mebibytes: usize,
    made: Vec<(&'static str, Box<dyn Thinker>)>,
}

impl Thinkers {
    /// No engine yet; each is to have a table of so many mebibytes.
    pub fn new(mebibytes: usize) -> Thinkers {
        Thinkers { mebibytes, made: Vec::new() }
    }

    /// The engine of a game.
    pub fn of(&mut self, entry: &Entry) -> &mut dyn Thinker {
        let id = entry.info.id;
        let at = self.made.iter().position(|(own, _)| *own == id).unwrap_or_else(|| {
            self.made.push((id, (entry.thinker)(self.mebibytes)));
            self.made.len() - 1
        });
        self.made[at].1.as_mut()
    }

    /// Gives the tables another size; what was remembered is lost.
    pub fn resize(&mut self, mebibytes: usize) {
        if mebibytes != self.mebibytes {
            *self = Thinkers::new(mebibytes);
        }
    }

    /// Forgets everything, as before a new game.
    pub fn forget(&mut self) {
        self.made.iter_mut().for_each(|(_, thinker)| thinker.forget());
    }
}
