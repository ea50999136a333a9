//! Data for learners: games of the engine, puzzles and exact results as NumPy arrays, with a card that says how they
//! were made.

mod card;
mod exact;
mod games;
pub mod npz;

pub use exact::every;
pub(crate) use exact::every_match;
pub use games::Play;

use crate::control::Stop;
use crate::puzzles;
use crate::registry::Entry;
use crate::session::Session;
use crate::solve::{Exact, results};
use npz::{Column, Npz};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Why a game ended, by the numbers of the array `reason`.
pub const REASONS: [&str; 5] = ["goes on", "won", "drawn", "repetition", "length"];

/// What is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Games of the engine against itself, unless there are none.
    pub play: Play,
    /// Whether the puzzles that come with the game are written.
    pub puzzles: bool,
    /// Whether every position that can follow is solved and written: the most of them that fit the memory.
    pub complete: Option<usize>,
    /// A table of exact results to write, as `quadrille solve --complete -o FILE` makes it.
    pub table: Option<PathBuf>,
}

/// How many rows of each kind were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// Positions of games.
    pub positions: usize,
    /// Puzzles.
    pub puzzles: usize,
    /// Exact results.
    pub exact: usize,
}

type Columns = Vec<(&'static str, Column)>;

/// Writes an archive, and next to it a card that tells how it was made: `FILE.md` for `FILE.npz`. `tell` hears how many
/// games have ended. Nothing is left behind if it fails or is stopped.
pub fn write(
    entry: &'static Entry,
    start: &dyn Session,
    wanted: &Wanted,
    file: &Path,
    stop: &Stop,
    tell: &mut dyn FnMut(usize),
) -> Result<Written, String> {
    let stopped = || "it was stopped before the end: nothing was written".to_owned();
    let mut columns = Columns::new();
    let mut written = Written::default();
    if wanted.play.games > 0 {
        let played = games::play(entry, start, &wanted.play, stop, tell)?.ok_or_else(stopped)?;
        written.positions = rows(&played);
        columns.extend(played);
    }
    if wanted.puzzles {
        let found = puzzle_columns(entry);
        written.puzzles = rows(&found);
        columns.extend(found);
    }
    let mut exact: Vec<Exact> = Vec::new();
    if let Some(most) = wanted.complete {
        exact.extend((entry.every)(start, most, stop)?);
    }
    if let Some(table) = &wanted.table {
        exact.extend(results(table)?);
    }
    if wanted.complete.is_some() || wanted.table.is_some() {
        written.exact = exact.len();
        columns.extend(exact_columns(&exact));
    }
    if stop.is_stopped() {
        return Err(stopped());
    }
    if columns.is_empty() {
        return Err("nothing to write: ask for games, puzzles or exact results".into());
    }
    let card = card::Card { start, wanted, written, columns: &columns };
    let failed = |error: std::io::Error| format!("cannot write {}: {error}", file.display());
    let partial = file.with_extension("partial");
    let save = || {
        let mut archive = Npz::new(BufWriter::new(File::create(&partial)?));
        columns.iter().try_for_each(|(name, column)| archive.column(name, column))?;
        archive.file("card.json", format!("{:#}\n", card.json()).as_bytes())?;
        archive.finish()?.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::write(file.with_extension("md"), card.markdown(file))?;
        std::fs::rename(&partial, file)
    };
    save().map_err(|error| {
        let _ = std::fs::remove_file(&partial);
        failed(error)
    })?;
    Ok(written)
}

fn rows(columns: &Columns) -> usize {
    columns.first().map_or(0, |(_, column)| column.len())
}

fn puzzle_columns(entry: &Entry) -> Columns {
    let all = puzzles::shipped(entry.info.id);
    let number = |of: &dyn Fn(&puzzles::Puzzle) -> i64| Column::I64(all.iter().map(of).collect());
    let text = |of: &dyn Fn(&puzzles::Puzzle) -> String| Column::Text(all.iter().map(of).collect());
    vec![
        ("puzzle_position", text(&|puzzle| puzzle.position.clone())),
        ("puzzle_turns", number(&|puzzle| puzzle.turns.into())),
        ("puzzle_only", number(&|puzzle| puzzle.only.into())),
        ("puzzle_rating", number(&|puzzle| puzzle.rating as i64)),
        ("puzzle_solution", text(&|puzzle| puzzle.solution.join(" "))),
    ]
}

fn exact_columns(all: &[Exact]) -> Columns {
    let winner = |(_, result): &Exact| result.map_or(0, |(player, _)| player.number() as i8);
    let turns = |(_, result): &Exact| result.map_or(0, |(_, turns)| turns as i32);
    vec![
        ("exact_position", Column::Text(all.iter().map(|(pos, _)| pos.text()).collect())),
        ("exact_turn", Column::I8(all.iter().map(|(pos, _)| pos.turn().number() as i8).collect())),
        ("exact_winner", Column::I8(all.iter().map(winner).collect())),
        ("exact_turns", Column::I32(all.iter().map(turns).collect())),
    ]
}
