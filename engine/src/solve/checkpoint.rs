//! Checkpoints: the state of an attempt in a file from which it can be resumed.
//!
//! A file has a line that identifies the question, the counts, the table and a checksum. It is written under
//! a temporary name and renamed, so that there is always a complete one.

use super::knowledge::Writer;
use flate2::{Crc, CrcReader, CrcWriter};
use rules::ByPlayer;
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a checkpoint holds besides the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub nodes: u64,
    pub time: Duration,
    pub no_win: ByPlayer<u32>,
}

const TITLE: &[u8] = b"quadrille checkpoint 2\n";

/// Titles of earlier versions, whose tables are laid out differently.
const OLD_TITLES: [&[u8]; 1] = [b"quadrille checkpoint 1\n"];

/// Writes a checkpoint, replacing the previous one.
pub(super) fn write(file: &Path, about: &str, kept: Kept, table: Writer<'_>) -> Result<(), String> {
    let new = beside(file);
    let written = write_to(&new, about, kept, table).and_then(|()| fs::rename(&new, file));
    written.map_err(|error| {
        // Frees its space on a full disk.
        let _ = fs::remove_file(&new);
        format!("cannot write {}: {error}", file.display())
    })
}

/// Finds out before the work whether checkpoints can be written at all.
pub(super) fn try_to_write(file: &Path) -> Result<(), String> {
    let new = beside(file);
    File::create(&new)
        .and_then(|_| fs::remove_file(&new))
        .map_err(|error| format!("cannot write {}: {error}", file.display()))
}

/// The temporary name.
fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

fn write_to(file: &Path, about: &str, kept: Kept, table: Writer<'_>) -> io::Result<()> {
    let mut out = CrcWriter::new(BufWriter::with_capacity(1 << 20, File::create(file)?));
    out.write_all(TITLE)?;
    out.write_all(about.as_bytes())?;
    out.write_all(b"\n")?;
    let [one, two] = *kept.no_win.map(u64::from);
    for number in [kept.nodes, kept.time.as_millis() as u64, one, two] {
        out.write_all(&number.to_le_bytes())?;
    }
    table(&mut out)?;
    let sum = out.crc().sum();
    out.write_all(&sum.to_le_bytes())?;
    out.into_inner().into_inner()?.sync_all()
}

/// Reads the table of a checkpoint.
pub(super) type Reader<'a> = &'a mut dyn FnMut(&mut dyn Read) -> io::Result<()>;

/// Reads a checkpoint of the same question; `table` reads the table's part.
pub(super) fn read(file: &Path, about: &str, table: Reader<'_>) -> Result<Kept, String> {
    let name = file.display();
    let failed = |error: io::Error| format!("cannot resume from {name}: {error}");
    let input = BufReader::with_capacity(1 << 20, File::open(file).map_err(failed)?);
    let mut input = CrcReader::new(input);
    let expected = [TITLE, about.as_bytes(), b"\n"].concat();
    let mut found = vec![0; expected.len()];
    input.read_exact(&mut found).map_err(failed)?;
    if OLD_TITLES.iter().any(|old| found.starts_with(old)) {
        return Err(format!(
            "cannot resume from {name}: an earlier version wrote it, whose tables cannot be read"
        ));
    }
    if !found.starts_with(TITLE) {
        return Err(format!("cannot resume from {name}: it is not a checkpoint"));
    }
    if found != expected {
        return Err(format!("cannot resume from {name}: it is about another question"));
    }
    read_rest(&mut input, table).map_err(failed)
}

fn read_rest(input: &mut CrcReader<BufReader<File>>, table: Reader<'_>) -> io::Result<Kept> {
    let mut numbers = [0; 4];
    for number in &mut numbers {
        let mut bytes = [0; 8];
        input.read_exact(&mut bytes)?;
        *number = u64::from_le_bytes(bytes);
    }
    let [nodes, millis, one, two] = numbers;
    table(input)?;
    let sum = Crc::sum(input.crc());
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    if sum != u32::from_le_bytes(bytes) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "its checksum is wrong"));
    }
    let no_win = ByPlayer::new(one, two).map(|turns| turns.min(u64::from(u32::MAX)) as u32);
    Ok(Kept { nodes, time: Duration::from_millis(millis), no_win })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Control, Limits, Stop};
    use crate::play::gekitai::Judge;
    use crate::solve::proof::Prover;
    use crate::solve::question::{Method, Settings, Verdict, solve};
    use crate::solve::strategy::Oracle;
    use crate::solve::table::{INFINITE, Table};
    use rules::gekitai::{Gekitai, Options};
    use rules::jeson_mor::JesonMor;
    use rules::{Game, Notation, Player};

    fn name(of: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("quadrille-{of}-{}", std::process::id()))
    }

    /// X wins with four markers each, but not by the first move that the table claims to win.
    #[test]
    fn a_proof_that_leans_on_a_wrong_entry_is_looked_for_again() {
        let start = Gekitai::new(&Options { size: 5, markers: 4, ..Options::default() }).unwrap();
        let (judge, stop) = (Judge::default(), Stop::default());
        let control = Control::new(&Limits::default(), &stop);
        let mut empty = Table::new(1);
        let keys: Vec<u64> = {
            let prover = Prover::<Gekitai, _>::new(&judge, &mut empty, &control, Player::One);
            start.moves().into_iter().map(|m| prover.key(&start.after(m))).collect()
        };
        let mut wrong = Table::new(1);
        wrong.put(keys[0], (0, INFINITE), 1_000_000);
        let file = name("wrong-entry");
        let about = format!("gekitai {} {:?}", start.text(), Method::Proof);
        write(&file, &about, Kept::default(), &|mut out| wrong.write(&mut out)).unwrap();
        let settings = Settings {
            method: Method::Proof,
            player: Some(Player::One),
            most_turns: None,
            time: None,
            nodes: Some(10_000_000),
            mebibytes: 4,
            threads: 1,
            checkpoint: None,
            resume: Some(file.clone()),
        };
        let answer = solve(&start, &settings, &stop, &mut |_| {}).unwrap();
        fs::remove_file(&file).unwrap();
        let Verdict::Win(win) = answer.verdict else { panic!("no win: {:?}", answer.progress) };
        crate::solve::check::verify(&win.certificate.unwrap(), &mut |_| {}).unwrap();
    }

    fn knights(file: &Path, resume: bool) -> Settings {
        Settings {
            method: Method::Proof,
            player: Some(Player::Two),
            most_turns: None,
            time: None,
            nodes: None,
            mebibytes: 8,
            threads: 1,
            checkpoint: Some((file.to_owned(), Duration::ZERO)),
            resume: resume.then(|| file.to_owned()),
        }
    }

    /// About 50,000 positions.
    fn five() -> JesonMor {
        let text = "1nnnnn1/7/7/7/7/7/1NNNNN1 1";
        JesonMor::from_text(text, &Default::default()).unwrap()
    }

    #[test]
    fn who_stops_the_writing_of_a_strategy_keeps_the_work() {
        let (file, stop) = (name("writing"), Stop::default());
        let mut proven = 0;
        let first = solve(&five(), &knights(&file, false), &stop, &mut |progress| {
            if progress.writing {
                proven = proven.max(progress.nodes);
                stop.stop();
            }
        });
        assert!(matches!(first.unwrap().verdict, Verdict::Open) && proven > 0);
        let again = solve(&five(), &knights(&file, true), &Stop::default(), &mut |_| {}).unwrap();
        fs::remove_file(&file).unwrap();
        assert!(matches!(again.verdict, Verdict::Win(_)));
        let spent = again.progress.nodes - proven;
        assert!(spent < proven / 2, "{spent} nodes after {proven}");
    }

    /// As on a full disk.
    #[test]
    fn a_checkpoint_that_cannot_be_written_does_not_end_the_work() {
        let folder = name("gone");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join("work");
        let answer = solve(&five(), &knights(&file, false), &Stop::default(), &mut |_| {
            let _ = fs::remove_dir_all(&folder);
        });
        let answer = answer.unwrap();
        assert!(matches!(answer.verdict, Verdict::Win(_)));
        let said = answer.progress.trouble.unwrap();
        assert!(said.starts_with("cannot write "), "{said}");
        // A file that cannot be written is refused before the search.
        let said = solve(&five(), &knights(&file, false), &Stop::default(), &mut |_| {});
        assert!(said.is_err_and(|said| said.starts_with("cannot write ")));
    }

    #[test]
    fn a_checkpoint_of_an_earlier_version_is_refused() {
        let file = name("earlier");
        fs::write(&file, b"quadrille checkpoint 1\ngekitai 6/6/6/6/6/6 1 Proof\n\0\0\0").unwrap();
        let said = read(&file, "gekitai 6/6/6/6/6/6 1 Proof", &mut |_| Ok(())).unwrap_err();
        fs::remove_file(&file).unwrap();
        assert!(
            said.ends_with("an earlier version wrote it, whose tables cannot be read"),
            "{said}"
        );
    }
}
