//! The players of a match that are part of this program.

use super::{Fault, Player};
use crate::control::{Limits, Stop};
use crate::play::Judgement;
use crate::registry::Entry;
use crate::session::Session;
use crate::thinker::Thinker;
use crate::who::Who;
use rules::random::Random;

/// A computer's player with the same limits for every turn.
pub struct Local {
    who: Who,
    limits: Limits,
    entry: &'static Entry,
    mebibytes: usize,
    judgement: Judgement,
    /// Made when it is first needed.
    thinker: Option<Box<dyn Thinker>>,
    random: Random,
}

impl Local {
    /// A player of this game; an engine gets a table of this size.
    pub fn new(who: Who, limits: Limits, entry: &'static Entry, mebibytes: usize) -> Local {
        let (judgement, random) = (Judgement::default(), Random::new(0));
        Local { who, limits, entry, mebibytes, judgement, thinker: None, random }
    }

    /// The same, judging otherwise.
    #[must_use]
    pub fn judging_by(self, judgement: Judgement) -> Local {
        Local { judgement, ..self }
    }
}

impl Player for Local {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        if let Some(thinker) = &mut self.thinker {
            thinker.forget();
        }
        self.random = Random::new(seed);
        Ok(())
    }

    fn turn(&mut self, game: &dyn Session, stop: &Stop) -> Result<String, Fault> {
        let Local { who, limits, entry, mebibytes, judgement, thinker, random } = self;
        let made = || {
            let mut made = (entry.thinker)(*mebibytes);
            made.judge_by(*judgement);
            made
        };
        let turn = who.choose(
            game,
            || thinker.get_or_insert_with(made).as_mut(),
            (limits, stop),
            random,
            &mut |_| {},
        );
        turn.ok_or_else(|| Fault::Crash("it found no turn".into()))
    }
}
