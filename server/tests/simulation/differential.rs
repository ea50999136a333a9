//! Compares the model of the database with PostgreSQL: random sequences of our statements give the same rows and
//! tables.

use super::model::{Stored, Tables, params};
use crate::common::services::postgres;
use rules::random::Random;
use server::store::postgres::batch::APPEND;
use server::store::postgres::link::{Address, Database, Fault, Session, Values};
use server::store::postgres::records::{self, Columns};
use server::store::postgres::rows::{Cell, Row};
use server::store::postgres::writer::FIND;
use server::store::postgres::*;
use server::store::records::Change;
use std::sync::Arc;

const STEPS: usize = 1_500;

/// Whether the rows of an answer are ordered.
fn is_ordered(sql: &str) -> bool {
    sql.contains("ORDER BY") && sql != LAST && sql != APPEND
}

fn sorted(mut rows: Vec<Row>) -> Vec<Row> {
    rows.sort_by_key(|row| format!("{row:?}"));
    rows
}

struct Pair {
    real: Arc<dyn Session>,
    model: Tables,
}

impl Pair {
    async fn ask(&mut self, sql: &'static str, values: Values<'_>) {
        let real = self.real.query(sql, values).await;
        let model = self.model.execute(sql, &params(sql, values), 0);
        match (real, model) {
            (Ok(real), Ok(model)) if is_ordered(sql) => assert_eq!(real, model, "{sql}"),
            (Ok(real), Ok(model)) => assert_eq!(sorted(real), sorted(model), "{sql}"),
            (Err(Fault::Refused(real, _)), Err(Fault::Refused(model, _))) => {
                assert_eq!(real, model, "{sql}");
            }
            (real, model) => panic!("{sql}: {real:?} but {model:?}"),
        }
    }
}

fn games(random: &mut Random, most: usize) -> Vec<String> {
    let mut games: Vec<_> = ["a", "b", "c", "d"].map(str::to_owned).into();
    games.retain(|_| random.below(4) < most);
    games
}

/// A random append, which may or may not follow the last event.
async fn append(pair: &mut Pair, random: &mut Random) {
    let first = games(random, 2);
    let count = first.len();
    let last = |pair: &Pair, game: &str| {
        pair.model.of_game(game).next_back().map(|(seq, own)| (seq, own.clone()))
    };
    let tips: Vec<_> = first.iter().map(|game| last(pair, game)).collect();
    let honest: Vec<_> = first.iter().map(|_| random.below(4) > 0).collect();
    let seqs: Vec<i64> = tips
        .iter()
        .zip(&honest)
        .map(|(tip, honest)| {
            let next = tip.as_ref().map_or(1, |(seq, _)| seq + 1);
            if *honest { next } else { (next - 1).max(1) }
        })
        .collect();
    let mut number = |below: usize| random.below(below) as i64;
    let texts = |text: &str| vec![text.to_owned(); count];
    let seats: Vec<Option<i16>> =
        (0..count).map(|_| [None, Some(1), Some(2)][number(3) as usize]).collect();
    let command = |number: i64| (number < 6).then(|| format!("c{number}"));
    let commands: Vec<Option<String>> = (0..count).map(|_| command(number(40))).collect();
    let ats: Vec<i64> = (0..count).map(|_| number(1_000)).collect();
    let rest = if number(3) == 0 { first.clone() } else { Vec::new() };
    let rest_seqs: Vec<i64> =
        seqs.iter().take(rest.len()).map(|seq| seq + number(8).min(1)).collect();
    let rests = |text: &str| vec![text.to_owned(); rest.len()];
    let rest_seats: Vec<Option<i16>> = vec![Some(1); rest.len()];
    let rest_commands: Vec<Option<String>> = rest.iter().map(|_| command(number(60))).collect();
    let rest_ats: Vec<i64> = rest.iter().map(|_| number(1_000)).collect();
    let chosen = number(5);
    let some = |wanted: i64| if chosen == wanted { first.clone() } else { Vec::new() };
    let (tokens, runs, stops, turns, rests_of) = (some(0), some(1), some(2), some(3), some(4));
    let token_seats = vec![1_i16; tokens.len()];
    let hashes: Vec<String> = tokens.iter().map(|_| format!("h{}", number(9))).collect();
    let longs = |of: &[String], number: &mut dyn FnMut(usize) -> i64| -> Vec<i64> {
        of.iter().map(|_| number(1_000)).collect()
    };
    let (run_to, run_at) = (longs(&runs, &mut number), longs(&runs, &mut number));
    let (turn_seq, turn_to) = (longs(&turns, &mut number), longs(&turns, &mut number));
    let holder = number(3);
    let after_seq: Vec<Option<i64>> =
        tips.iter().map(|tip| tip.as_ref().map(|own| own.0)).collect();
    let wrong = i64::from(number(6) == 0);
    let digest = |(seq, last): &(i64, Stored)| last.digest(seq + wrong);
    let after_digest: Vec<Option<String>> =
        tips.iter().map(|tip| tip.as_ref().map(digest)).collect();
    let (kind, payload) = (texts("move"), texts("{}"));
    let (rest_kind, rest_payload) = (rests("result"), rests("[]"));
    let values: Values<'_> = &[
        &first,
        &seqs,
        &kind,
        &payload,
        &seats,
        &commands,
        &ats,
        &rest,
        &rest,
        &rest_seqs,
        &rest_kind,
        &rest_payload,
        &rest_seats,
        &rest_commands,
        &rest_ats,
        &tokens,
        &tokens,
        &token_seats,
        &hashes,
        &runs,
        &run_to,
        &run_at,
        &stops,
        &turns,
        &turn_seq,
        &turn_to,
        &holder,
        &rests_of,
        &after_seq,
        &after_digest,
    ];
    pair.ask(APPEND, values).await;
}

async fn other(pair: &mut Pair, random: &mut Random) {
    let some = games(random, 2);
    let mut number = |below: usize| random.below(below) as i64;
    let game = ["a", "b", "c", "d"][number(4) as usize];
    let (one, two, three) = (number(1_000), number(1_000), number(3));
    match number(15) {
        0 => pair.ask(BEAT, &[&one]).await,
        1 => pair.ask(PAUSE, &[&one, &two, &100_i64, &(two - number(200))]).await,
        2 => pair.ask(CLAIM, &[&game, &number(20), &three, &one, &(number(2) == 0), &50_i64]).await,
        3 => pair.ask(RENEW, &[&some, &one, &three]).await,
        4 => pair.ask(RELEASE, &[&game, &number(20)]).await,
        5 => pair.ask(FORGET, &[&(60_000 + one)]).await,
        6 => pair.ask(NOTE, &[&vec![one], &vec![one + three]]).await,
        7 => pair.ask(EVENTS, &[&game, &number(9), &number(20)]).await,
        8 => pair.ask(FIND, &[&game, &number(20)]).await,
        9 => pair.ask(TOKENS, &[&game]).await,
        10 => pair.ask(PAUSES, &[&one]).await,
        11 => pair.ask(GAMES, &[&game, &number(3)]).await,
        12 => pair.ask(LAST, &[&some]).await,
        13 => pair.ask(LAST_BEAT, &[]).await,
        // The database's clock differs from the model's; the remaining part of the answer is compared elsewhere.
        _ => {
            let held = one;
            pair.real.batch(&format!("INSERT INTO heartbeat VALUES (2, {held}) ON CONFLICT (id) DO UPDATE SET at = {held}")).await.unwrap();
            pair.model.heartbeat.insert(2, held);
        }
    }
}

/// A random operation on records, of which there are few, so that changes often conflict.
async fn record(pair: &mut Pair, random: &mut Random) {
    let mut number = |below: usize| random.below(below);
    let key = |number: usize| format!("k/{}", (b'a' + number as u8) as char);
    let (after, before, most) = (key(number(6)), key(number(8)), number(4) as i64);
    match number(9) {
        0 => pair.ask(records::GET, &[&vec![after, before]]).await,
        1 => pair.ask(records::RANGE, &[&after, &before, &most]).await,
        2 => pair.ask(records::BACKWARDS, &[&after, &before, &most]).await,
        3 if number(4) == 0 => pair.ask(records::CLEAR, &[&after, &before, &most]).await,
        _ => {
            let mut keys: Vec<_> = (0..8).filter(|_| number(3) == 0).map(key).collect();
            let mut changes = Vec::new();
            for key in keys.drain(..) {
                let version = pair.model.records.get(&key).map_or(0, |own| own.1);
                let version = version + (number(12) == 0) as i64;
                let value = format!("{}", number(100));
                changes.push(match (number(5), version) {
                    (0, _) => Change::Put { key, value },
                    (1, _) => Change::Drop { key },
                    (_, 0) => Change::New { key, value },
                    (2, version) => Change::Delete { key, version },
                    (_, version) => Change::Update { key, value, version },
                });
            }
            let columns = Columns::new(changes);
            pair.ask(records::CHANGE, &columns.values()).await;
        }
    }
}

/// Compares whole tables.
async fn compare(pair: &Pair) {
    let count = "SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM tokens) + (SELECT count(*) FROM running)
        + (SELECT count(*) FROM pauses) + (SELECT count(*) FROM computing)";
    let rows = pair.real.query(count, &[]).await.unwrap();
    let model = &pair.model;
    let counted = model.events.len() + model.tokens.len() + model.running.len();
    let counted = counted + model.pauses.len() + model.computing.len();
    assert_eq!(rows[0].0, [Cell::Number(counted as i64)]);
    let beats = pair.real.query("SELECT id, at FROM heartbeat ORDER BY id", &[]).await.unwrap();
    let known =
        model.heartbeat.iter().map(|(id, at)| Row(vec![Cell::Number(*id), Cell::Number(*at)]));
    assert_eq!(beats, known.collect::<Vec<_>>());
    let leases = "SELECT game, seq, holder, until, shown FROM computing ORDER BY game";
    let leases = pair.real.query(leases, &[]).await.unwrap();
    let known = model.computing.iter().map(|(game, (seq, holder, until, shown))| {
        let numbers = [*seq, *holder, *until].map(Cell::Number);
        let cells = [Cell::Text(game.clone())].into_iter().chain(numbers);
        Row(cells.chain([Cell::Bool(*shown)]).collect())
    });
    assert_eq!(leases, known.collect::<Vec<_>>());
    let running =
        pair.real.query("SELECT game, deadline, at FROM running ORDER BY game", &[]).await.unwrap();
    let known = model.running.iter().map(|(game, (deadline, at))| {
        let deadline = deadline.map_or(Cell::Null, Cell::Number);
        Row(vec![Cell::Text(game.clone()), deadline, Cell::Number(*at)])
    });
    assert_eq!(running, known.collect::<Vec<_>>());
    let all = "SELECT key, value, version FROM records ORDER BY key";
    let all = pair.real.query(all, &[]).await.unwrap();
    let known = model.records.iter().map(|(key, (value, version))| {
        Row(vec![Cell::Text(key.clone()), Cell::Text(value.clone()), Cell::Number(*version)])
    });
    assert_eq!(all, known.collect::<Vec<_>>());
}

#[tokio::test]
async fn the_model_of_the_database_does_what_postgresql_does() {
    let url = postgres().url(&postgres().database());
    let (store, _end) = server::store::open(url.as_ref(), Arc::default()).await.unwrap();
    store.close();
    let real = Address::read(&url).unwrap().connect().await.map_err(Fault::reason).unwrap();
    let mut pair = Pair { real, model: Tables::default() };
    pair.model.make();
    let mut random = Random::new(7);
    for step in 0..STEPS {
        match random.below(3) {
            0 => append(&mut pair, &mut random).await,
            1 => record(&mut pair, &mut random).await,
            _ => other(&mut pair, &mut random).await,
        }
        if step % 50 == 0 {
            compare(&pair).await;
        }
    }
    compare(&pair).await;
    assert!(pair.model.events.len() > 50, "{} events", pair.model.events.len());
}
