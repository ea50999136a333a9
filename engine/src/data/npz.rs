//! NumPy's archives: a ZIP file of arrays, which `numpy.load` reads.

use super::column::{Column, Table};
use flate2::{Compression, Crc, write::DeflateEncoder};
use std::io::{self, Write};

/// An archive that is being written. The same contents give the same bytes.
pub struct Npz<W> {
    out: W,
    at: u64,
    directory: Vec<u8>,
    count: u16,
}

impl<W: Write> Npz<W> {
    /// An empty archive.
    pub fn new(out: W) -> Npz<W> {
        Npz { out, at: 0, directory: Vec::new(), count: 0 }
    }

    /// Adds the arrays of a table.
    pub fn table(&mut self, table: &Table) -> io::Result<()> {
        for (name, column) in &table.columns {
            self.column(name, column)?;
        }
        let Some(lists) = &table.lists else { return Ok(()) };
        self.column(lists.name, &Column::I64(lists.from.clone()))?;
        lists.columns.iter().try_for_each(|(name, column)| self.column(name, column))
    }

    /// Adds an array.
    pub fn column(&mut self, name: &str, column: &Column) -> io::Result<()> {
        self.file(&format!("{name}.npy"), &npy(column))
    }

    /// Adds any file; `numpy.load` gives its bytes.
    pub fn file(&mut self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::default());
        packer.write_all(bytes)?;
        let packed = packer.finish()?;
        let mut crc = Crc::new();
        crc.update(bytes);
        let (size, whole) = (small(packed.len() as u64)?, small(bytes.len() as u64)?);
        let mut about = Vec::new();
        // Version 2.0, no flags, deflated, 1 January 1980.
        about.extend([20, 0, 0, 0, 8, 0, 0, 0, 0x21, 0]);
        about.extend(crc.sum().to_le_bytes());
        about.extend(size.to_le_bytes());
        about.extend(whole.to_le_bytes());
        about.extend((name.len() as u16).to_le_bytes());
        about.extend([0, 0]);
        self.directory.extend(b"PK\x01\x02\x14\x00");
        self.directory.extend(&about);
        self.directory.extend([0; 10]);
        self.directory.extend(small(self.at)?.to_le_bytes());
        self.directory.extend(name.bytes());
        self.count += 1;
        for part in [b"PK\x03\x04", &about[..], name.as_bytes(), &packed] {
            self.out.write_all(part)?;
            self.at += part.len() as u64;
        }
        Ok(())
    }

    /// Writes the directory, which ends the archive.
    pub fn finish(mut self) -> io::Result<W> {
        let mut end = b"PK\x05\x06\x00\x00\x00\x00".to_vec();
        end.extend(self.count.to_le_bytes());
        end.extend(self.count.to_le_bytes());
        end.extend(small(self.directory.len() as u64)?.to_le_bytes());
        end.extend(small(self.at)?.to_le_bytes());
        end.extend([0, 0]);
        self.out.write_all(&self.directory)?;
        self.out.write_all(&end)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn small(size: u64) -> io::Result<u32> {
    let too_big = |_| io::Error::other("an array or the file has more than 4 GiB: ask for less");
    u32::try_from(size).map_err(too_big)
}

/// A column as a file of one array, `.npy` version 1.0.
fn npy(column: &Column) -> Vec<u8> {
    let width = match column {
        Column::Text(all) => all.iter().map(String::len).max().unwrap_or(0).max(1),
        _ => 0,
    };
    let kind = match column {
        Column::I8(_) => "|i1".to_owned(),
        Column::I32(_) => "<i4".to_owned(),
        Column::I64(_) => "<i8".to_owned(),
        Column::F32(_) => "<f4".to_owned(),
        Column::Text(_) => format!("|S{width}"),
    };
    let about =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({},), }}", column.len());
    // The header is padded to a multiple of 64 bytes and ends with a newline.
    let before = (10 + about.len() + 1).next_multiple_of(64);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(((before - 10) as u16).to_le_bytes());
    bytes.extend(about.bytes());
    bytes.resize(before - 1, b' ');
    bytes.push(b'\n');
    match column {
        Column::I8(all) => bytes.extend(all.iter().flat_map(|each| each.to_le_bytes())),
        Column::I32(all) => bytes.extend(all.iter().flat_map(|each| each.to_le_bytes())),
        Column::I64(all) => bytes.extend(all.iter().flat_map(|each| each.to_le_bytes())),
        Column::F32(all) => bytes.extend(all.iter().flat_map(|each| each.to_le_bytes())),
        Column::Text(all) => {
            for text in all {
                bytes.extend(text.bytes());
                bytes.resize(bytes.len() + width - text.len(), 0);
            }
        }
    }
    bytes
}
