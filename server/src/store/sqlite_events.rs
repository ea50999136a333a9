//! Events in an SQLite file, appended inside a transaction of the writer.

use super::sqlite;
use super::{Append, Appended, NewGame, Running, hex};
use rusqlite::{Connection, OptionalExtension};
use table::event::Event;

const INSERT_EVENT: &str = "INSERT INTO events (game, seq, kind, payload, seat, command, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT DO NOTHING";
const INSERT_TOKEN: &str = "INSERT INTO tokens (game, seat, hash) VALUES (?1, ?2, ?3)
    ON CONFLICT (game, seat) DO UPDATE SET hash = excluded.hash";
const REPLACE_TOKEN: &str = "UPDATE tokens SET hash = ?1 WHERE game = ?2 AND seat = ?3";
const SET_RUNNING: &str = "INSERT INTO running (game, deadline, at) VALUES (?1, ?2, ?3)
    ON CONFLICT (game) DO UPDATE SET deadline = excluded.deadline, at = excluded.at";
const CLEAR_RUNNING: &str = "DELETE FROM running WHERE game = ?1";
const LAST: &str = "SELECT seq, kind, payload, seat, command, at FROM events WHERE game = ?1
    ORDER BY seq DESC LIMIT 1";
const FIND: &str =
    "SELECT seq, kind, payload, seat, command, at FROM events WHERE game = ?1 AND seq = ?2";

/// Whether this connection sees an event.
pub fn is_there(connection: &Connection, game: &str, event: &Event) -> rusqlite::Result<bool> {
    let mut find = connection.prepare_cached(FIND)?;
    let found = find.query_row((game, event.seq), sqlite::row).optional()?;
    Ok(found.and_then(|row| row.event().ok()).as_ref() == Some(event))
}

/// Inserts an append that failed before and rolls it back. The transaction then needs as much disk space as if it
/// stayed, so a heartbeat, which is small, cannot succeed where a move fails.
pub fn rehearse(connection: &Connection, append: &Append) -> rusqlite::Result<()> {
    connection.execute_batch("SAVEPOINT rehearsal")?;
    insert_all(connection, append)?;
    connection.execute_batch("ROLLBACK TO rehearsal; RELEASE rehearsal")
}

/// Stores events, or nothing at all on a conflict.
pub fn append(connection: &Connection, wanted: &Append) -> rusqlite::Result<Appended> {
    let alone = wanted.events.len() + usize::from(wanted.new_game.is_some()) == 1;
    if !alone {
        // A savepoint, so that a conflict does not undo the other writes of the transaction.
        connection.execute_batch("SAVEPOINT own")?;
    }
    let free = insert_all(connection, wanted)?;
    match (alone, free) {
        (true, _) => {}
        (false, true) => connection.execute_batch("RELEASE own")?,
        (false, false) => connection.execute_batch("ROLLBACK TO own; RELEASE own")?,
    }
    Ok(if free { Appended::Committed } else { Appended::Conflict })
}

/// Inserts everything, stopping at the first conflict; what cannot conflict comes last.
fn insert_all(connection: &Connection, wanted: &Append) -> rusqlite::Result<bool> {
    let game = wanted.game.as_str();
    if !follows(connection, wanted)? {
        return Ok(false);
    }
    if let Some(new) = &wanted.new_game
        && !make(connection, new)?
    {
        return Ok(false);
    }
    for event in &wanted.events {
        if !insert(connection, game, event)? {
            return Ok(false);
        }
    }
    if let Some((seat, hash)) = &wanted.token {
        let row = (hex(hash), game, seat.number());
        connection.prepare_cached(REPLACE_TOKEN)?.execute(row)?;
    }
    match wanted.running {
        Some(Running::Until { deadline, at }) => {
            connection.prepare_cached(SET_RUNNING)?.execute((game, deadline, at))?;
        }
        Some(Running::Stopped) => {
            connection.prepare_cached(CLEAR_RUNNING)?.execute([game])?;
        }
        None => {}
    }
    Ok(true)
}

/// Whether the game's last event is the expected one.
fn follows(connection: &Connection, wanted: &Append) -> rusqlite::Result<bool> {
    let mut find = connection.prepare_cached(LAST)?;
    // A damaged row is a conflict, which concerns this game alone.
    let last = find.query_row([&wanted.game], |row| Ok(sqlite::row(row).ok())).optional()?;
    Ok(match (last, &wanted.after) {
        (None, None) => true,
        // Compared as events: version 0.1 wrote their JSON a little differently.
        (Some(last), Some(named)) => {
            last.and_then(|row| row.event().ok()).is_some_and(|last| last == **named)
        }
        _ => false,
    })
}

/// Creates a game; returns false if its id is taken.
fn make(connection: &Connection, new: &NewGame) -> rusqlite::Result<bool> {
    if !insert(connection, &new.id, &new.first)? {
        return Ok(false);
    }
    for (seat, hash) in (1_i64..).zip(&new.tokens) {
        let Some(hash) = hash else { continue };
        connection.prepare_cached(INSERT_TOKEN)?.execute((&new.id, seat, hex(hash)))?;
    }
    Ok(true)
}

/// Inserts an event; returns false if its number or command id is taken.
fn insert(connection: &Connection, game: &str, event: &Event) -> rusqlite::Result<bool> {
    let (kind, payload) = event.stored();
    let seat = event.seat.map(|seat| i64::from(seat.number()));
    let row = (game, event.seq, kind, payload, seat, event.command.as_deref(), event.at);
    Ok(connection.prepare_cached(INSERT_EVENT)?.execute(row)? == 1)
}
