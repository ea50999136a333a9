//! The atlas as tables in Markdown, as `docs/results.md` has them.

use super::words;
use engine::solve::atlas::Row;
use engine::{Entry, GAMES};
use serde_json::{Map, Value};
use std::fmt::Write;

const HEAD: &str = "| value | effort | certificate | check |\n|---|---|---|---|---|\n";

/// Boards, moves from them, and replies to those, of all games that have any.
pub fn tables(index: &Map<String, Value>) -> String {
    let mut text = String::new();
    for entry in GAMES {
        let rows: Vec<_> = (entry.atlas)()
            .into_iter()
            .filter_map(|row| Some((index.get(&row.name)?.clone(), row)))
            .collect();
        let of_length =
            |length: usize| rows.iter().filter(move |(_, row)| row.moves.len() == length);
        if of_length(0).next().is_some() {
            let _ = write!(text, "| board {HEAD}");
            for (value, row) in of_length(0) {
                let _ = writeln!(text, "| {} {}", row.title, cells(entry, value));
            }
        }
        if of_length(1).next().is_some() {
            let _ = write!(text, "\n| board, first move {HEAD}");
            for (value, row) in of_length(1) {
                let moves = row.moves.join(" ");
                let _ = writeln!(text, "| {}: `{moves}` {}", row.title, cells(entry, value));
            }
        }
        text += &replies(entry, &of_length(2).collect::<Vec<_>>());
    }
    text
}

/// Value, effort, certificate and check of a row.
fn cells(entry: &Entry, value: &Value) -> String {
    // A certificate that was already there cost nothing here.
    let effort = match value["nodes"].is_null() {
        true => "–".to_owned(),
        false => format!("{} positions, {} s", grouped(&value["nodes"]), value["cpu_s"]),
    };
    if value["winner"].is_null() {
        return format!("| open | {effort} | | |");
    }
    let size = kilobytes(value["bytes"].as_u64().unwrap_or(0));
    let certificate = format!("{} positions, {size}", grouped(&value["stored"]));
    format!("| {} | {effort} | {certificate} | {} s |", words(entry, value), value["check_cpu_s"])
}

/// The replies to each first move, by their values.
fn replies(entry: &Entry, rows: &[&(Value, Row)]) -> String {
    let mut text = String::new();
    let mut firsts: Vec<&str> = rows.iter().map(|(_, row)| row.moves[0].as_str()).collect();
    firsts.dedup();
    for first in firsts {
        let own = rows.iter().filter(|(_, row)| row.moves[0] == first);
        let of_winner = |winner: Value| {
            let mut own: Vec<_> =
                own.clone().filter(|(value, _)| value["winner"] == winner).collect();
            own.sort_by_key(|(value, _)| value["within"].as_u64());
            let reply = |(value, row): &&(Value, Row)| match value["within"].as_u64() {
                Some(within) => format!("`{}` {within}", row.moves[1]),
                None => format!("`{}`", row.moves[1]),
            };
            own.iter().map(|row| reply(row)).collect::<Vec<_>>().join(", ")
        };
        let values = [1.into(), 2.into(), "draw".into(), Value::Null].map(of_winner);
        let cells = values.map(|cell| if cell.is_empty() { "–".into() } else { cell });
        if text.is_empty() {
            let [one, two] = *entry.info.players;
            let _ = write!(
                text,
                "\n| first move | replies after which {one} wins, within how many turns | {two} wins | nobody | open |\n\
                 |---|---|---|---|---|\n"
            );
        }
        let _ = writeln!(text, "| `{first}` | {} |", cells.join(" | "));
    }
    text
}

/// A number with commas.
fn grouped(number: &Value) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn kilobytes(bytes: u64) -> String {
    if bytes < 1000 { format!("{bytes} bytes") } else { format!("{} KB", (bytes + 500) / 1000) }
}
