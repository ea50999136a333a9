//! The database schema and its migrations.

use super::link::{Fault, Link};
use std::time::Duration;

/// The statements that upgrade to each format, and the oldest format whose programs still work with it. During a
/// rolling update both versions run, and the older one may be restarted. So a new format must not touch what programs
/// of the previous one use.
const FORMATS: [(usize, &str); 1] = [(
    1,
    r#"
    CREATE TABLE events (
        game TEXT COLLATE "C" NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
        seat SMALLINT, command TEXT, at BIGINT NOT NULL,
        PRIMARY KEY (game, seq), UNIQUE (game, seat, command));
    CREATE TABLE tokens (
        game TEXT NOT NULL, seat SMALLINT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (game, seat));
    CREATE TABLE running (
        game TEXT NOT NULL PRIMARY KEY, deadline BIGINT, at BIGINT NOT NULL DEFAULT 0);
    CREATE TABLE heartbeat (id SMALLINT NOT NULL PRIMARY KEY, at BIGINT NOT NULL);
    CREATE TABLE pauses (since BIGINT NOT NULL PRIMARY KEY, until BIGINT NOT NULL);
    CREATE TABLE computing (
        game TEXT NOT NULL PRIMARY KEY, seq BIGINT NOT NULL, holder BIGINT NOT NULL,
        until BIGINT NOT NULL, shown BOOLEAN NOT NULL);
    INSERT INTO heartbeat (id, at) VALUES (1, 0);
"#,
)];

pub const FIND: &str =
    "SELECT to_regclass('quadrille_format') IS NOT NULL, to_regclass('events') IS NOT NULL";
pub const FORMAT: &str = "SELECT max(format), max(least) FROM quadrille_format";

/// How often servers starting at the same time try to create the tables.
const TRIES: usize = 20;

/// Creates or migrates the schema.
pub async fn prepare(link: &Link) -> Result<(), String> {
    let mut failed = String::new();
    for _ in 0..TRIES {
        match format(link).await {
            Ok(Some((format, least))) if least > FORMATS.len() => {
                return Err(format!(
                    "it has format {format}, but this version knows formats 1 to {}; \
                     use the version that wrote it, or another database",
                    FORMATS.len()
                ));
            }
            Ok(Some((format, _))) if format >= FORMATS.len() => return Ok(()),
            Ok(Some((format, _))) => failed = upgrade(link, format).await.err().unwrap_or_default(),
            Ok(None) => {
                return Err("it belongs to another program: it has a table `events`; \
                            name another database with --data"
                    .into());
            }
            // If the database is unreachable, the caller tries again.
            Err(fault) => return Err(fault.reason()),
        }
        // Another server may be migrating at the same time.
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    Err(failed)
}

/// The current format and the oldest one compatible with it; 0 for an empty database, none for another program's.
async fn format(link: &Link) -> Result<Option<(usize, usize)>, Fault> {
    let rows = link.read(FIND, &[]).await?;
    let (own, events): (bool, bool) =
        rows.first().map_or((false, false), |row| (row.get(0), row.get(1)));
    if !own {
        return Ok((!events).then_some((0, 0)));
    }
    let rows = link.read(FORMAT, &[]).await?;
    let number = |place: usize| {
        let number: Option<i64> = rows.first().and_then(|row| row.get(place));
        number.and_then(|number| usize::try_from(number).ok()).unwrap_or(0)
    };
    Ok(Some((number(0), number(1))))
}

/// Migrates in one transaction.
async fn upgrade(link: &Link, format: usize) -> Result<(), String> {
    let mut sql = String::from("BEGIN;");
    if format == 0 {
        sql += "CREATE TABLE quadrille_format (
            format INTEGER NOT NULL PRIMARY KEY, least INTEGER NOT NULL);";
    }
    for (number, (least, statements)) in (1..).zip(FORMATS).skip(format) {
        sql += statements;
        sql += &format!("INSERT INTO quadrille_format (format, least) VALUES ({number}, {least});");
    }
    sql += "COMMIT";
    let done = link.batch(&sql).await;
    if done.is_err() {
        // After an error the transaction is still open.
        let _ = link.batch("ROLLBACK").await;
    }
    done.map_err(Fault::reason)
}
