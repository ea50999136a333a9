//! The records of a match in one file: appended game by game, read back to resume.

use super::{Ending, Fault, Played};
use rules::game::shorten;
use rules::{ByPlayer, Record, Verdict};
use std::collections::HashSet;
use std::time::Duration;

/// How every record begins.
const HEAD: &str = "[Game \"";

/// What a file of records holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Archive {
    /// The whole games.
    pub games: Vec<Played>,
    /// Their length in bytes. Anything after that is a record cut off when the match was killed.
    pub bytes: usize,
}

/// A game with its place in the file.
pub fn write(played: &Played) -> String {
    format!("{}\n", played.record)
}

/// Reads the games of a file. The last one may be truncated; files of another kind are refused.
pub fn read(bytes: &[u8]) -> Result<Archive, String> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        // The truncation may split a character.
        Err(error) if error.error_len().is_none() => bytes
            .get(..error.valid_up_to())
            .and_then(|whole| std::str::from_utf8(whole).ok())
            .unwrap_or_default(),
        Err(_) => return Err("it is not text in UTF-8".into()),
    };
    let mut archive = Archive::default();
    let mut rounds = HashSet::new();
    let pieces = pieces(text);
    let last = pieces.len().saturating_sub(1);
    for (i, (at, piece)) in pieces.into_iter().enumerate() {
        let refusal = |message: String| {
            let line = text.get(..at).unwrap_or_default().lines().count() + 1;
            format!("record from line {line}: {message}")
        };
        let record = match Record::parse(piece) {
            Ok(record) => record,
            Err(_) if i == last && is_torn(piece) => break,
            Err(error) => return Err(refusal(error.message)),
        };
        let played = game(record).map_err(refusal)?;
        if !rounds.insert(played.number) {
            return Err(refusal(format!("round {} appears twice", played.number + 1)));
        }
        archive.games.push(played);
        archive.bytes = at + piece.len();
    }
    Ok(archive)
}

/// The records of a text, each with its offset.
fn pieces(text: &str) -> Vec<(usize, &str)> {
    let mut starts = vec![0];
    // A blank line followed by a tag separates two records; within a record, turns follow it.
    starts.extend(text.match_indices("\n\n[").map(|(at, _)| at + 2));
    let ends = starts.iter().copied().skip(1).chain([text.len()]);
    let piece = |(start, end): (usize, usize)| Some((start, text.get(start..end)?));
    let pieces = starts.iter().copied().zip(ends).filter_map(piece);
    pieces.filter(|(_, piece)| !piece.trim().is_empty()).collect()
}

/// Whether a text could be the start of a record.
fn is_torn(piece: &str) -> bool {
    HEAD.starts_with(piece) || piece.starts_with(HEAD) && piece.matches(HEAD).count() == 1
}

fn game(record: Record) -> Result<Played, String> {
    let round = number(&record, "Round")?;
    let opening = number(&record, "Opening")?;
    let time = ByPlayer::new(seconds(&record, "Time1")?, seconds(&record, "Time2")?);
    let ending = ending(&record)?;
    if round == 0 || record.result == Verdict::Open {
        return Err("the game has no number or no result".into());
    }
    Ok(Played { number: round - 1, result: record.result, ending, opening, time, record })
}

fn tag<'a>(record: &'a Record, name: &str) -> Result<&'a str, String> {
    record.tag(name).ok_or_else(|| format!("it lacks the tag `{name}`"))
}

fn number(record: &Record, name: &str) -> Result<usize, String> {
    let text = tag(record, name)?;
    text.parse().map_err(|_| format!("{name} is `{}`, expected a number", shorten(text)))
}

fn seconds(record: &Record, name: &str) -> Result<Duration, String> {
    let text = tag(record, name)?;
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| format!("{name} is `{}`, expected seconds", shorten(text)))
}

fn ending(record: &Record) -> Result<Ending, String> {
    let text = tag(record, "Termination")?;
    let detail = || record.tag("Fault").unwrap_or_default().to_owned();
    let kind = text.split(": ").next().unwrap_or_default();
    Ok(match kind {
        "rules" => Ending::Rules,
        "repetition" => Ending::Repetition,
        "turn limit" => Ending::TurnLimit,
        "crash" => Ending::Fault(Fault::Crash(detail())),
        "garbage" => Ending::Fault(Fault::Garbage(detail())),
        "time" => Ending::Fault(Fault::Time),
        "illegal move" => {
            let detail = text.strip_prefix("illegal move: ").unwrap_or_default();
            Ending::Fault(Fault::Illegal(detail.to_owned()))
        }
        _ => return Err(format!("`{}` is not a reason for a game to end", shorten(text))),
    })
}
