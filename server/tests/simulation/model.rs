//! A model of the database: it executes exactly the statements of `server::store::postgres`, each in a transaction of
//! its own. `differential.rs` compares it with PostgreSQL.

use super::model_records;
use server::store::hex;
use server::store::postgres::batch::APPEND;
use server::store::postgres::link::{Fault, Values};
use server::store::postgres::rows::{Cell, Cells, Row};
use server::store::postgres::writer::FIND;
use server::store::postgres::*;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use tokio_postgres::error::SqlState;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, Type};

/// A parameter of a statement.
#[derive(Clone, Debug, PartialEq)]
pub enum Param {
    Text(String),
    Number(i64),
    Bool(bool),
    Texts(Vec<Option<String>>),
    Numbers(Vec<Option<i64>>),
}

/// The types of a statement's parameters, one letter each: text, long, short and boolean; capitals are arrays.
pub fn types(sql: &str) -> &'static str {
    match sql {
        APPEND => "TLTTSTLTTLTTSTLTTSTTLLTTLLlTLT",
        FIND => "tl",
        EVENTS => "tll",
        TOKENS => "t",
        RUNNING | PAUSES | BEAT | HOLD | FORSAKEN | FORGET => "l",
        GAMES => "tl",
        NOTE => "LL",
        PAUSE => "llll",
        NOW | EPOCH | LAST_BEAT | schema::FIND | schema::FORMAT | upkeep::PREPARED => "",
        LAST => "T",
        CLAIM => "tlllbl",
        RENEW => "Tll",
        RELEASE => "tl",
        other => {
            model_records::types(other).unwrap_or_else(|| panic!("the model does not know {other}"))
        }
    }
}

/// A short name for a statement, for traces.
pub fn name(sql: &str) -> &'static str {
    match sql {
        APPEND => "append",
        FIND => "find",
        EVENTS => "events",
        TOKENS => "tokens",
        RUNNING => "running",
        PAUSES => "pauses",
        BEAT => "beat",
        HOLD => "hold",
        FORSAKEN => "forsaken",
        FORGET => "forget",
        GAMES => "games",
        NOTE => "note",
        PAUSE => "pause",
        NOW => "now",
        EPOCH => "epoch",
        LAST_BEAT => "last beat",
        LAST => "last",
        CLAIM => "claim",
        RENEW => "renew",
        RELEASE => "release",
        other => model_records::name(other).unwrap_or("schema"),
    }
}

/// Whether a statement changes anything.
pub fn writes(sql: &str) -> bool {
    [APPEND, BEAT, HOLD, FORGET, NOTE, PAUSE, CLAIM, RENEW, RELEASE].contains(&sql)
        || model_records::writes(sql)
}

/// Decodes parameters from their binary form.
pub fn params(sql: &str, values: Values<'_>) -> Vec<Param> {
    let types = types(sql);
    assert_eq!(types.len(), values.len(), "{sql}");
    types.chars().zip(values).map(|(letter, value)| param(letter, *value)).collect()
}

fn param(letter: char, value: &(dyn tokio_postgres::types::ToSql + Sync)) -> Param {
    let ty = match letter {
        't' => Type::TEXT,
        'l' => Type::INT8,
        'b' => Type::BOOL,
        'T' => Type::TEXT_ARRAY,
        'L' => Type::INT8_ARRAY,
        _ => Type::INT2_ARRAY,
    };
    let mut bytes = BytesMut::new();
    let null = value.to_sql_checked(&ty, &mut bytes).unwrap();
    assert!(matches!(null, IsNull::No));
    match letter {
        't' => Param::Text(String::from_sql(&ty, &bytes).unwrap()),
        'l' => Param::Number(i64::from_sql(&ty, &bytes).unwrap()),
        'b' => Param::Bool(bool::from_sql(&ty, &bytes).unwrap()),
        'T' => Param::Texts(Vec::from_sql(&ty, &bytes).unwrap()),
        'L' => Param::Numbers(Vec::from_sql(&ty, &bytes).unwrap()),
        _ => {
            let short: Vec<Option<i16>> = Vec::from_sql(&ty, &bytes).unwrap();
            Param::Numbers(short.into_iter().map(|own| own.map(i64::from)).collect())
        }
    }
}

/// A stored event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    pub kind: String,
    pub payload: String,
    pub seat: Option<i64>,
    pub command: Option<String>,
    pub at: i64,
}

impl Stored {
    /// The digest that `APPEND` computes for the row.
    pub fn digest(&self, seq: i64) -> String {
        let Stored { kind, payload, seat, command, at } = self;
        let command = command.iter().map(|command| format!("\n{command}")).collect::<String>();
        let text = format!("{seq} {at} {} {kind}\n{payload}{command}", seat.unwrap_or(0));
        hex(&Sha256::digest(text).into())
    }
}

/// All tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tables {
    pub made: bool,
    /// Incremented by failovers.
    pub timeline: u32,
    pub events: BTreeMap<(String, i64), Stored>,
    commands: BTreeSet<(String, i64, String)>,
    pub tokens: BTreeMap<(String, i64), String>,
    pub running: BTreeMap<String, (Option<i64>, i64)>,
    pub heartbeat: BTreeMap<i64, i64>,
    pub pauses: BTreeMap<i64, i64>,
    /// Event number, holder, expiry, and whether it is between computers.
    pub computing: BTreeMap<String, (i64, i64, i64, bool)>,
    /// Value and version.
    pub records: BTreeMap<String, (String, i64)>,
}

/// Typed access to a statement's parameters.
pub struct Given<'a>(pub &'a [Param]);

impl Given<'_> {
    pub fn text(&self, i: usize) -> &str {
        let Param::Text(text) = &self.0[i - 1] else { panic!("${i} is no text") };
        text
    }

    pub fn number(&self, i: usize) -> i64 {
        let Param::Number(number) = self.0[i - 1] else { panic!("${i} is no number") };
        number
    }

    pub fn bool(&self, i: usize) -> bool {
        self.0[i - 1] == Param::Bool(true)
    }

    pub fn texts(&self, i: usize) -> &[Option<String>] {
        let Param::Texts(texts) = &self.0[i - 1] else { panic!("${i} are no texts") };
        texts
    }

    pub fn numbers(&self, i: usize) -> &[Option<i64>] {
        let Param::Numbers(numbers) = &self.0[i - 1] else { panic!("${i} are no numbers") };
        numbers
    }

    pub fn string(&self, i: usize, row: usize) -> String {
        self.texts(i)[row].clone().unwrap_or_default()
    }

    pub fn long(&self, i: usize, row: usize) -> i64 {
        self.numbers(i)[row].unwrap_or_default()
    }

    /// The event whose columns begin at `i`: number, kind, payload, seat, command, time.
    fn event(&self, i: usize, row: usize) -> (i64, Stored) {
        let (kind, payload) = (self.string(i + 1, row), self.string(i + 2, row));
        let (seat, command) = (self.numbers(i + 3)[row], self.texts(i + 4)[row].clone());
        (self.long(i, row), Stored { kind, payload, seat, command, at: self.long(i + 5, row) })
    }
}

pub fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

pub fn number(number: Option<i64>) -> Cell {
    number.map_or(Cell::Null, Cell::Number)
}

fn one(cells: impl IntoIterator<Item = Cell>) -> Cells {
    vec![Row(cells.into_iter().collect())]
}

impl Tables {
    /// Creates the tables.
    pub fn make(&mut self) {
        self.made = true;
        self.heartbeat.insert(1, 0);
    }

    fn insert(&mut self, game: &str, seq: i64, event: Stored) -> bool {
        let command = event.seat.zip(event.command.clone());
        let command = command.map(|(seat, command)| (game.to_owned(), seat, command));
        let key = (game.to_owned(), seq);
        if self.events.contains_key(&key)
            || command.as_ref().is_some_and(|own| self.commands.contains(own))
        {
            return false;
        }
        self.commands.extend(command);
        self.events.insert(key, event);
        true
    }

    pub fn of_game(&self, game: &str) -> impl DoubleEndedIterator<Item = (i64, &Stored)> {
        let range = (game.to_owned(), i64::MIN)..=(game.to_owned(), i64::MAX);
        self.events.range(range).map(|((_, seq), event)| (*seq, event))
    }

    /// Executes a statement when the database's clock shows `clock`.
    pub fn execute(&mut self, sql: &str, params: &[Param], clock: i64) -> Result<Cells, Fault> {
        let given = Given(params);
        if let Some(done) = self.execute_records(sql, &given) {
            return done;
        }
        Ok(match sql {
            APPEND => return self.append(&given),
            FIND => {
                let key = (given.text(1).to_owned(), given.number(2));
                let row = |own: &Stored| {
                    let (seat, command) = (number(own.seat), own.command.as_deref());
                    let command = command.map_or(Cell::Null, text);
                    one([text(&own.kind), text(&own.payload), seat, command, Cell::Number(own.at)])
                };
                self.events.get(&key).map_or(Vec::new(), row)
            }
            EVENTS => {
                let after = given.number(2);
                let most = usize::try_from(given.number(3)).unwrap_or(usize::MAX);
                let later = self.of_game(given.text(1)).filter(|(seq, _)| *seq > after);
                let row = |(seq, own): (i64, &Stored)| {
                    let (seq, at) = (Cell::Number(seq), Cell::Number(own.at));
                    let command = own.command.as_deref().map_or(Cell::Null, text);
                    Row(vec![
                        seq,
                        text(&own.kind),
                        text(&own.payload),
                        number(own.seat),
                        command,
                        at,
                    ])
                };
                later.take(most).map(row).collect()
            }
            TOKENS => {
                let own = self.tokens.iter().filter(|((game, _), _)| game == given.text(1));
                own.map(|((_, seat), hash)| Row(vec![Cell::Number(*seat), text(hash)])).collect()
            }
            RUNNING => {
                let mut rows: Vec<_> = self.running.iter().collect();
                rows.retain(|(_, (deadline, _))| deadline.is_some_and(|at| at <= given.number(1)));
                rows.sort_by_key(|(_, (deadline, _))| *deadline);
                let row = |(game, (deadline, at)): (&String, &(Option<i64>, i64))| {
                    Row(vec![text(game), number(*deadline), Cell::Number(*at)])
                };
                rows.into_iter().map(row).collect()
            }
            PAUSES => {
                let later = self.pauses.iter().filter(|(_, until)| **until > given.number(1));
                later.map(|(a, b)| Row(vec![Cell::Number(*a), Cell::Number(*b)])).collect()
            }
            GAMES => {
                let games: BTreeSet<_> =
                    self.events.keys().map(|(game, _)| game.as_str()).collect();
                let most = usize::try_from(given.number(2)).unwrap_or(usize::MAX);
                let later = games.into_iter().filter(|game| *game > given.text(1));
                later.take(most).map(|game| Row(vec![text(game)])).collect()
            }
            NOTE => {
                for row in 0..given.numbers(1).len() {
                    self.pauses.entry(given.long(1, row)).or_insert(given.long(2, row));
                }
                Vec::new()
            }
            BEAT => {
                let at = given.number(1);
                let held = self.heartbeat.get(&2).is_some_and(|held| *held > at);
                if held && self.heartbeat.contains_key(&1) {
                    return Ok(Vec::new());
                }
                let own = self.heartbeat.entry(1).or_insert(at);
                *own = at.max(*own);
                one([Cell::Number(*own)])
            }
            HOLD => {
                let until = clock + given.number(1);
                let own = self.heartbeat.entry(2).or_insert(until);
                *own = until.max(*own);
                one([Cell::Number(*own)])
            }
            PAUSE => self.pause(&given),
            NOW => {
                let beat = self.heartbeat.get(&1).copied().unwrap_or(0);
                one([Cell::Number(clock.max(beat))])
            }
            EPOCH => one([Cell::Text(format!("{:08X}", self.timeline + 1))]),
            LAST_BEAT => {
                let beat = self.heartbeat.get(&1).copied().unwrap_or(0);
                let pause = self.pauses.values().max().copied().unwrap_or(0);
                one([Cell::Number(beat.max(pause))])
            }
            LAST => {
                let games = given.texts(1).iter().flatten();
                let last = games.filter_map(|game| Some((game, self.of_game(game).next_back()?)));
                last.map(|(game, (seq, own))| {
                    Row(vec![text(game), Cell::Number(seq), Cell::Number(own.at)])
                })
                .collect()
            }
            CLAIM => {
                let (game, seq, holder) = (given.text(1), given.number(2), given.number(3));
                let at = given.number(4);
                let known = self.computing.get(game);
                let free = known.is_none_or(|own| own.1 == holder || own.2 < at || own.0 < seq);
                if !free {
                    return Ok(Vec::new());
                }
                let lease = (seq, holder, at + given.number(6), given.bool(5));
                self.computing.insert(game.to_owned(), lease);
                one([Cell::Number(seq)])
            }
            RENEW => {
                for game in given.texts(1).iter().flatten() {
                    let own = self.computing.get_mut(game);
                    let own = own.filter(|own| own.1 == given.number(3));
                    own.into_iter().for_each(|own| own.2 = given.number(2));
                }
                Vec::new()
            }
            RELEASE => {
                let game = given.text(1);
                if self.computing.get(game).is_some_and(|own| own.0 <= given.number(2)) {
                    self.computing.remove(game);
                }
                Vec::new()
            }
            FORSAKEN => {
                let mut late: Vec<_> = self.computing.iter().collect();
                late.retain(|(_, own)| own.2 < given.number(1) && !own.3);
                late.sort_by_key(|(_, own)| own.2);
                late.into_iter().take(256).map(|(game, _)| Row(vec![text(game)])).collect()
            }
            FORGET => {
                self.computing.retain(|_, own| !(own.3 && own.2 < given.number(1) - 60_000));
                Vec::new()
            }
            schema::FIND => one([Cell::Bool(self.made), Cell::Bool(self.made)]),
            schema::FORMAT => one([Cell::Number(1), Cell::Number(1)]),
            // No operator has used any command that would create the tables.
            upkeep::PREPARED => one([Cell::Bool(false)]),
            other => panic!("the model does not know {other}"),
        })
    }

    fn append(&mut self, given: &Given<'_>) -> Result<Cells, Fault> {
        let mut after = self.clone();
        let mut first = BTreeSet::new();
        for row in 0..given.texts(1).len() {
            let (game, (seq, event)) = (given.string(1, row), given.event(2, row));
            let named = given.numbers(29)[row];
            let follows = match self.of_game(&game).next_back() {
                _ if !APPEND.contains("a.after_seq IS NULL") => true,
                None => named.is_none(),
                Some((seq, last)) => {
                    named == Some(seq) && given.texts(30)[row] == Some(last.digest(seq))
                }
            };
            if follows && after.insert(&game, seq, event) {
                first.insert(game);
            }
        }
        let is_first = |i: usize, row: usize| first.contains(&given.string(i, row));
        for row in (0..given.texts(8).len()).filter(|row| is_first(8, *row)) {
            let (game, (seq, event)) = (given.string(9, row), given.event(10, row));
            if !after.insert(&game, seq, event) {
                return Err(Fault::Refused(SqlState::UNIQUE_VIOLATION, "duplicate key".into()));
            }
        }
        for row in (0..given.texts(16).len()).filter(|row| is_first(16, *row)) {
            let key = (given.string(17, row), given.long(18, row));
            after.tokens.insert(key, given.string(19, row));
        }
        for row in (0..given.texts(20).len()).filter(|row| is_first(20, *row)) {
            let deadline = (given.numbers(21)[row], given.long(22, row));
            after.running.insert(given.string(20, row), deadline);
        }
        for row in (0..given.texts(23).len()).filter(|row| is_first(23, *row)) {
            after.running.remove(&given.string(23, row));
        }
        for row in (0..given.texts(24).len()).filter(|row| is_first(24, *row)) {
            let lease = (given.long(25, row), given.number(27), given.long(26, row), false);
            after.computing.insert(given.string(24, row), lease);
        }
        for row in (0..given.texts(28).len()).filter(|row| is_first(28, *row)) {
            after.computing.remove(&given.string(28, row));
        }
        *self = after;
        Ok(first.into_iter().map(|game| Row(vec![Cell::Text(game)])).collect())
    }

    fn pause(&mut self, given: &Given<'_>) -> Cells {
        let [from, to, gap, since] = [1, 2, 3, 4].map(|i| given.number(i));
        let beat = self.heartbeat.get(&1).copied().unwrap_or(0);
        if beat <= 0 {
            return Vec::new();
        }
        let turn = self.running.values().map(|(_, at)| *at).filter(|at| *at <= to).max();
        let last = from.max(beat).max(turn.unwrap_or(i64::MIN));
        let paused = self.pauses.values().max().copied().unwrap_or(0);
        let begun = if since - last > gap || since < to { last.min(since) } else { since };
        let since = paused.max(begun);
        let mut noted = [Cell::Null, Cell::Null];
        if since < to {
            let own = self.pauses.entry(since).or_insert(to);
            *own = to.max(*own);
            noted = [Cell::Number(since), Cell::Number(*own)];
        }
        self.heartbeat.insert(1, beat.max(to));
        self.heartbeat.entry(2).and_modify(|own| *own = 0);
        one(noted)
    }
}
