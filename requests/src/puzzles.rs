//! Find the win: the puzzles that come with the program, and how a try goes.

use crate::given::game;
use crate::refusal::Refusal;
use crate::view::Shown;
use engine::puzzles::{Puzzle, shipped};
use engine::{Entry, Session, parts};
use rules::{Outcome, Player};
use serde::{Deserialize, Serialize};
use serde_json::Map;

/// Which game's puzzles.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Puzzles {
    /// The game's id.
    pub game: String,
}

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

impl Puzzles {
    /// The fields.
    pub const FIELDS: [&str; 1] = ["game"];

    /// All puzzles of the game.
    pub fn answer(&self) -> Result<PuzzleList, Refusal> {
        let entry = game(&self.game)?;
        let row = |(i, puzzle): (usize, Puzzle)| PuzzleEntry {
            number: i + 1,
            position: puzzle.position,
            turns: puzzle.turns,
            rating: puzzle.rating,
        };
        let puzzles = of_game(entry)?.into_iter().enumerate().map(row).collect();
        Ok(PuzzleList { game: entry.info.id, puzzles })
    }
}

/// A try at a puzzle.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Attempt {
    /// The game's id.
    pub game: String,
    /// Which of its puzzles, from 1.
    pub number: usize,
    /// What was played so far by both sides; the last turn may be incomplete.
    #[serde(default)]
    pub turns: Vec<String>,
    /// Whether player 2 sits at the bottom of the board.
    #[serde(default)]
    pub flipped: bool,
    /// Whether to tell the solution.
    #[serde(default)]
    pub solution: bool,
}

/// How a try goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Nothing has been played.
    Begins,
    /// All right so far.
    Right,
    /// The first turn was not the one.
    Wrong,
    /// The win takes longer than it must.
    Late,
    /// Won in time.
    Solved,
}

/// How a try goes, and the board as it stands.
#[derive(Clone, Debug, Serialize)]
pub struct AttemptShown {
    number: usize,
    of: usize,
    /// Within how many own turns the win is to be found.
    within: u32,
    rating: u64,
    player: u8,
    progress: Progress,
    view: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    solution: Option<Vec<String>>,
}

impl Attempt {
    /// The fields.
    pub const FIELDS: [&str; 5] = ["game", "number", "turns", "flipped", "solution"];

    /// How the try goes.
    pub fn answer(&self) -> Result<AttemptShown, Refusal> {
        let entry = game(&self.game)?;
        let puzzles = of_game(entry)?;
        let of = puzzles.len();
        let found = self.number.checked_sub(1).and_then(|i| puzzles.into_iter().nth(i));
        let puzzle = found.ok_or_else(|| {
            let message = format!("the puzzles are 1 to {of}, got {}", self.number);
            Refusal::not_there(message).at("number")
        })?;
        let mut session = open(entry, &puzzle)?;
        let player = session.turn();
        for (i, turn) in self.turns.iter().enumerate() {
            session.play(turn).map_err(|e| Refusal::against(e).at(format!("turns[{i}]")))?;
        }
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

/// The puzzles of a game, where they are at hand.
fn of_game(entry: &Entry) -> Result<Vec<Puzzle>, Refusal> {
    match parts::puzzles(entry.info.id) {
        Err(Some(part)) => Err(Refusal::needs(vec![part])),
        _ => Ok(shipped(entry.info.id)),
    }
}

fn open(entry: &Entry, puzzle: &Puzzle) -> Result<Box<dyn Session>, Refusal> {
    (entry.from_text)(&puzzle.position, &Map::new())
        .map_err(|error| Refusal::against(error.message).at("number"))
}

/// How the try of a player goes who was to move at the start of a match.
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
