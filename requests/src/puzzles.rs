//! Puzzles ("find the win") and the progress of an attempt at one.

use crate::given::{game, play};
use crate::lessons::open;
use crate::view::Shown;
use engine::puzzles::{Puzzle, shipped};
use engine::{Entry, Session, parts};
use rules::{Outcome, Player};
use serde::{Deserialize, Serialize};
use table::Refusal;

/// The puzzles of a game, from easy to hard.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PuzzleList {
    game: &'static str,
    puzzles: Vec<PuzzleEntry>,
}

/// A puzzle without its solution.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct PuzzleEntry {
    number: usize,
    position: String,
    turns: u32,
    rating: u64,
}

/// Lists the puzzles of a game.
pub fn list(id: &str) -> Result<PuzzleList, Refusal> {
    let entry = game(id)?;
    let row = |(puzzle, number): (Puzzle, usize)| PuzzleEntry {
        number,
        position: puzzle.position,
        turns: puzzle.turns,
        rating: puzzle.rating,
    };
    let puzzles = of_game(entry)?.into_iter().zip(1..).map(row).collect();
    Ok(PuzzleList { game: entry.info.id, puzzles })
}

/// An attempt at a puzzle.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Attempt {
    /// The game's id.
    pub game: String,
    /// The number of the puzzle, from 1.
    pub number: usize,
    /// The turns both sides have played so far; the last one may be incomplete.
    #[serde(default)]
    pub turns: Vec<String>,
    /// Whether player 2 sits at the bottom of the board.
    #[serde(default)]
    pub flipped: bool,
    /// Whether to reveal the solution.
    #[serde(default)]
    pub solution: bool,
}

/// How an attempt is going.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Nothing has been played.
    Begins,
    /// Correct so far.
    Right,
    /// The first turn was not the solution.
    Wrong,
    /// The win takes longer than necessary.
    Late,
    /// Won within the required number of turns.
    Solved,
}

/// The progress of an attempt, with the current position.
#[derive(Clone, Debug, Serialize)]
pub struct AttemptShown {
    number: usize,
    of: usize,
    /// Within how many of their own turns the player must win.
    within: u32,
    rating: u64,
    player: u8,
    progress: Progress,
    view: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<Vec<String>>,
}

impl Attempt {
    /// The fields of this request.
    pub const FIELDS: [&str; 5] = ["game", "number", "turns", "flipped", "solution"];

    /// Checks the attempt.
    pub fn answer(&self) -> Result<AttemptShown, Refusal> {
        let entry = game(&self.game)?;
        let puzzles = of_game(entry)?;
        let of = puzzles.len();
        let found = self.number.checked_sub(1).and_then(|i| puzzles.into_iter().nth(i));
        let puzzle = found.ok_or_else(|| {
            let message = format!("the puzzles are 1 to {of}, got {}", self.number);
            Refusal::not_there(message).at("number")
        })?;
        let mut session = open(entry, &puzzle.position)?;
        let player = session.turn();
        play(session.as_mut(), "turns", &self.turns)?;
        Ok(AttemptShown {
            number: self.number,
            of,
            within: puzzle.turns,
            rating: puzzle.rating,
            player: player.number(),
            progress: progress(&puzzle, player, session.as_ref()),
            view: Shown::of(session.as_ref(), self.flipped),
            solution: self.solution.then_some(puzzle.solution),
        })
    }
}

/// The puzzles of a game; refused if they still have to be fetched.
fn of_game(entry: &Entry) -> Result<Vec<Puzzle>, Refusal> {
    match parts::puzzles(entry.info.id) {
        Err(Some(part)) => Err(Refusal::needs(vec![part])),
        _ => Ok(shipped(entry.info.id)),
    }
}

/// The progress of an attempt by the player who was to move at the start.
pub fn progress(puzzle: &Puzzle, player: Player, session: &dyn Session) -> Progress {
    let unfinished = usize::from(session.in_turn() && session.outcome().is_none());
    let own = (session.turns_played() - unfinished).div_ceil(2) as u32;
    match session.history().first().zip(puzzle.solution.first()) {
        _ if own == 0 => Progress::Begins,
        Some((first, only)) if first != only => Progress::Wrong,
        _ if session.result() == Some(Outcome::Win(player)) && own <= puzzle.turns => {
            Progress::Solved
        }
        _ if session.result().is_some() || own >= puzzle.turns => Progress::Late,
        _ => Progress::Right,
    }
}
