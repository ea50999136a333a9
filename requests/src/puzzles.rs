//! Puzzles ("find the win") and the progress of an attempt at one.

use crate::given::{game, play};
use crate::lessons::open;
use crate::view::Shown;
use crate::why;
use engine::puzzles::{PER_PART, Puzzle, count, part};
use engine::{Entry, Session};
use rules::{Outcome, Player};
use serde::{Deserialize, Serialize};
use table::Refusal;

/// Which puzzles to list: all of a game, a block of a hundred, or one.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Which {
    /// The game's id.
    pub game: String,
    /// The number of the block, from 1.
    #[serde(default)]
    pub part: Option<usize>,
    /// The number of the puzzle, from 1.
    #[serde(default)]
    pub number: Option<usize>,
}

/// Puzzles of a game, from easy to hard.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PuzzleList {
    game: &'static str,
    /// How many there are in all.
    of: usize,
    puzzles: Vec<PuzzleEntry>,
}

/// A puzzle without its solution.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct PuzzleEntry {
    number: usize,
    position: String,
    turns: u32,
    rating: u32,
    /// What the first turn does: `capture`, `push` (off the board), `top` (a tower) or `quiet`.
    theme: &'static str,
}

impl Which {
    /// The fields of this request.
    pub const FIELDS: [&str; 3] = ["game", "part", "number"];

    /// Lists the puzzles.
    pub fn answer(&self) -> Result<PuzzleList, Refusal> {
        let entry = game(&self.game)?;
        let of = count(entry.info.id);
        let numbers = match (self.part, self.number) {
            (_, Some(number)) => {
                within("number", number, of)?;
                number..number + 1
            }
            (Some(part), None) => {
                within("part", part, of.div_ceil(PER_PART))?;
                (part - 1) * PER_PART + 1..part * PER_PART + 1
            }
            (None, None) => 1..of + 1,
        };
        let mut puzzles = Vec::new();
        for file in (numbers.start - 1) / PER_PART..(numbers.end - 1).div_ceil(PER_PART) {
            let first = file * PER_PART + 1;
            let some = of_part(entry, file)?.into_iter().zip(first..);
            puzzles.extend(some.filter(|(_, number)| numbers.contains(number)));
        }
        let row = |(puzzle, number): (Puzzle, usize)| PuzzleEntry {
            number,
            turns: puzzle.turns,
            rating: rating(&puzzle),
            theme: theme(entry, &puzzle),
            position: puzzle.position,
        };
        Ok(PuzzleList { game: entry.info.id, of, puzzles: puzzles.into_iter().map(row).collect() })
    }
}

/// Refuses a number that is not from 1 to `of`.
fn within(field: &'static str, number: usize, of: usize) -> Result<(), Refusal> {
    if (1..=of).contains(&number) {
        return Ok(());
    }
    Err(Refusal::not_there(format!("the puzzles are 1 to {of}, got {number}")).at(field))
}

/// The rating of the easiest puzzle, and how much each doubling of the engine's effort and each further turn add.
const EASIEST: u32 = 800;
const PER_DOUBLING: u32 = 100;
const PER_TURN: u32 = 60;

/// A puzzle's rating on the scale of players' ratings, estimated from the engine's effort until it is measured.
fn rating(puzzle: &Puzzle) -> u32 {
    let doublings = (puzzle.rating / 50).max(1).ilog2();
    EASIEST + PER_DOUBLING * doublings + PER_TURN * puzzle.turns.saturating_sub(2)
}

fn theme(entry: &Entry, puzzle: &Puzzle) -> &'static str {
    let session = open(entry, &puzzle.position).ok();
    session
        .zip(puzzle.solution.first())
        .map_or("quiet", |(session, turn)| why::theme(session.as_ref(), turn))
}

/// An attempt at a puzzle.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "PuzzleProgress"))]
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
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AttemptShown {
    number: usize,
    of: usize,
    /// Within how many of their own turns the player must win.
    within: u32,
    rating: u32,
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
        let of = count(entry.info.id);
        within("number", self.number, of)?;
        let at = self.number - 1;
        let found = of_part(entry, at / PER_PART)?.into_iter().nth(at % PER_PART);
        let puzzle = found.ok_or_else(|| Refusal::not_there("there is no such puzzle"))?;
        let mut session = open(entry, &puzzle.position)?;
        let player = session.turn();
        play(session.as_mut(), "turns", &self.turns)?;
        Ok(AttemptShown {
            number: self.number,
            of,
            within: puzzle.turns,
            rating: rating(&puzzle),
            player: player.number(),
            progress: progress(&puzzle, player, session.as_ref()),
            view: Shown::of(session.as_ref(), self.flipped),
            solution: self.solution.then_some(puzzle.solution),
        })
    }
}

/// A block of a hundred puzzles; refused if the data has to be fetched first.
fn of_part(entry: &Entry, number: usize) -> Result<Vec<Puzzle>, Refusal> {
    part(entry.info.id, number).map_err(|part| Refusal::needs(vec![part]))
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
