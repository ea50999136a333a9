//! A card that says what data are and how they were made.

use super::column::Table;
use super::{REASONS, Wanted, Written};
use crate::session::Session;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The contents of each array.
const ABOUT: &[(&str, &str)] = &[
    ("game", "the number of the game, from 0"),
    ("ply", "the number of the turn after the opening, from 0"),
    ("position", "the position in one line, which `Game.position` reads"),
    ("turn", "the player to move, 1 or 2"),
    ("played", "the turn that was played"),
    ("score", "the value of that turn for the player to move, in about hundredths of a piece"),
    (
        "win_in",
        "the winner's turns until a certain win, negative if it is lost, 0 if that is not known",
    ),
    ("result", "the result of the game for the player to move: 1, 0 or -1"),
    ("reason", "why the game ended: 1 won, 2 drawn, 3 third repetition, 4 too long"),
    (
        "policy_from",
        "where the turns of each position begin in the arrays below; one more than positions",
    ),
    ("policy_turn", "the best turns, the best one first"),
    ("policy_score", "their values for the player to move"),
    ("policy", "their shares, from the winning odds that the evaluation bar shows; they sum to 1"),
    ("puzzle_position", "where a puzzle begins"),
    ("puzzle_turns", "in how many turns the player to move wins"),
    ("puzzle_only", "the number of turns within which no other turn wins"),
    ("puzzle_rating", "how many positions the engine looked at before it kept to the solution"),
    ("puzzle_solution", "the only turn, then the longest resistance, turn by turn"),
    ("exact_position", "every position that can follow, up to symmetry"),
    ("exact_turn", "the player to move, 1 or 2"),
    ("exact_winner", "who wins with best play, 0 if nobody can force a win"),
    ("exact_turns", "the turns of both players until then, 0 if nobody can force a win"),
];

pub(super) struct Card<'a> {
    pub(super) start: &'a dyn Session,
    pub(super) wanted: &'a Wanted,
    pub(super) written: Written,
    /// The files, each with its tables.
    pub(super) files: &'a [(PathBuf, Vec<Table>)],
}

/// A table's columns with their numbers of rows; an archive also has the offsets of lists.
fn columns(table: &Table, archive: bool) -> Vec<(&'static str, usize)> {
    let mut all: Vec<_> = table.columns.iter().map(|(name, own)| (*name, own.len())).collect();
    if let Some(lists) = &table.lists {
        let begin = archive.then_some((lists.name, lists.from.len()));
        let rows = |own: usize| if archive { own } else { table.rows() };
        all.extend(begin);
        all.extend(lists.columns.iter().map(|(name, own)| (*name, rows(own.len()))));
    }
    all
}

impl Card<'_> {
    fn about(&self, name: &str) -> &'static str {
        ABOUT.iter().find(|(own, _)| *own == name).map_or("", |(_, about)| about)
    }

    /// The command that writes the same data again.
    fn command(&self, file: &Path) -> String {
        let Wanted { play, puzzles, complete, table } = self.wanted;
        let mut words = format!("quadrille data {}", self.start.info().id);
        let usual = self.start.info().options;
        for (name, value) in self.start.options() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if !usual.iter().any(|own| own.name == name && own.default == value) {
                words += &format!(" --{} {value}", name.replace('_', "-"));
            }
        }
        words += &format!(" --games {}", play.games);
        if play.games > 0 {
            words += &format!(
                " --opening {} --nodes {} --lines {} --seed {} --max-turns {}",
                play.opening, play.nodes, play.lines, play.seed, play.max_turns
            );
        }
        if *puzzles {
            words += " --puzzles";
        }
        if let Some(memory) = complete {
            words += &format!(" --complete --memory {memory}");
        }
        if let Some(table) = table {
            words += &format!(" --table {}", quoted(&table.to_string_lossy()));
        }
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        format!("{words} -o {}", quoted(&name))
    }

    pub(super) fn json(&self) -> Value {
        let Wanted { play, .. } = self.wanted;
        let games = (play.games > 0).then(|| {
            json!({
                "games": play.games, "opening": play.opening, "nodes": play.nodes,
                "lines": play.lines, "seed": play.seed, "max_turns": play.max_turns,
                "positions": self.written.positions,
            })
        });
        let arrays = self.files.iter().flat_map(|(file, tables)| {
            tables.iter().flat_map(move |table| columns(table, is_archive(file)))
        });
        let arrays: serde_json::Map<_, _> =
            arrays.map(|(name, _)| (name.to_owned(), self.about(name).into())).collect();
        json!({
            "quadrille": env!("CARGO_PKG_VERSION"), "game": self.start.info().id,
            "options": self.start.options(), "start": self.start.text(), "games": games,
            "puzzles": self.written.puzzles, "exact": self.written.exact, "reasons": REASONS,
            "arrays": arrays,
        })
    }

    pub(super) fn markdown(&self, file: &Path) -> String {
        let (info, Written { positions, puzzles, exact }) = (self.start.info(), self.written);
        let mut text = format!(
            "# {}: {positions} positions of games, {puzzles} puzzles, {exact} exact results\n\n",
            info.name
        );
        text += &format!(
            "Made by version {} of Quadrille. The same command writes the same arrays on any machine:\n\n\
             ```sh\n{}\n```\n\n",
            env!("CARGO_PKG_VERSION"),
            self.command(file)
        );
        text += &format!("Games begin with `{}`", self.start.text());
        let options = Value::Object(self.start.options());
        text += &format!(" (options {options}).\n");
        for (file, tables) in self.files {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let archive = is_archive(file);
            let what = if archive { "array" } else { "column" };
            text += &format!("\n## {name}\n\n| {what} | rows | |\n|---|---|---|\n");
            for (name, rows) in tables.iter().flat_map(|table| columns(table, archive)) {
                text += &format!("| `{name}` | {rows} | {} |\n", self.about(name));
            }
        }
        text
    }
}

/// A word as a shell reads it, in quotes where it needs them.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%,".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn is_archive(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "npz")
}
