//! Records: what a server keeps beside games, by key. Keys are ordered by their bytes, so an index is a set of records
//! whose keys begin alike, and a page of it costs the same wherever it begins.
//!
//! A change names the versions it rests on and is made whole or not at all. So two servers can never both accept the
//! same challenge, and nothing here holds a lock between two requests.

use super::Reply;

/// A stored record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub key: String,
    pub value: String,
    /// How often it has been written.
    pub version: i64,
}

/// Part of a change. Each key may occur once in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A record that must not exist yet.
    New { key: String, value: String },
    /// Another value for one that still has this version.
    Update { key: String, value: String, version: i64 },
    /// Deletes one that still has this version.
    Delete { key: String, version: i64 },
    /// A value, whatever was there: for what follows from other records.
    Put { key: String, value: String },
    /// Deletes it if it is there.
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

/// Which records to read: those with keys between two others, neither of which is included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    pub after: String,
    pub before: String,
    pub backwards: bool,
}

impl Range {
    /// All records whose keys begin like this. The character `~` comes after all that keys consist of.
    pub fn of(start: &str) -> Range {
        Range { after: start.to_owned(), before: format!("{start}~"), backwards: false }
    }

    /// The same from the last one to the first.
    pub fn from_the_end(start: &str) -> Range {
        Range { backwards: true, ..Range::of(start) }
    }
}

pub trait Records: Send + Sync {
    /// The records with these keys, in any order; those that do not exist are missing.
    fn get(&self, keys: Vec<String>) -> Reply<'_, Vec<Stored>>;

    fn range(&self, range: Range, most: usize) -> Reply<'_, Vec<Stored>>;

    /// Makes a change, or none of it if a record is not as it names it; returns whether it was made.
    fn change(&self, changes: Vec<Change>) -> Reply<'_, bool>;

    /// Deletes up to `most` records of a range, and returns how many these were.
    fn clear(&self, range: Range, most: usize) -> Reply<'_, usize>;
}
