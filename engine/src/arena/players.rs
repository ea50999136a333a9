//! The players of a match that live inside this program.

use super::{Fault, Player};
use crate::control::{Limits, Stop};
use crate::levels::Level;
use crate::session::Session;
use crate::thinker::Thinker;
use rules::random::Random;

/// The engine with the same limits for every turn, at its best or at a level.
pub struct Engine {
    thinker: Box<dyn Thinker>,
    limits: Limits,
    level: Option<&'static Level>,
    random: Random,
}

impl Engine {
    /// An engine that spends so much on a turn.
    pub fn new(thinker: Box<dyn Thinker>, limits: Limits) -> Engine {
        Engine { thinker, limits, level: None, random: Random::new(0) }
    }

    /// An engine that plays at a level; only the last one minds the limits.
    pub fn at_level(thinker: Box<dyn Thinker>, limits: Limits, level: &'static Level) -> Engine {
        Engine { level: Some(level), ..Engine::new(thinker, limits) }
    }
}

impl Player for Engine {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.thinker.forget();
        self.random = Random::new(seed);
        Ok(())
    }

    fn turn(&mut self, game: &dyn Session, stop: &Stop) -> Result<String, Fault> {
        let Engine { thinker, limits, level, random } = self;
        let turn = match level {
            Some(level) => thinker.level_turn(game, level, limits, stop, random),
            None => thinker.turn(game, limits, stop),
        };
        turn.ok_or_else(no_turn)
    }
}

/// A player that draws its turns from a set: any legal turn, or what a player of the seed holds best.
pub struct Drawing {
    /// The name of the seed's player, if it is one.
    seed_player: Option<String>,
    random: Random,
}

impl Drawing {
    /// Plays any legal turn, all with the same chance.
    pub fn any_turn() -> Drawing {
        Drawing { seed_player: None, random: Random::new(0) }
    }

    /// Plays as the seed's player of this name.
    pub fn seed_player(id: &str) -> Drawing {
        Drawing { seed_player: Some(id.to_owned()), random: Random::new(0) }
    }
}

impl Player for Drawing {
    fn new_game(&mut self, seed: u64) -> Result<(), Fault> {
        self.random = Random::new(seed);
        Ok(())
    }

    fn turn(&mut self, game: &dyn Session, _stop: &Stop) -> Result<String, Fault> {
        let turn = match &self.seed_player {
            Some(id) => game.seed_choose(id, &mut self.random),
            None => self.random.pick(&game.turns()).cloned(),
        };
        turn.ok_or_else(no_turn)
    }
}

fn no_turn() -> Fault {
    Fault::Crash("it found no turn".into())
}
