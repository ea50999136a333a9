//! Many appends as a single statement. A conflict in one of them does not affect the others.

use crate::store::{Append, LEASE, Running, Tip, hex};
use table::event::Event;
use tokio_postgres::types::ToSql;

/// A single statement is one transaction and one round trip, so a server cannot be suspended in the middle of it
/// while holding locks.
///
/// The first event of each append decides. They are inserted in the order of game ids, so that two of these
/// statements cannot deadlock. An event is stored only directly after the expected one: otherwise, after a failover
/// that lost events, there would be a gap. Everything else in an append only touches rows of a game whose next event
/// number it has just taken.
pub const APPEND: &str = "
WITH first AS (
    INSERT INTO events (game, seq, kind, payload, seat, command, at)
    SELECT a.game, a.seq, a.kind, a.payload, a.seat, a.command, a.at
    FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::smallint[], $6::text[],
        $7::bigint[], $29::bigint[], $30::text[])
        AS a (game, seq, kind, payload, seat, command, at, after_seq, after_digest)
    WHERE coalesce((
        SELECT l.seq IS NOT DISTINCT FROM a.after_seq AND a.after_digest IS NOT DISTINCT FROM
            encode(sha256(convert_to(concat(l.seq, ' ', l.at, ' ', coalesce(l.seat, 0), ' ', l.kind,
                E'\\n', l.payload, E'\\n' || l.command), 'UTF8')), 'hex')
        FROM events l WHERE l.game = a.game ORDER BY l.seq DESC LIMIT 1), a.after_seq IS NULL)
    ON CONFLICT DO NOTHING RETURNING game
), rest AS (
    INSERT INTO events (game, seq, kind, payload, seat, command, at)
    SELECT r.game, r.seq, r.kind, r.payload, r.seat, r.command, r.at
    FROM unnest($8::text[], $9::text[], $10::bigint[], $11::text[], $12::text[], $13::smallint[],
        $14::text[], $15::bigint[]) AS r (of, game, seq, kind, payload, seat, command, at)
    JOIN first ON first.game = r.of
), seats AS (
    INSERT INTO tokens (game, seat, hash)
    SELECT t.game, t.seat, t.hash
    FROM unnest($16::text[], $17::text[], $18::smallint[], $19::text[]) AS t (of, game, seat, hash)
    JOIN first ON first.game = t.of
    ON CONFLICT (game, seat) DO UPDATE SET hash = excluded.hash
), runs AS (
    INSERT INTO running (game, deadline, at)
    SELECT r.game, r.deadline, r.at
    FROM unnest($20::text[], $21::bigint[], $22::bigint[]) AS r (game, deadline, at)
    JOIN first ON first.game = r.game
    ON CONFLICT (game) DO UPDATE SET deadline = excluded.deadline, at = excluded.at
), stops AS (
    DELETE FROM running USING unnest($23::text[]) AS s (game) JOIN first ON first.game = s.game
    WHERE running.game = s.game
), turns AS (
    INSERT INTO computing (game, seq, holder, until, shown)
    SELECT c.game, c.seq, $27::bigint, c.until, false
    FROM unnest($24::text[], $25::bigint[], $26::bigint[]) AS c (game, seq, until)
    JOIN first ON first.game = c.game
    ON CONFLICT (game) DO UPDATE
    SET seq = excluded.seq, holder = excluded.holder, until = excluded.until, shown = false
), rests AS (
    DELETE FROM computing USING unnest($28::text[]) AS s (game) JOIN first ON first.game = s.game
    WHERE computing.game = s.game
)
SELECT game FROM first";

/// Events as column arrays.
#[derive(Default)]
struct Events {
    game: Vec<String>,
    seq: Vec<i64>,
    kind: Vec<String>,
    payload: Vec<String>,
    seat: Vec<Option<i16>>,
    command: Vec<Option<String>>,
    at: Vec<i64>,
}

impl Events {
    fn push(&mut self, game: &str, event: &Event) {
        let (kind, payload) = event.stored();
        self.game.push(game.to_owned());
        self.seq.push(event.seq);
        self.kind.push(kind);
        self.payload.push(payload);
        self.seat.push(event.seat.map(|seat| i16::from(seat.number())));
        self.command.push(event.command.clone());
        self.at.push(event.at);
    }
}

/// The expected last events, as column arrays.
#[derive(Default)]
struct Tips {
    seq: Vec<Option<i64>>,
    digest: Vec<Option<String>>,
}

impl Tips {
    fn push(&mut self, tip: Option<&Tip>) {
        self.seq.push(tip.map(|tip| tip.seq));
        self.digest.push(tip.map(|tip| tip.digest()));
    }
}

/// All appends as column arrays.
#[derive(Default)]
pub struct Columns {
    first: Events,
    after: Tips,
    rest_of: Vec<String>,
    rest: Events,
    token_of: Vec<String>,
    token_game: Vec<String>,
    token_seat: Vec<i16>,
    token: Vec<String>,
    runs: (Vec<String>, Vec<i64>, Vec<i64>),
    stops: Vec<String>,
    turns: (Vec<String>, Vec<i64>, Vec<i64>),
    holder: i64,
    rests: Vec<String>,
}

/// The first event of an append, with its game.
pub fn first(append: &Append) -> Option<(&str, &Event)> {
    let own = append.events.first().map(|event| (append.game.as_str(), event));
    own.or_else(|| append.new_game.as_ref().map(|new| (new.id.as_str(), &new.first)))
}

impl Columns {
    /// For appends to different games, sorted by game.
    pub fn new<'a>(appends: impl IntoIterator<Item = &'a Append>, holder: i64) -> Columns {
        let mut columns = Columns { holder, ..Columns::default() };
        appends.into_iter().for_each(|append| columns.push(append));
        columns
    }

    fn push(&mut self, append: &Append) {
        let Some((of, event)) = first(append) else { return };
        self.first.push(of, event);
        self.after.push(append.after.as_ref());
        for event in append.events.iter().skip(1) {
            self.rest_of.push(of.to_owned());
            self.rest.push(&append.game, event);
        }
        if let Some(new) = &append.new_game {
            if !append.events.is_empty() {
                self.rest_of.push(of.to_owned());
                self.rest.push(&new.id, &new.first);
            }
            for (seat, hash) in (1..).zip(&new.tokens) {
                hash.iter().for_each(|hash| self.token(of, &new.id, seat, hex(hash)));
            }
        }
        if let Some((seat, hash)) = &append.token {
            self.token(of, &append.game, i16::from(seat.number()), hex(hash));
        }
        let game = append.game.clone();
        match append.running {
            Some(Running::Until { deadline, at }) => {
                self.runs.0.push(game.clone());
                self.runs.1.push(deadline);
                self.runs.2.push(at);
            }
            Some(Running::Stopped) => self.stops.push(game.clone()),
            None => {}
        }
        let last = append.events.last().unwrap_or(event);
        match append.computer {
            Some(true) => {
                self.turns.0.push(game);
                self.turns.1.push(last.seq);
                self.turns.2.push(last.at + LEASE);
            }
            Some(false) => self.rests.push(game),
            None => {}
        }
    }

    fn token(&mut self, of: &str, game: &str, seat: i16, hash: String) {
        self.token_of.push(of.to_owned());
        self.token_game.push(game.to_owned());
        self.token_seat.push(seat);
        self.token.push(hash);
    }

    /// The parameters of [`APPEND`].
    pub fn values(&self) -> [&(dyn ToSql + Sync); 30] {
        let (first, rest, after) = (&self.first, &self.rest, &self.after);
        [
            &first.game,
            &first.seq,
            &first.kind,
            &first.payload,
            &first.seat,
            &first.command,
            &first.at,
            &self.rest_of,
            &rest.game,
            &rest.seq,
            &rest.kind,
            &rest.payload,
            &rest.seat,
            &rest.command,
            &rest.at,
            &self.token_of,
            &self.token_game,
            &self.token_seat,
            &self.token,
            &self.runs.0,
            &self.runs.1,
            &self.runs.2,
            &self.stops,
            &self.turns.0,
            &self.turns.1,
            &self.turns.2,
            &self.holder,
            &self.rests,
            &after.seq,
            &after.digest,
        ]
    }
}
