//! The purpose of the board on the screen. State that only one purpose needs is in its variant.

use super::study::{Retry, Study};
use super::task::Task;
use crate::online::Remote;
use crate::saves::Keeper;
use crate::tui::help::Topic;
use crate::tui::lessons::Pupil;
use table::Tree;

pub(super) enum Mode {
    /// A game that is kept, here or by a server.
    Game(Game),
    Puzzle(Task),
    Lesson(Pupil),
    /// Another try at a turn of a game that is being reviewed.
    Retry(Retry),
    /// Variations of a game or of a position.
    Explore(Tree),
}

pub(super) struct Game {
    pub keeper: Keeper,
    /// The server that keeps it, on which the user plays or watches.
    pub remote: Option<Box<Remote>>,
    /// The engine's review of the whole game, once it was asked for.
    pub study: Option<Study>,
}

impl Mode {
    pub fn game(keeper: Keeper, remote: Option<Box<Remote>>) -> Mode {
        Mode::Game(Game { keeper, remote, study: None })
    }

    pub fn remote(&self) -> Option<&Remote> {
        match self {
            Mode::Game(game) => game.remote.as_deref(),
            _ => None,
        }
    }

    pub fn remote_mut(&mut self) -> Option<&mut Remote> {
        match self {
            Mode::Game(game) => game.remote.as_deref_mut(),
            _ => None,
        }
    }

    pub fn study(&self) -> Option<&Study> {
        match self {
            Mode::Game(game) => game.study.as_ref(),
            _ => None,
        }
    }

    pub fn task(&self) -> Option<&Task> {
        match self {
            Mode::Puzzle(task) => Some(task),
            _ => None,
        }
    }

    pub fn pupil(&self) -> Option<Pupil> {
        match self {
            Mode::Lesson(pupil) => Some(*pupil),
            _ => None,
        }
    }

    /// The topic of the help, if the mode alone decides it.
    pub fn topic(&self) -> Option<Topic> {
        match self {
            Mode::Game(_) | Mode::Retry(_) => None,
            Mode::Puzzle(_) => Some(Topic::Puzzle),
            Mode::Lesson(_) => Some(Topic::Lesson),
            Mode::Explore(_) => Some(Topic::Variations),
        }
    }

    pub fn tree(&self) -> Option<&Tree> {
        match self {
            Mode::Explore(tree) => Some(tree),
            _ => None,
        }
    }
}
