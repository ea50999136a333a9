//! Parquet files: one table in row groups, compressed with gzip, values `PLAIN`-encoded. Written from the format's
//! own description (<https://parquet.apache.org/docs/file-format/>); the tests of the Python package read them with
//! Arrow.

use super::column::{Column, Table};
use flate2::{Compression, write::GzEncoder};
use std::io::{self, Write};
use std::ops::Range;

/// Rows per row group.
const GROUP: usize = 1 << 16;
const MAGIC: &[u8] = b"PAR1";

// Numbers of the format.
const REQUIRED: i64 = 0;
const REPEATED: i64 = 2;
const UTF8: i64 = 0;
const LIST: i64 = 3;
const INT_8: i64 = 15;
const PLAIN: i64 = 0;
const RLE: i64 = 3;
const GZIP: i64 = 2;
const DATA_PAGE: i64 = 0;

/// Writes a table; `about` becomes key-value metadata. The same contents give the same bytes.
pub fn write(out: &mut impl Write, table: &Table, about: &[(&str, &str)]) -> io::Result<()> {
    out.write_all(MAGIC)?;
    let (mut at, rows) = (MAGIC.len() as u64, table.rows());
    let mut groups = Vec::new();
    for begin in (0..rows).step_by(GROUP) {
        let part = begin..rows.min(begin + GROUP);
        let mut chunks = Vec::new();
        for (path, column, lengths) in columns(table) {
            let page = page(column, lengths, &part)?;
            out.write_all(&page.bytes)?;
            chunks.push(chunk(column, &path, &page, at));
            at += page.bytes.len() as u64;
        }
        groups.push((chunks, part.len()));
    }
    let footer = footer(table, groups, about);
    out.write_all(&footer)?;
    out.write_all(&small(footer.len())?.to_le_bytes())?;
    out.write_all(MAGIC)
}

/// Each column with its schema path and, for a list column, the offsets of its rows.
fn columns(table: &Table) -> impl Iterator<Item = (Vec<&str>, &Column, Option<&[i64]>)> {
    let flat = table.columns.iter().map(|(name, column)| (vec![*name], column, None));
    let lists = table.lists.iter().flat_map(|lists| {
        let path = |name| vec![name, "list", "element"];
        lists.columns.iter().map(move |(name, own)| (path(*name), own, Some(&lists.from[..])))
    });
    flat.chain(lists)
}

/// A data page: some rows of a column, with the page header.
struct Page {
    bytes: Vec<u8>,
    values: usize,
    /// The uncompressed size, header included.
    whole: usize,
}

fn page(column: &Column, from: Option<&[i64]>, rows: &Range<usize>) -> io::Result<Page> {
    let mut data = Vec::new();
    let values = match from {
        None => plain(column, rows.clone(), &mut data),
        Some(from) => {
            let (repetition, definition) = levels(&from[rows.start..=rows.end]);
            for levels in [&repetition, &definition] {
                data.extend(small(levels.len())?.to_le_bytes());
                data.extend(levels);
            }
            let begin = |row: usize| from[row] as usize;
            plain(column, begin(rows.start)..begin(rows.end), &mut data);
            let empty = from[rows.start..=rows.end].windows(2).filter(|pair| pair[0] == pair[1]);
            begin(rows.end) - begin(rows.start) + empty.count()
        }
    };
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(&data)?;
    let packed = packer.finish()?;
    let mut header = Thrift::default();
    header.number(1, DATA_PAGE);
    header.number(2, small(data.len())?.into());
    header.number(3, small(packed.len())?.into());
    let count = small(values)?.into();
    header.within(5, |page| {
        page.number(1, count);
        page.number(2, PLAIN);
        page.number(3, RLE);
        page.number(4, RLE);
    });
    let mut bytes = header.end();
    let whole = bytes.len() + data.len();
    bytes.extend(packed);
    Ok(Page { bytes, values, whole })
}

/// Writes `PLAIN` values and returns how many there are.
fn plain(column: &Column, rows: Range<usize>, out: &mut Vec<u8>) -> usize {
    let count = rows.len();
    match column {
        Column::I8(all) => {
            all[rows].iter().for_each(|one| out.extend(i32::from(*one).to_le_bytes()));
        }
        Column::I32(all) => all[rows].iter().for_each(|one| out.extend(one.to_le_bytes())),
        Column::I64(all) => all[rows].iter().for_each(|one| out.extend(one.to_le_bytes())),
        Column::F32(all) => all[rows].iter().for_each(|one| out.extend(one.to_le_bytes())),
        Column::Text(all) => {
            for text in &all[rows] {
                out.extend((text.len() as u32).to_le_bytes());
                out.extend(text.bytes());
            }
        }
    }
    count
}

/// Repetition levels (whether a value continues the list of the one before it) and definition levels (whether it is
/// there: an empty list has one value that is not), both run-length encoded.
fn levels(from: &[i64]) -> (Vec<u8>, Vec<u8>) {
    let (mut repetition, mut definition) = (Runs::default(), Runs::default());
    for pair in from.windows(2) {
        let count = (pair[1] - pair[0]) as u64;
        repetition.add(0, 1);
        repetition.add(1, count.saturating_sub(1));
        definition.add(u8::from(count > 0), count.max(1));
    }
    (repetition.end(), definition.end())
}

/// Run-length encoding.
#[derive(Default)]
struct Runs {
    bytes: Vec<u8>,
    value: u8,
    count: u64,
}

impl Runs {
    fn add(&mut self, value: u8, count: u64) {
        if value != self.value && count > 0 {
            self.flush();
            self.value = value;
        }
        self.count += count;
    }

    fn flush(&mut self) {
        if self.count > 0 {
            varint(self.count << 1, &mut self.bytes);
            self.bytes.push(self.value);
        }
        self.count = 0;
    }

    fn end(mut self) -> Vec<u8> {
        self.flush();
        self.bytes
    }
}

/// The physical type of a column, and its converted type.
fn kind(column: &Column) -> (i64, Option<i64>) {
    match column {
        Column::I8(_) => (1, Some(INT_8)),
        Column::I32(_) => (1, None),
        Column::I64(_) => (2, None),
        Column::F32(_) => (4, None),
        Column::Text(_) => (6, Some(UTF8)),
    }
}

/// A column chunk's metadata for the footer, and its uncompressed size.
fn chunk(column: &Column, path: &[&str], page: &Page, at: u64) -> (Vec<u8>, usize) {
    let mut chunk = Thrift::default();
    chunk.wide(2, at as i64);
    chunk.within(3, |about| {
        about.number(1, kind(column).0);
        about.numbers(2, &[PLAIN, RLE]);
        about.texts(3, path);
        about.number(4, GZIP);
        about.wide(5, page.values as i64);
        about.wide(6, page.whole as i64);
        about.wide(7, page.bytes.len() as i64);
        about.wide(9, at as i64);
    });
    (chunk.end(), page.whole)
}

type Group = (Vec<(Vec<u8>, usize)>, usize);

fn footer(table: &Table, groups: Vec<Group>, about: &[(&str, &str)]) -> Vec<u8> {
    let mut footer = Thrift::default();
    footer.number(1, 1);
    footer.list(2, schema(table));
    footer.wide(3, table.rows() as i64);
    let group = |(chunks, rows): Group| {
        let mut group = Thrift::default();
        let size: usize = chunks.iter().map(|(_, whole)| whole).sum();
        group.list(1, chunks.into_iter().map(|(bytes, _)| bytes).collect());
        group.wide(2, size as i64);
        group.wide(3, rows as i64);
        group.end()
    };
    footer.list(4, groups.into_iter().map(group).collect());
    let pair = |(name, text): &(&str, &str)| {
        let mut pair = Thrift::default();
        pair.text(1, name);
        pair.text(2, text);
        pair.end()
    };
    footer.list(5, about.iter().map(pair).collect());
    footer.text(6, concat!("quadrille version ", env!("CARGO_PKG_VERSION")));
    footer.end()
}

fn schema(table: &Table) -> Vec<Vec<u8>> {
    let lists = table.lists.as_ref().map_or(&[][..], |lists| &lists.columns);
    let group = |name: &str, repeats: Option<i64>, children: usize, means: Option<i64>| {
        let mut group = Thrift::default();
        repeats.iter().for_each(|repeats| group.number(3, *repeats));
        group.text(4, name);
        group.number(5, children as i64);
        means.iter().for_each(|means| group.number(6, *means));
        group.end()
    };
    let leaf = |name: &str, column: &Column| {
        let (kind, means) = kind(column);
        let mut leaf = Thrift::default();
        leaf.number(1, kind);
        leaf.number(3, REQUIRED);
        leaf.text(4, name);
        means.iter().for_each(|means| leaf.number(6, *means));
        leaf.end()
    };
    let mut all = vec![group("schema", None, table.columns.len() + lists.len(), None)];
    all.extend(table.columns.iter().map(|(name, column)| leaf(name, column)));
    for (name, column) in lists {
        all.push(group(name, Some(REQUIRED), 1, Some(LIST)));
        all.push(group("list", Some(REPEATED), 1, None));
        all.push(leaf("element", column));
    }
    all
}

fn small(size: usize) -> io::Result<i32> {
    let too_big = |_| io::Error::other("65,536 rows of a column have more than 2 GiB");
    i32::try_from(size).map_err(too_big)
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A structure in Thrift's compact protocol, field by field in ascending order.
#[derive(Default)]
struct Thrift {
    bytes: Vec<u8>,
    last: u8,
}

impl Thrift {
    const I32: u8 = 5;
    const I64: u8 = 6;
    const BINARY: u8 = 8;
    const LIST: u8 = 9;
    const STRUCT: u8 = 12;

    fn field(&mut self, id: u8, kind: u8) {
        self.bytes.push((id - self.last) << 4 | kind);
        self.last = id;
    }

    fn zigzag(&mut self, number: i64) {
        varint((number << 1 ^ number >> 63) as u64, &mut self.bytes);
    }

    fn number(&mut self, id: u8, number: i64) {
        self.field(id, Self::I32);
        self.zigzag(number);
    }

    fn wide(&mut self, id: u8, number: i64) {
        self.field(id, Self::I64);
        self.zigzag(number);
    }

    fn string(&mut self, text: &str) {
        varint(text.len() as u64, &mut self.bytes);
        self.bytes.extend(text.bytes());
    }

    fn text(&mut self, id: u8, text: &str) {
        self.field(id, Self::BINARY);
        self.string(text);
    }

    fn many(&mut self, id: u8, kind: u8, count: usize) {
        self.field(id, Self::LIST);
        if count < 15 {
            self.bytes.push((count as u8) << 4 | kind);
        } else {
            self.bytes.push(0xf0 | kind);
            varint(count as u64, &mut self.bytes);
        }
    }

    fn numbers(&mut self, id: u8, all: &[i64]) {
        self.many(id, Self::I32, all.len());
        all.iter().for_each(|number| self.zigzag(*number));
    }

    fn texts(&mut self, id: u8, all: &[&str]) {
        self.many(id, Self::BINARY, all.len());
        all.iter().for_each(|text| self.string(text));
    }

    fn list(&mut self, id: u8, all: Vec<Vec<u8>>) {
        self.many(id, Self::STRUCT, all.len());
        all.iter().for_each(|one| self.bytes.extend(one));
    }

    fn within(&mut self, id: u8, fill: impl FnOnce(&mut Thrift)) {
        self.field(id, Self::STRUCT);
        let mut inner = Thrift::default();
        fill(&mut inner);
        self.bytes.extend(inner.end());
    }

    fn end(mut self) -> Vec<u8> {
        self.bytes.push(0);
        self.bytes
    }
}
