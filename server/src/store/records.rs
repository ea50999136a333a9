//! Records: what a server keeps besides games, by key. Keys are ordered by their bytes, so an index is a set of records
//! with a common prefix, and reading a page of it costs the same wherever it starts.
//!
//! Changes use optimistic concurrency: they name the versions that they expect, and are atomic. So two servers can
//! never both accept the same challenge, and no lock is held between two requests.

use super::Reply;

/// A stored record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub key: String,
    pub value: String,
    /// How often the record has been written.
    pub version: i64,
}

/// Part of a change. Each key may occur once per change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Creates a record; a conflict if it exists.
    New { key: String, value: String },
    /// Replaces a record's value; a conflict if the version differs.
    Update { key: String, value: String, version: i64 },
    /// Deletes a record; a conflict if the version differs.
    Delete { key: String, version: i64 },
    /// Sets a value unconditionally, for records derived from others.
    Put { key: String, value: String },
    /// Deletes a record, if it exists.
    Drop { key: String },
}

impl Change {
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Change {
        Change::New { key: key.into(), value: value.into() }
    }

    pub fn put(key: impl Into<String>, value: impl Into<String>) -> Change {
        Change::Put { key: key.into(), value: value.into() }
    }

    pub fn drop(key: impl Into<String>) -> Change {
        Change::Drop { key: key.into() }
    }
}

impl Stored {
    pub fn update(&self, value: impl Into<String>) -> Change {
        Change::Update { key: self.key.clone(), value: value.into(), version: self.version }
    }

    pub fn delete(&self) -> Change {
        Change::Delete { key: self.key.clone(), version: self.version }
    }
}

/// A range of keys, excluding both ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    pub after: String,
    pub before: String,
    pub backwards: bool,
}

impl Range {
    /// All records with this prefix. `~` sorts after all characters in keys.
    pub fn of(start: &str) -> Range {
        Range { after: start.to_owned(), before: format!("{start}~"), backwards: false }
    }

    /// The same in reverse order.
    pub fn from_the_end(start: &str) -> Range {
        Range { backwards: true, ..Range::of(start) }
    }
}

pub trait Records: Send + Sync {
    /// The records with these keys, in any order; those that do not exist are missing.
    fn get(&self, keys: Vec<String>) -> Reply<'_, Vec<Stored>>;

    fn range(&self, range: Range, most: usize) -> Reply<'_, Vec<Stored>>;

    /// Makes all changes, or none if there is a conflict; returns whether they were made.
    fn change(&self, changes: Vec<Change>) -> Reply<'_, bool>;

    /// Deletes up to `most` records of a range and returns how many were deleted.
    fn clear(&self, range: Range, most: usize) -> Reply<'_, usize>;
}
