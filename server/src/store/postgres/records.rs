//! Records in a shared database. A change is a single statement, which fails if the expected versions do not match.

use super::Postgres;
use super::link::{Fault, Values};
use super::rows::{Cells, Row};
use crate::store::records::{Change, Range, Records, Stored};
use crate::store::{Reply, StoreError};
use std::time::Duration;
use tokio_postgres::error::SqlState;

pub const CREATE: &str = r#"CREATE TABLE IF NOT EXISTS records (
    key TEXT COLLATE "C" NOT NULL PRIMARY KEY, value TEXT NOT NULL, version BIGINT NOT NULL)"#;
pub const CREATED: &str = "SELECT to_regclass('records') IS NOT NULL";
pub const GET: &str = "SELECT key, value, version FROM records WHERE key = ANY($1) ORDER BY key";
pub const RANGE: &str = "SELECT key, value, version FROM records WHERE key > $1 AND key < $2
    ORDER BY key LIMIT $3";
pub const BACKWARDS: &str = "SELECT key, value, version FROM records WHERE key > $1 AND key < $2
    ORDER BY key DESC LIMIT $3";
pub const CLEAR: &str = "DELETE FROM records WHERE key IN
    (SELECT key FROM records WHERE key > $1 AND key < $2 ORDER BY key LIMIT $3) RETURNING key";
// The division by zero aborts the statement if a version does not match. Rows locked by another statement are waited
// for and then re-checked.
pub const CHANGE: &str = "
    WITH new AS (INSERT INTO records (key, value, version)
        SELECT n.key, n.value, 1 FROM unnest($1::text[], $2::text[]) AS n (key, value)
        ON CONFLICT (key) DO NOTHING RETURNING key),
    own AS (UPDATE records SET value = c.value, version = records.version + 1
        FROM unnest($3::text[], $4::text[], $5::bigint[]) AS c (key, value, version)
        WHERE records.key = c.key AND records.version = c.version RETURNING records.key),
    gone AS (DELETE FROM records USING unnest($6::text[], $7::bigint[]) AS g (key, version)
        WHERE records.key = g.key AND records.version = g.version RETURNING records.key),
    put AS (INSERT INTO records (key, value, version)
        SELECT p.key, p.value, 1 FROM unnest($8::text[], $9::text[]) AS p (key, value)
        ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = records.version + 1),
    dropped AS (DELETE FROM records WHERE key = ANY($10))
    SELECT 1 / CASE WHEN (SELECT count(*) FROM new) = cardinality($1::text[])
        AND (SELECT count(*) FROM own) = cardinality($3::text[])
        AND (SELECT count(*) FROM gone) = cardinality($6::text[]) THEN 1 ELSE 0 END";

/// How often a conflicting change is retried, and how often servers starting at the same time try to create the table.
const TRIES: usize = 10;

/// The parameters of [`CHANGE`].
#[derive(Default)]
pub struct Columns {
    texts: [Vec<String>; 8],
    versions: [Vec<i64>; 2],
}

impl Columns {
    pub fn new(mut changes: Vec<Change>) -> Columns {
        let mut own = Columns::default();
        // Always in the same order, so that concurrent statements cannot deadlock.
        changes.sort_by(|a, b| key(a).cmp(key(b)));
        let Columns { texts, versions } = &mut own;
        let [new, value, changed, other, deleted, put, set, dropped] = texts;
        for change in changes {
            match change {
                Change::New { key, value: own } => {
                    new.push(key);
                    value.push(own);
                }
                Change::Update { key, value, version } => {
                    changed.push(key);
                    other.push(value);
                    versions[0].push(version);
                }
                Change::Delete { key, version } => {
                    deleted.push(key);
                    versions[1].push(version);
                }
                Change::Put { key, value } => {
                    put.push(key);
                    set.push(value);
                }
                Change::Drop { key } => dropped.push(key),
            }
        }
        own
    }

    pub fn values(&self) -> [&(dyn tokio_postgres::types::ToSql + Sync); 10] {
        let ([a, b, c, d, f, h, i, j], [e, g]) = (&self.texts, &self.versions);
        [a, b, c, d, e, f, g, h, i, j]
    }
}

fn key(change: &Change) -> &str {
    match change {
        Change::New { key, .. }
        | Change::Update { key, .. }
        | Change::Delete { key, .. }
        | Change::Put { key, .. }
        | Change::Drop { key } => key,
    }
}

fn stored(rows: Cells) -> Vec<Stored> {
    let stored = |row: &Row| Stored { key: row.get(0), value: row.get(1), version: row.get(2) };
    rows.iter().map(stored).collect()
}

impl Postgres {
    /// Creates the table if it is not there.
    pub(super) async fn prepare_records(&self) -> Result<(), String> {
        let mut failed = String::new();
        for _ in 0..TRIES {
            let rows = self.records.read(CREATED, &[]).await.map_err(Fault::reason)?;
            if rows.first().is_some_and(|row| row.get(0)) {
                return Ok(());
            }
            match self.records.batch(CREATE).await {
                Ok(()) => return Ok(()),
                // Another server may be creating it at the same time.
                Err(fault) => failed = fault.reason(),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Err(failed)
    }

    /// Executes a statement that is not idempotent, so it must not be retried if it may have been executed.
    async fn once(&self, sql: &'static str, values: Values<'_>) -> Result<Cells, Fault> {
        let mut done = self.records.query(sql, values).await;
        for _ in 1..TRIES {
            match &done {
                Err(fault @ Fault::Refused(..)) if fault.passes() => {}
                _ => break,
            }
            done = self.records.query(sql, values).await;
        }
        done
    }
}

fn unwritten(fault: Fault) -> StoreError {
    match fault {
        Fault::Lost(reason) => StoreError::Unknown(reason),
        other => StoreError::Failed(other.reason()),
    }
}

impl Records for Postgres {
    fn get(&self, keys: Vec<String>) -> Reply<'_, Vec<Stored>> {
        Box::pin(async move { self.read(GET, &[&keys]).await.map(stored) })
    }

    fn range(&self, range: Range, most: usize) -> Reply<'_, Vec<Stored>> {
        Box::pin(async move {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let sql = if range.backwards { BACKWARDS } else { RANGE };
            self.read(sql, &[&range.after, &range.before, &most]).await.map(stored)
        })
    }

    fn change(&self, changes: Vec<Change>) -> Reply<'_, bool> {
        Box::pin(async move {
            let columns = Columns::new(changes);
            match self.once(CHANGE, &columns.values()).await {
                Ok(_) => Ok(true),
                Err(Fault::Refused(SqlState::DIVISION_BY_ZERO, _)) => Ok(false),
                Err(fault) => Err(unwritten(fault)),
            }
        })
    }

    fn clear(&self, range: Range, most: usize) -> Reply<'_, usize> {
        Box::pin(async move {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = self.once(CLEAR, &[&range.after, &range.before, &most]).await;
            rows.map(|rows| rows.len()).map_err(unwritten)
        })
    }
}
