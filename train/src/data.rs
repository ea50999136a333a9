//! Positions to learn from, a game to a line of text: its number, the number of its options, and for each
//! position its text, the score, the result and the move.

use anyhow::{Context, Result, ensure};
use rules::{Game, Notation};
use std::fmt::Write;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

/// A position with what the search and the game said about it, for the player to move.
pub struct Sample<G: Game> {
    pub pos: G,
    pub score: i32,
    /// In halves of a game; nothing for a position that was not played.
    pub result: Option<u8>,
    /// Whether the search evaluates such positions; others only teach the policy.
    pub evaluated: bool,
    /// The search's move.
    pub best: G::Move,
}

/// The fields of a position.
pub const FIELDS: usize = 4;

/// Writes the positions of a game as a line.
pub fn line<G: Notation>(number: usize, variant: usize, samples: &[Sample<G>]) -> String {
    let mut line = format!("{number}\t{variant}");
    for Sample { pos, score, result, best, evaluated } in samples {
        let result = match result {
            _ if !evaluated => "x".to_owned(),
            Some(halves) => halves.to_string(),
            None => "-".to_owned(),
        };
        let _ = write!(line, "\t{}\t{score}\t{result}\t{best}", pos.text());
    }
    line.push('\n');
    line
}

/// Reads at most this many positions.
pub fn read<G: Notation>(
    file: &Path,
    options: &[G::Options],
    most: usize,
    samples: &mut Vec<Sample<G>>,
) -> Result<()> {
    let open = File::open(file).with_context(|| format!("cannot read {}", file.display()))?;
    let end = samples.len() + most;
    for (number, line) in BufReader::new(open).lines().enumerate() {
        let place = || format!("{}, line {}", file.display(), number + 1);
        read_game(&line?, options, samples).with_context(place)?;
        if samples.len() >= end {
            break;
        }
    }
    Ok(())
}

fn read_game<G: Notation>(
    line: &str,
    options: &[G::Options],
    samples: &mut Vec<Sample<G>>,
) -> Result<()> {
    let fields: Vec<&str> = line.split('\t').collect();
    let variant: usize = fields.get(1).context("the number of the options is missing")?.parse()?;
    let options = options.get(variant).context("there are no such options")?;
    for sample in fields[2..].chunks_exact(FIELDS) {
        let pos = G::from_text(sample[0], options)?;
        let best: G::Move = sample[3].parse()?;
        ensure!(pos.is_legal(best), "`{best}` is not legal in `{}`", sample[0]);
        samples.push(Sample {
            pos,
            score: sample[1].parse()?,
            result: if matches!(sample[2], "-" | "x") { None } else { Some(sample[2].parse()?) },
            evaluated: sample[2] != "x",
            best,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::gekitai::Gekitai;

    fn read_back(text: &str) -> Result<Vec<Sample<Gekitai>>> {
        let mut samples = Vec::new();
        for line in text.lines() {
            read_game(line, &[Default::default()], &mut samples)?;
        }
        Ok(samples)
    }

    #[test]
    fn a_game_that_was_written_reads_back() {
        let mut pos = Gekitai::new(&Default::default()).unwrap();
        let mut samples = Vec::new();
        for (i, m) in ["c3", "d4", "f6"].into_iter().enumerate() {
            pos.play(m.parse().unwrap()).unwrap();
            let result = (i > 1).then_some(i as u8);
            let best = "a1".parse().unwrap();
            samples.push(Sample {
                pos,
                score: 7 - 100 * i as i32,
                result,
                best,
                evaluated: i != 1,
            });
        }
        let back = read_back(&line(3, 0, &samples)).unwrap();
        let plain = |s: &Sample<Gekitai>| (s.pos, s.score, s.result, s.best, s.evaluated);
        assert_eq!(
            back.iter().map(plain).collect::<Vec<_>>(),
            samples.iter().map(plain).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_damaged_line_is_refused() {
        for damaged in [
            "",
            "1",
            "1\t9",
            "1\tx",
            "1\t0\tnonsense\t1\t-\ta1",
            "1\t0\t6/6/6/6/6/6 1\tx\t-\ta1",
            "1\t0\t6/6/6/6/6/6 1\t1\t-\tz9",
            "1\t0\tx5/6/6/6/6/6 2\t1\t-\ta1",
        ] {
            assert!(read_back(&format!("{damaged}\n")).is_err(), "{damaged:?}");
        }
    }
}
