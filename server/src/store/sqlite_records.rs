//! Records in an SQLite file, changed by the writer together with everything else.

use super::records::{Change, Range, Records, Stored};
use super::sqlite::Sqlite;
use super::writer::Write;
use super::{Reply, StoreError};
use rusqlite::{Connection, OptionalExtension, Row};

// Older versions ignore the table, so it needs no new format.
pub const CREATE: &str = "CREATE TABLE IF NOT EXISTS records (
    key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL, version BIGINT NOT NULL) WITHOUT ROWID";

const GET: &str = "SELECT key, value, version FROM records WHERE key = ?1";
const RANGE: &str = "SELECT key, value, version FROM records WHERE key > ?1 AND key < ?2
    ORDER BY key LIMIT ?3";
const BACKWARDS: &str = "SELECT key, value, version FROM records WHERE key > ?1 AND key < ?2
    ORDER BY key DESC LIMIT ?3";
const VERSION: &str = "SELECT version FROM records WHERE key = ?1";
const PUT: &str = "INSERT INTO records (key, value, version) VALUES (?1, ?2, 1)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = version + 1";
const DROP: &str = "DELETE FROM records WHERE key = ?1";
const CLEAR: &str = "DELETE FROM records WHERE key IN
    (SELECT key FROM records WHERE key > ?1 AND key < ?2 ORDER BY key LIMIT ?3)";

/// A record that counts changes. Each change writes it, so it shows whether a transaction was committed.
const COUNTER: &str = "~changes";

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored { key: row.get(0)?, value: row.get(1)?, version: row.get(2)? })
}

fn bounded(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

impl Records for Sqlite {
    fn get(&self, keys: Vec<String>) -> Reply<'_, Vec<Stored>> {
        let read = move |connection: &Connection| {
            let mut statement = connection.prepare_cached(GET)?;
            let mut found = Vec::with_capacity(keys.len());
            for key in keys {
                found.extend(statement.query_row([key], stored).optional()?);
            }
            Ok(found)
        };
        Box::pin(self.readers().read(read))
    }

    fn range(&self, range: Range, most: usize) -> Reply<'_, Vec<Stored>> {
        let read = move |connection: &Connection| {
            let sql = if range.backwards { BACKWARDS } else { RANGE };
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map((range.after, range.before, bounded(most)), stored)?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Box::pin(self.readers().read(read))
    }

    fn change(&self, changes: Vec<Change>) -> Reply<'_, bool> {
        Box::pin(async move {
            let done = self.ask(|answer| Write::Change(changes, answer)).await?;
            Ok(done.is_some())
        })
    }

    fn clear(&self, range: Range, most: usize) -> Reply<'_, usize> {
        Box::pin(self.ask(move |answer| Write::Clear(range, bounded(most), answer)))
    }
}

/// Makes all changes and counts them, or makes none. Returns the count.
pub fn perform(connection: &Connection, changes: &[Change]) -> rusqlite::Result<Option<i64>> {
    let mut version = connection.prepare_cached(VERSION)?;
    for change in changes {
        let (key, expected) = match change {
            Change::New { key, .. } => (key, None),
            Change::Update { key, version, .. } | Change::Delete { key, version } => {
                (key, Some(*version))
            }
            Change::Put { .. } | Change::Drop { .. } => continue,
        };
        let found: Option<i64> = version.query_row([key], |row| row.get(0)).optional()?;
        if found != expected {
            return Ok(None);
        }
    }
    for change in changes {
        match change {
            Change::New { key, value }
            | Change::Update { key, value, .. }
            | Change::Put { key, value } => {
                connection.prepare_cached(PUT)?.execute((key, value))?;
            }
            Change::Delete { key, .. } | Change::Drop { key } => {
                connection.prepare_cached(DROP)?.execute([key])?;
            }
        }
    }
    connection.prepare_cached(PUT)?.execute((COUNTER, ""))?;
    version.query_row([COUNTER], |row| row.get(0)).map(Some)
}

/// Whether the change with this number was committed.
pub fn is_done(connection: &Connection, number: i64) -> rusqlite::Result<bool> {
    let mut version = connection.prepare_cached(VERSION)?;
    let last: Option<i64> = version.query_row([COUNTER], |row| row.get(0)).optional()?;
    Ok(last.is_some_and(|last| last >= number))
}

pub fn clear(connection: &Connection, range: &Range, most: i64) -> rusqlite::Result<usize> {
    connection.prepare_cached(CLEAR)?.execute((&range.after, &range.before, most))
}

/// Creates the table.
pub fn prepare(connection: &Connection) -> Result<(), StoreError> {
    connection.execute_batch(CREATE).map_err(|error| StoreError::Failed(error.to_string()))
}
