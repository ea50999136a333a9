//! The work of an attempt, kept in a file from which it can go on.
//!
//! A line that says what it is about, the counts, the table and a checksum. A file is written under
//! another name and then takes its place, so that there is a whole one at any time.

use super::knowledge::Writer;
use flate2::{Crc, CrcReader, CrcWriter};
use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::time::Duration;

/// What is kept of an attempt besides its table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    pub nodes: u64,
    pub time: Duration,
    pub no_win: [u32; 2],
}

const TITLE: &[u8] = b"quadrille checkpoint 1\n";

/// Writes a checkpoint in place of the one before.
pub(super) fn write(file: &Path, about: &str, kept: Kept, table: Writer<'_>) -> Result<(), String> {
    let mut name = file.as_os_str().to_owned();
    name.push(".new");
    let failed = |error: io::Error| format!("cannot write {}: {error}", file.display());
    write_to(Path::new(&name), about, kept, table).map_err(failed)?;
    fs::rename(&name, file).map_err(failed)
}

fn write_to(file: &Path, about: &str, kept: Kept, table: Writer<'_>) -> io::Result<()> {
    let mut out = CrcWriter::new(BufWriter::with_capacity(1 << 20, File::create(file)?));
    out.write_all(TITLE)?;
    out.write_all(about.as_bytes())?;
    out.write_all(b"\n")?;
    let [one, two] = kept.no_win.map(u64::from);
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

/// Reads a checkpoint that is about the same question; `table` takes what belongs to it.
pub(super) fn read(file: &Path, about: &str, table: Reader<'_>) -> Result<Kept, String> {
    let name = file.display();
    let failed = |error: io::Error| format!("cannot go on from {name}: {error}");
    let input = BufReader::with_capacity(1 << 20, File::open(file).map_err(failed)?);
    let mut input = CrcReader::new(input);
    let expected = [TITLE, about.as_bytes(), b"\n"].concat();
    let mut found = vec![0; expected.len()];
    input.read_exact(&mut found).map_err(failed)?;
    if !found.starts_with(TITLE) {
        return Err(format!("cannot go on from {name}: it is not a checkpoint"));
    }
    if found != expected {
        return Err(format!("cannot go on from {name}: it is about another question"));
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
    let no_win = [one, two].map(|turns| turns.min(u64::from(u32::MAX)) as u32);
    Ok(Kept { nodes, time: Duration::from_millis(millis), no_win })
}
