//! Upkeep of an SQLite file, on a connection of its own. It and the writer wait for each other's transactions, but
//! these are short.

use super::sqlite::Sqlite;
use super::upkeep::{Banned, Summary, Upkeep, name_in_json, seat};
use super::{Reply, StoreError, file, hex};
use crate::ids::Hash;
use rules::Player;
use rusqlite::{Connection, OptionalExtension, Row};
use std::sync::Arc;

const PREPARE: &str = "CREATE TABLE IF NOT EXISTS bans (
    network TEXT NOT NULL PRIMARY KEY, since BIGINT NOT NULL, until BIGINT, reason TEXT NOT NULL)";

// A finished game can be continued by taking turns back.
const SUMMARIES: &str = "
    SELECT e.game, max(CASE e.seq WHEN 1 THEN e.payload END), max(e.seq), sum(e.kind = 'move'), min(e.at), max(e.at),
        coalesce(max(CASE e.kind WHEN 'result' THEN e.seq END), 0)
            > coalesce(max(CASE e.kind WHEN 'undone' THEN e.seq END), 0),
        EXISTS (SELECT 1 FROM running r WHERE r.game = e.game)
    FROM events e
    WHERE e.game IN (SELECT DISTINCT game FROM events WHERE game > ?1 ORDER BY game LIMIT ?2)
    GROUP BY e.game ORDER BY e.game";

const NAMED: &str = "SELECT DISTINCT game FROM events
    WHERE game > ?1 AND game <= ?2 AND kind IN ('created', 'joined') AND instr(payload, ?3) > 0";

fn summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    Ok(Summary {
        game: row.get(0)?,
        created: row.get(1)?,
        last: row.get(2)?,
        turns: row.get(3)?,
        began: row.get(4)?,
        last_at: row.get(5)?,
        finished: row.get(6)?,
        running: row.get(7)?,
    })
}

impl Sqlite {
    /// Changes the file in a transaction of its own.
    async fn change<T: Send + 'static>(
        &self,
        change: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        // The readers keep the file locked until this is done.
        let readers = Arc::clone(self.readers());
        let task = tokio::task::spawn_blocking(move || {
            let connection = file::connect(readers.path())?;
            let _one = readers.lock().map(file::Lock::change);
            connection.execute_batch("BEGIN IMMEDIATE")?;
            let done = change(&connection)?;
            connection.execute_batch("COMMIT")?;
            Ok(done)
        });
        let failed = |error: rusqlite::Error| StoreError::Failed(error.to_string());
        task.await.map_err(|_| StoreError::Closed)?.map_err(failed)
    }
}

impl Upkeep for Sqlite {
    fn prepare(&self) -> Reply<'_, ()> {
        Box::pin(self.change(|connection| connection.execute_batch(PREPARE)))
    }

    fn summaries<'a>(&'a self, after: &'a str, most: usize) -> Reply<'a, Vec<Summary>> {
        let (after, most) = (after.to_owned(), i64::try_from(most).unwrap_or(i64::MAX));
        let read = move |connection: &Connection| {
            let mut statement = connection.prepare_cached(SUMMARIES)?;
            let rows = statement.query_map((after, most), summary)?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Box::pin(self.readers().read(read))
    }

    fn last_event<'a>(&'a self, game: &'a str) -> Reply<'a, Option<i64>> {
        let game = game.to_owned();
        let read = move |connection: &Connection| {
            let find = "SELECT max(seq) FROM events WHERE game = ?1";
            Ok(connection.prepare_cached(find)?.query_row([game], |row| row.get(0))?)
        };
        Box::pin(self.readers().read(read))
    }

    fn delete<'a>(&'a self, game: &'a str, last: Option<i64>) -> Reply<'a, bool> {
        let game = game.to_owned();
        Box::pin(self.change(move |connection| {
            let later = "SELECT 1 FROM events WHERE game = ?1 AND seq > ?2";
            if let Some(last) = last
                && connection.prepare(later)?.exists((&game, last))?
            {
                return Ok(false);
            }
            let mut deleted = 0;
            for table in ["events", "tokens", "running"] {
                let sql = format!("DELETE FROM {table} WHERE game = ?1");
                deleted += connection.execute(&sql, [&game])?;
            }
            Ok(deleted > 0)
        }))
    }

    fn seats_of(&self, token: Hash) -> Reply<'_, Vec<(String, Player)>> {
        let read = move |connection: &Connection| {
            let find = "SELECT game, seat FROM tokens WHERE hash = ?1 ORDER BY game, seat";
            let mut statement = connection.prepare(find)?;
            let rows = statement.query_map([hex(&token)], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.map(|row| row.map_err(Into::into).and_then(|(game, number)| seat(game, number)))
                .collect()
        };
        Box::pin(self.readers().read(read))
    }

    fn named<'a>(
        &'a self,
        name: &'a str,
        after: &'a str,
        most: usize,
    ) -> Reply<'a, (Option<String>, Vec<String>)> {
        let (name, after) = (name_in_json(name), after.to_owned());
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let read = move |connection: &Connection| {
            let page = "SELECT max(game) FROM
                (SELECT DISTINCT game FROM events WHERE game > ?1 ORDER BY game LIMIT ?2)";
            let end: Option<String> =
                connection.query_row(page, (&after, most), |row| row.get(0)).optional()?.flatten();
            let Some(end) = end else { return Ok((None, Vec::new())) };
            let mut statement = connection.prepare_cached(NAMED)?;
            let rows = statement.query_map((after, &end, name), |row| row.get(0))?;
            Ok((Some(end), rows.collect::<Result<_, _>>()?))
        };
        Box::pin(self.readers().read(read))
    }

    fn rewrite<'a>(
        &'a self,
        game: &'a str,
        events: Vec<(i64, String)>,
        tokens: Vec<Player>,
    ) -> Reply<'a, ()> {
        let game = game.to_owned();
        Box::pin(self.change(move |connection| {
            let replace = "UPDATE events SET payload = ?3 WHERE game = ?1 AND seq = ?2";
            for (seq, payload) in events {
                connection.execute(replace, (&game, seq, payload))?;
            }
            for seat in tokens {
                let delete = "DELETE FROM tokens WHERE game = ?1 AND seat = ?2";
                connection.execute(delete, (&game, seat.number()))?;
            }
            Ok(())
        }))
    }

    fn bans(&self) -> Reply<'_, Vec<Banned>> {
        let read = |connection: &Connection| {
            // The table is created with the first ban.
            let known = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'bans'";
            if !connection.prepare(known)?.exists([])? {
                return Ok(Vec::new());
            }
            let find = "SELECT network, since, until, reason FROM bans ORDER BY network";
            let mut statement = connection.prepare(find)?;
            let rows = statement.query_map([], |row| {
                let (network, since, until) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(Banned { network, since, until, reason: row.get(3)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        };
        Box::pin(self.readers().read(read))
    }

    fn ban(&self, banned: Banned) -> Reply<'_, ()> {
        Box::pin(self.change(move |connection| {
            let insert = "INSERT OR REPLACE INTO bans (network, since, until, reason)
                VALUES (?1, ?2, ?3, ?4)";
            let Banned { network, since, until, reason } = banned;
            connection.execute(insert, (network, since, until, reason)).map(drop)
        }))
    }

    fn unban<'a>(&'a self, network: &'a str) -> Reply<'a, bool> {
        let network = network.to_owned();
        Box::pin(self.change(move |connection| {
            Ok(connection.execute("DELETE FROM bans WHERE network = ?1", [network])? > 0)
        }))
    }
}
