//! The last choices: what is remembered, and what counts for one run alone.

use crate::config::Config;
use engine::puzzles::Puzzle;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The user's last choices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Choices {
    /// The id of the last game.
    pub game: String,
    pub names: [String; 2],
    /// By the id of the game.
    pub games: BTreeMap<String, Chosen>,
    /// Whether the engine's bar is shown.
    pub bar: bool,
    /// How fast computers play each other, as an index into the list of speeds.
    pub speed: Option<usize>,
    /// Whether computers wait for a key before each turn.
    pub wait: bool,
    /// The colours, by the name of their theme; empty for those that suit the terminal's background.
    pub theme: String,
    /// The characters for boards: the name of some block characters, or `lines`; empty for what the terminal shows.
    pub blocks: String,
    /// The server for invitations.
    pub server: String,
    /// Whether pieces appear on their cells at once instead of travelling there.
    pub still: bool,
    /// Whether the original program's proposal is shown at every turn.
    pub advice: bool,
    /// Whether no bell rings when it is the user's turn on a server.
    pub silent: bool,
    /// Whether line mode leaves the boards out.
    pub no_boards: bool,
    /// The positions of the puzzles that have been solved, by game.
    pub solved: BTreeMap<String, BTreeSet<String>>,
    /// What the file contained, and the choices as settings and flags change them for this run.
    #[serde(skip)]
    pub(crate) overridden: Option<Box<(Choices, Choices)>>,
}

impl Choices {
    /// Lets settings and flags count for this run, without being remembered.
    pub fn override_with(&mut self, config: &Config, waits: bool) {
        let kept = self.clone();
        config.apply(self);
        self.wait |= waits;
        self.overridden = Some(Box::new((kept, self.clone())));
    }

    /// The choices to write: what has been changed since.
    pub(super) fn to_keep(&self) -> Value {
        match self.overridden.as_deref() {
            None => json!(self),
            Some((kept, begun)) => changed(json!(kept), &json!(begun), json!(self)),
        }
    }

    pub fn has_solved(&self, puzzle: &Puzzle) -> bool {
        self.solved.get(&puzzle.game).is_some_and(|known| known.contains(&puzzle.position))
    }

    /// Marks a puzzle as solved, and returns whether that is new.
    pub fn solve(&mut self, puzzle: &Puzzle) -> bool {
        self.solved.entry(puzzle.game.clone()).or_default().insert(puzzle.position.clone())
    }
}

/// A value of a file, with whatever has changed between two later ones.
fn changed(kept: Value, before: &Value, now: Value) -> Value {
    match (kept, now) {
        (kept, now) if now == *before => kept,
        (Value::Object(mut kept), Value::Object(now)) => {
            let field = |(name, now): (String, Value)| {
                let value = match (kept.remove(&name), before.get(&name)) {
                    (Some(kept), Some(before)) => changed(kept, before, now),
                    _ => now,
                };
                (name, value)
            };
            Value::Object(now.into_iter().map(field).collect())
        }
        (Value::Array(kept), Value::Array(now)) if kept.len() == now.len() => {
            let items = kept.into_iter().zip(now).enumerate();
            items.map(|(i, (kept, now))| changed(kept, &before[i], now)).collect()
        }
        (_, now) => now,
    }
}

/// The choices for a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chosen {
    /// The options that differ from the default.
    pub options: Map<String, Value>,
    /// The two players, as the command line describes them.
    pub players: [String; 2],
    pub starts: String,
    /// As in `5+3`; empty for no clock.
    pub clock: String,
}
