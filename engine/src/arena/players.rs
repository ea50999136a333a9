//! The built-in players of matches.

use super::{Fault, Player};
use crate::control::{Limits, Stop};
use crate::play::Judgement;
use crate::registry::Entry;
use crate::session::Session;
use crate::thinker::Thinker;
use crate::who::Who;
use rules::random::Random;
use std::time::{Duration, Instant};

/// A computer player with fixed limits for every turn, or with a clock for the game.
pub struct Local {
    who: Who,
    limits: Limits,
    clock: Option<Clock>,
    entry: &'static Entry,
    mebibytes: usize,
    judgement: Judgement,
    /// The engine, created on demand.
    thinker: Option<Box<dyn Thinker>>,
    random: Random,
}

/// The clock of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Time at the start.
    pub base: Duration,
    /// Increment for each turn.
    pub increment: Duration,
    /// Time left.
    left: Duration,
}

impl Clock {
    /// A clock that has not run yet.
    pub fn new(base: Duration, increment: Duration) -> Clock {
        Clock { base, increment, left: base }
    }

    fn limits(&self) -> Limits {
        Limits::clock(self.left, self.increment)
    }
}

impl Local {
    /// A player of this game; its engine gets tables of this size.
    pub fn new(who: Who, limits: Limits, entry: &'static Entry, mebibytes: usize) -> Local {
        let (judgement, random) = (Judgement::default(), Random::new(0));
        Local { who, limits, clock: None, entry, mebibytes, judgement, thinker: None, random }
    }

    /// Gives the player a clock.
    #[must_use]
    pub fn with_clock(self, clock: Option<Clock>) -> Local {
        Local { clock, ..self }
    }

    /// Gives the player another evaluation.
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
        self.clock.iter_mut().for_each(|clock| clock.left = clock.base);
        Ok(())
    }

    fn turn(&mut self, game: &dyn Session, stop: &Stop) -> Result<String, Fault> {
        let Local { who, limits, clock, entry, mebibytes, judgement, thinker, random } = self;
        let by_clock =
            clock.as_ref().map(|clock| Limits { threads: limits.threads, ..clock.limits() });
        let (limits, began) = (by_clock.as_ref().unwrap_or(limits), Instant::now());
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
        if let Some(clock) = clock {
            let left = clock.left.checked_sub(began.elapsed()).ok_or(Fault::Time)?;
            clock.left = left + clock.increment;
        }
        turn.ok_or_else(|| Fault::Crash("it found no turn".into()))
    }
}
