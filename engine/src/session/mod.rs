//! A match with its game type erased, which is all that user interfaces see.
//!
//! [`Session`] is the sum of smaller traits, so that a function can ask for no more than it needs.

mod game;

use crate::playouts;
use crate::seed::About;
pub use game::Match;
use rules::diagram::{Diagram, Gesture, Trace};
use rules::random::Random;
use rules::{ByPlayer, Edit, Info, Outcome, Player, Record, SetupError};
use serde_json::{Map, Value};
use std::any::Any;

/// One legal move, as a user interface needs it.
#[derive(Clone, Debug)]
pub struct Step {
    /// Its text.
    pub text: String,
    /// The taps that spell it.
    pub gesture: Gesture,
    /// What it does on the board.
    pub trace: Trace,
}

/// A whole turn and the position after it.
#[derive(Clone, Debug)]
pub struct Child {
    /// The turn's text.
    pub turn: String,
    /// The position after it, as JSON.
    pub position: Value,
    /// The result, if the turn ends the game.
    pub outcome: Option<Outcome>,
}

/// Why a text cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PlayError(pub String);

/// The current position of a match and its legal moves.
pub trait Position: Send {
    /// Name, options and rules page.
    fn info(&self) -> &'static Info;
    /// The options that differ from the default.
    fn options(&self) -> Map<String, Value>;
    /// Whose decision is next.
    fn turn(&self) -> Player;
    /// The result by the rules of the position alone.
    fn outcome(&self) -> Option<Outcome>;
    /// Every legal move, in the game's order.
    fn steps(&self) -> Vec<Step>;
    /// Every legal whole turn, sorted by text.
    fn turns(&self) -> Vec<String>;
    /// Every legal whole turn with the position after it, sorted by text.
    fn children(&self) -> Vec<Child>;
    /// The leader in whatever decides the game in the end, and what that is; see [`Show::lead`](rules::Show::lead).
    fn lead(&self) -> Option<(Player, String)>;
    /// The position as JSON.
    fn position(&self) -> Value;
    /// The position in one line.
    fn text(&self) -> String;
    /// The canonical image of the position in one line, and its number.
    fn canonical(&self) -> (String, usize);
    /// The legal move that an image maps to this one.
    fn move_of_image(&self, text: &str, which: usize) -> Option<String>;
    /// The position as a Prolog term, where the game has one.
    fn term(&self) -> Option<String>;
}

/// Playing and taking back turns, and the history.
pub trait Course: Position {
    /// The result of the match: also drawn when a position occurs for the third time.
    fn result(&self) -> Option<Outcome>;
    /// Whether a turn is in progress.
    fn in_turn(&self) -> bool;
    /// Plays a move or a whole turn, or says why not and changes nothing.
    fn play(&mut self, text: &str) -> Result<(), PlayError>;
    /// Takes back the last move, if there is one; whether there was.
    fn undo(&mut self) -> bool;
    /// Takes back the last turn, complete or not; whether there was one.
    fn undo_turn(&mut self) -> bool;
    /// Takes back turns until no more than this many are left.
    fn rewind(&mut self, turns: usize) {
        while self.turns_played() > turns && self.undo_turn() {}
    }
    /// The number of turns played, an incomplete one included.
    fn turns_played(&self) -> usize;
    /// The text of the last turn, which may be incomplete.
    fn last_turn(&self) -> Option<String>;
    /// The texts of all turns so far; the last may be incomplete.
    fn history(&self) -> Vec<String>;
    /// The player to move at the start of the match.
    fn first_player(&self) -> Player;
    /// The drawing, with the last turn marked.
    fn diagram(&self) -> Diagram;
    /// What each move of the last turn did on the board.
    fn last_traces(&self) -> Vec<Trace>;
    /// What the last turn did on the board, in words: "c2: pushes 2 markers, …"; none before the first.
    fn last_effect(&self) -> Option<String>;
    /// The match as a record, with these tags after the game's own. A match that was read from a record and
    /// has not changed returns that record if no tags are given.
    fn record(&self, tags: &[(&str, &str)]) -> Record;
}

/// The players of a game's original program.
pub trait SeedPlayers {
    /// The seed's players, in the order of its menu; empty if the game has no seed.
    fn seed_players(&self) -> Vec<About>;
    /// The seed's evaluation from each player's point of view, if the game has a seed.
    fn seed_value(&self) -> Option<ByPlayer<f64>>;
    /// For each seed player that does not play at random, the turns it chooses from, sorted by text; empty
    /// when the game is over.
    fn seed_best(&self) -> Vec<(String, Vec<String>)>;
    /// The turn of a seed player; `None` if the game is over or has no such player.
    fn seed_choose(&self, id: &str, random: &mut Random) -> Option<String>;
}

/// Counts of moves and of random games, for tests and measurements.
pub trait Counting {
    /// Perft from here, by first move; `turns` counts whole turns. Each row is shown as it is found.
    fn perft(&self, depth: u32, turns: bool, row: &mut dyn FnMut(&str, u64));
    /// Runs random playouts from here for a while and counts games and moves.
    fn playouts(&self, count: u64, seed: u64) -> playouts::Count;
}

/// A match of any game. One virtual call per user action, none in a search.
pub trait Session: Course + SeedPlayers + Counting {
    /// A new match from the same start.
    fn start(&self) -> Box<dyn Session>;
    /// A match that starts from this position after an edit, or why the edit is not possible.
    fn edited(&self, edit: Edit) -> Result<Box<dyn Session>, SetupError>;
    /// A copy.
    fn boxed_clone(&self) -> Box<dyn Session>;
    /// The match with its type, for downcasting by the engine.
    fn as_any(&self) -> &dyn Any;
}
