//! Find the win: positions with exactly one turn that wins soon enough.
//!
//! A puzzle is a record. Its tags give the win distance, the distance within which no other turn wins, and
//! the nodes the engine needed to settle on the solution; its turns are the solution against the most
//! stubborn defence.

mod collect;

pub use collect::{Collect, collect, rate};

use crate::parts;
use crate::registry::find;
use rules::record::{Record, RecordError};

/// A position with exactly one turn that wins soon enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Puzzle {
    /// The game's name in commands and formats.
    pub game: String,
    /// The position in one line.
    pub position: String,
    /// The win distance, in turns of the player to move.
    pub turns: u32,
    /// The number of turns within which no other turn wins.
    pub only: u32,
    /// The nodes the engine needed to settle on the solution.
    pub rating: u64,
    /// The solution: the only turn, then the most stubborn defence, turn by turn to the end.
    pub solution: Vec<String>,
    /// The puzzle as a record.
    pub record: String,
}

/// How many puzzles one data file holds, so that nobody has to fetch all of them for one.
pub const PER_PART: usize = 100;

/// How many puzzles of a game come with the program.
pub fn count(game: &str) -> usize {
    find(game).map_or(0, |entry| parts::puzzle_parts(entry.info.id).count() * PER_PART)
}

/// The puzzles of a game that come with the program, from easy to hard.
pub fn shipped(game: &str) -> Vec<Puzzle> {
    let files = 0..count(game).div_ceil(PER_PART);
    files.flat_map(|number| part(game, number).unwrap_or_default()).collect()
}

/// A hundred of them, or the missing part that has them.
pub fn part(game: &str, number: usize) -> Result<Vec<Puzzle>, &'static str> {
    let part = find(game).and_then(|entry| parts::puzzle_parts(entry.info.id).nth(number));
    let Some(part) = part else { return Ok(Vec::new()) };
    let text = std::str::from_utf8(part.bytes().ok_or(part.name)?).unwrap_or_default();
    Ok(read(text).unwrap_or_default())
}

/// Reads puzzles as `quadrille puzzles` writes them: a sequence of records.
pub fn read(text: &str) -> Result<Vec<Puzzle>, RecordError> {
    let mut starts: Vec<usize> = text.match_indices("[Game ").map(|(at, _)| at).collect();
    starts.push(text.len());
    let records = starts.windows(2).map(|ends| text.get(ends[0]..ends[1]).unwrap_or_default());
    records.map(read_one).collect()
}

fn read_one(text: &str) -> Result<Puzzle, RecordError> {
    let record = Record::parse(text)?;
    let tag = |name: &str| record.tags.iter().find(|(own, _)| own == name).map(|(_, value)| value);
    let number = |name: &str| tag(name).and_then(|value| value.parse().ok()).unwrap_or_default();
    Ok(Puzzle {
        game: record.game()?.to_owned(),
        position: tag("Position").cloned().unwrap_or_default(),
        turns: number("Turns") as u32,
        only: number("Only") as u32,
        rating: number("Rating"),
        solution: record.main.nodes.iter().map(|node| node.turn.clone()).collect(),
        record: text.trim().to_owned() + "\n",
    })
}
