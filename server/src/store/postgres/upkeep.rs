//! Upkeep of a shared database; every change is a single statement, like an append.

use super::rows::Row;
use super::{LAST, Postgres};
use crate::ids::Hash;
use crate::store::upkeep::{Banned, Summary, Upkeep, name_in_json, seat};
use crate::store::{Reply, StoreError, hex};
use rules::Player;
use std::time::Duration;

const PREPARE: &str = "
    CREATE TABLE IF NOT EXISTS bans (
        network TEXT NOT NULL PRIMARY KEY, since BIGINT NOT NULL, until BIGINT, reason TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS changed_games (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, game TEXT NOT NULL, at BIGINT NOT NULL)";

/// How often servers that start at the same time try to create the tables.
const TRIES: usize = 10;

const SUMMARIES: &str = "
    SELECT e.game, max(CASE e.seq WHEN 1 THEN e.payload END), max(e.seq), count(*) FILTER (WHERE e.kind = 'move'),
        min(e.at), max(e.at),
        coalesce(max(CASE e.kind WHEN 'result' THEN e.seq END), 0)
            > coalesce(max(CASE e.kind WHEN 'undone' THEN e.seq END), 0),
        EXISTS (SELECT FROM running r WHERE r.game = e.game)
    FROM events e
    WHERE e.game IN (SELECT DISTINCT game FROM events WHERE game > $1 ORDER BY game LIMIT $2)
    GROUP BY e.game ORDER BY e.game";

const NAMED: &str = "
    WITH page AS (SELECT DISTINCT game FROM events WHERE game > $1 ORDER BY game LIMIT $2)
    SELECT max(page.game), array(
        SELECT DISTINCT e.game FROM events e JOIN page ON page.game = e.game
        WHERE e.kind IN ('created', 'joined') AND strpos(e.payload, $3) > 0 ORDER BY e.game)
    FROM page";

// The other servers drop the game when they see it in the table of changes.
const DELETE: &str = "
    WITH gone AS (DELETE FROM events WHERE game = $1
        AND NOT EXISTS (SELECT FROM events l WHERE l.game = $1 AND l.seq > $2) RETURNING seq),
    seats AS (DELETE FROM tokens WHERE game = $1 AND EXISTS (SELECT FROM gone)),
    clocks AS (DELETE FROM running WHERE game = $1 AND EXISTS (SELECT FROM gone)),
    turns AS (DELETE FROM computing WHERE game = $1 AND EXISTS (SELECT FROM gone)),
    old AS (DELETE FROM changed_games
        WHERE at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 120000),
    told AS (INSERT INTO changed_games (game, at)
        SELECT $1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint WHERE EXISTS (SELECT FROM gone))
    SELECT count(*) FROM gone";

const REWRITE: &str = "
    WITH seats AS (DELETE FROM tokens WHERE game = $1 AND seat = ANY($4::smallint[])),
    told AS (INSERT INTO changed_games (game, at)
        VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
    UPDATE events SET payload = n.payload FROM unnest($2::bigint[], $3::text[]) AS n (seq, payload)
    WHERE events.game = $1 AND events.seq = n.seq";

const SEATS: &str = "SELECT game, seat FROM tokens WHERE hash = $1 ORDER BY game, seat";
const BANS: &str = "SELECT network, since, until, reason FROM bans ORDER BY network";
const BAN: &str = "INSERT INTO bans (network, since, until, reason) VALUES ($1, $2, $3, $4)
    ON CONFLICT (network) DO UPDATE
    SET since = excluded.since, until = excluded.until, reason = excluded.reason";
const UNBAN: &str = "DELETE FROM bans WHERE network = $1 RETURNING network";
const CHANGED: &str = "SELECT id, game FROM changed_games ORDER BY id";

// The tables are created by the first command that needs them.
pub const PREPARED: &str =
    "SELECT to_regclass('bans') IS NOT NULL AND to_regclass('changed_games') IS NOT NULL";

impl Postgres {
    async fn is_prepared(&self) -> Result<bool, StoreError> {
        let rows = self.read(PREPARED, &[]).await?;
        Ok(rows.first().is_some_and(|row| row.get(0)))
    }
}

impl Upkeep for Postgres {
    fn prepare(&self) -> Reply<'_, ()> {
        Box::pin(async {
            if self.is_prepared().await? {
                return Ok(());
            }
            let mut failed = String::new();
            for _ in 0..TRIES {
                match self.pulse.batch(PREPARE).await {
                    Ok(()) => return Ok(()),
                    // Another server may be creating them at the same time.
                    Err(fault) => failed = fault.reason(),
                }
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            Err(StoreError::Failed(failed))
        })
    }

    fn summaries<'a>(&'a self, after: &'a str, most: usize) -> Reply<'a, Vec<Summary>> {
        Box::pin(async move {
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = self.read(SUMMARIES, &[&after, &most]).await?;
            let summary = |row: &Row| Summary {
                game: row.get(0),
                created: row.get(1),
                last: row.get(2),
                turns: row.get(3),
                began: row.get(4),
                last_at: row.get(5),
                finished: row.get(6),
                running: row.get(7),
            };
            Ok(rows.iter().map(summary).collect())
        })
    }

    fn last_event<'a>(&'a self, game: &'a str) -> Reply<'a, Option<i64>> {
        Box::pin(async move {
            let rows = self.read(LAST, &[&vec![game.to_owned()]]).await?;
            Ok(rows.first().map(|row| row.get(1)))
        })
    }

    fn delete<'a>(&'a self, game: &'a str, last: Option<i64>) -> Reply<'a, bool> {
        Box::pin(async move {
            let last = last.unwrap_or(i64::MAX);
            let rows = self.write(DELETE, &[&game, &last]).await?;
            Ok(rows.first().is_some_and(|row| row.get::<i64>(0) > 0))
        })
    }

    fn seats_of(&self, token: Hash) -> Reply<'_, Vec<(String, Player)>> {
        Box::pin(async move {
            let rows = self.read(SEATS, &[&hex(&token)]).await?;
            rows.iter().map(|row| seat(row.get(0), row.get(1))).collect()
        })
    }

    fn named<'a>(
        &'a self,
        name: &'a str,
        after: &'a str,
        most: usize,
    ) -> Reply<'a, (Option<String>, Vec<String>)> {
        Box::pin(async move {
            let (name, most) = (name_in_json(name), i64::try_from(most).unwrap_or(i64::MAX));
            let rows = self.read(NAMED, &[&after, &most, &name]).await?;
            Ok(rows.first().map(|row| (row.get(0), row.get(1))).unwrap_or_default())
        })
    }

    fn rewrite<'a>(
        &'a self,
        game: &'a str,
        events: Vec<(i64, String)>,
        tokens: Vec<Player>,
    ) -> Reply<'a, ()> {
        Box::pin(async move {
            let (numbers, payloads): (Vec<_>, Vec<_>) = events.into_iter().unzip();
            let seats: Vec<_> = tokens.into_iter().map(|seat| i16::from(seat.number())).collect();
            self.write(REWRITE, &[&game, &numbers, &payloads, &seats]).await.map(drop)
        })
    }

    fn bans(&self) -> Reply<'_, Vec<Banned>> {
        Box::pin(async {
            if !self.is_prepared().await? {
                return Ok(Vec::new());
            }
            let rows = self.read(BANS, &[]).await?;
            let banned = |row: &Row| {
                let (network, since, until) = (row.get(0), row.get(1), row.get(2));
                Banned { network, since, until, reason: row.get(3) }
            };
            Ok(rows.iter().map(banned).collect())
        })
    }

    fn ban(&self, banned: Banned) -> Reply<'_, ()> {
        Box::pin(async move {
            let Banned { network, since, until, reason } = banned;
            self.write(BAN, &[&network, &since, &until, &reason]).await.map(drop)
        })
    }

    fn unban<'a>(&'a self, network: &'a str) -> Reply<'a, bool> {
        Box::pin(async move { Ok(!self.write(UNBAN, &[&network]).await?.is_empty()) })
    }

    fn changed(&self) -> Reply<'_, Vec<(i64, String)>> {
        Box::pin(async {
            if !self.is_prepared().await? {
                return Ok(Vec::new());
            }
            let rows = self.read(CHANGED, &[]).await?;
            Ok(rows.iter().map(|row| (row.get(0), row.get(1))).collect())
        })
    }
}
