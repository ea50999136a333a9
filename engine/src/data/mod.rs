//! Training data: games of the engine, puzzles and exact results as NumPy arrays or Parquet, with a card that says how
//! they were made.

mod card;
pub mod column;
mod exact;
mod games;
pub mod npz;
pub mod parquet;

pub use exact::every;
pub(crate) use exact::every_match;
pub use games::Play;

use crate::control::Stop;
use crate::puzzles;
use crate::registry::Entry;
use crate::session::Session;
use crate::solve::{Exact, results};
use column::{Column, Table};
use npz::Npz;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

/// Why a game ended, by the numbers of the array `reason`.
pub const REASONS: [&str; 5] = ["goes on", "won", "drawn", "repetition", "length"];

/// Approximate bytes per position while all of them are being solved.
const BYTES: usize = 600;

/// The data to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Games of the engine against itself, unless there are none.
    pub play: Play,
    /// Whether the puzzles that come with the game are written.
    pub puzzles: bool,
    /// Whether every position that can follow is solved and written, and the MiB of memory that this may take.
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

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// All tables in an archive of NumPy's arrays.
    Npz,
    /// A file for each table.
    Parquet,
}

impl Format {
    fn of(file: &Path) -> Result<Format, String> {
        match file.extension().and_then(|ending| ending.to_str()) {
            Some("npz") => Ok(Format::Npz),
            Some("parquet") => Ok(Format::Parquet),
            _ => {
                let name = file.display();
                Err(format!("the file must end with .npz or .parquet, got `{name}`"))
            }
        }
    }

    /// The files and the tables in each. The first has the requested name.
    fn files(self, file: &Path, tables: Vec<Table>) -> Vec<(PathBuf, Vec<Table>)> {
        if self == Format::Npz {
            return vec![(file.to_owned(), tables)];
        }
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let named = |(place, table): (usize, Table)| match place {
            0 => (file.to_owned(), vec![table]),
            _ => (file.with_file_name(format!("{stem}-{}.parquet", table.kind)), vec![table]),
        };
        tables.into_iter().enumerate().map(named).collect()
    }

    fn write(self, file: &Path, tables: &[Table], card: &str) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(file)?);
        if self == Format::Parquet {
            let about = [("card", card)];
            tables.iter().try_for_each(|table| parquet::write(&mut out, table, &about))?;
        } else {
            let mut archive = Npz::new(&mut out);
            tables.iter().try_for_each(|table| archive.table(table))?;
            archive.file("card.json", card.as_bytes())?;
            archive.finish()?;
        }
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
    }
}

/// Writes a file, or one for each kind of rows, and next to it a card that tells how it was made: `FILE.md` for
/// `FILE.npz`. Calls `tell` with the number of finished games. Leaves nothing behind if it fails or is stopped.
pub fn write(
    entry: &'static Entry,
    start: &dyn Session,
    wanted: &Wanted,
    file: &Path,
    stop: &Stop,
    tell: &mut dyn FnMut(usize),
) -> Result<Written, String> {
    let format = Format::of(file)?;
    let tables = tables(entry, start, wanted, stop, tell)?;
    let rows =
        |kind| tables.iter().filter(|table| table.kind == kind).map(Table::rows).sum::<usize>();
    let written =
        Written { positions: rows("games"), puzzles: rows("puzzles"), exact: rows("exact") };
    let files = format.files(file, tables);
    let card = card::Card { start, wanted, written, files: &files };
    let (words, json) = (card.markdown(file), format!("{:#}\n", card.json()));
    let partial = |file: &Path| {
        let mut name = file.as_os_str().to_owned();
        name.push(".partial");
        PathBuf::from(name)
    };
    let save = || {
        for (file, tables) in &files {
            format.write(&partial(file), tables, &json)?;
        }
        std::fs::write(file.with_extension("md"), words)?;
        files.iter().try_for_each(|(file, _)| std::fs::rename(partial(file), file))
    };
    save().map_err(|error| {
        files.iter().for_each(|(file, _)| drop(std::fs::remove_file(partial(file))));
        format!("cannot write {}: {error}", file.display())
    })?;
    Ok(written)
}

/// Everything requested, with a table for each kind of rows.
fn tables(
    entry: &'static Entry,
    start: &dyn Session,
    wanted: &Wanted,
    stop: &Stop,
    tell: &mut dyn FnMut(usize),
) -> Result<Vec<Table>, String> {
    let stopped = || "it was stopped before the end: nothing was written".to_owned();
    let mut tables = Vec::new();
    if wanted.play.games > 0 {
        tables.push(games::play(entry, start, &wanted.play, stop, tell)?.ok_or_else(stopped)?);
    }
    if wanted.puzzles {
        tables.push(puzzle_table(entry));
    }
    let mut exact: Vec<Exact> = Vec::new();
    if let Some(memory) = wanted.complete {
        exact.extend((entry.every)(start, memory.saturating_mul(1 << 20) / BYTES, stop)?);
    }
    if let Some(table) = &wanted.table {
        exact.extend(results(table)?);
    }
    if wanted.complete.is_some() || wanted.table.is_some() {
        tables.push(exact_table(&exact));
    }
    if stop.is_stopped() {
        return Err(stopped());
    }
    if tables.is_empty() {
        return Err("nothing to write: ask for games, puzzles or exact results".into());
    }
    Ok(tables)
}

fn puzzle_table(entry: &Entry) -> Table {
    let all = puzzles::shipped(entry.info.id);
    let number = |of: &dyn Fn(&puzzles::Puzzle) -> i64| Column::I64(all.iter().map(of).collect());
    let text = |of: &dyn Fn(&puzzles::Puzzle) -> String| Column::Text(all.iter().map(of).collect());
    let columns = vec![
        ("puzzle_position", text(&|puzzle| puzzle.position.clone())),
        ("puzzle_turns", number(&|puzzle| puzzle.turns.into())),
        ("puzzle_only", number(&|puzzle| puzzle.only.into())),
        ("puzzle_rating", number(&|puzzle| puzzle.rating as i64)),
        ("puzzle_solution", text(&|puzzle| puzzle.solution.join(" "))),
    ];
    Table { kind: "puzzles", columns, lists: None }
}

fn exact_table(all: &[Exact]) -> Table {
    let winner = |(_, result): &Exact| result.map_or(0, |(player, _)| player.number() as i8);
    let turns = |(_, result): &Exact| result.map_or(0, |(_, turns)| turns as i32);
    let columns = vec![
        ("exact_position", Column::Text(all.iter().map(|(pos, _)| pos.text()).collect())),
        ("exact_turn", Column::I8(all.iter().map(|(pos, _)| pos.turn().number() as i8).collect())),
        ("exact_winner", Column::I8(all.iter().map(winner).collect())),
        ("exact_turns", Column::I32(all.iter().map(turns).collect())),
    ];
    Table { kind: "exact", columns, lists: None }
}
