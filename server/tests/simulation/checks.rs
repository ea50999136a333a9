//! The invariants checked after every run.

use super::clients::{Answered, Book, Clients};
use super::disk::Bad;
use super::model::{Stored, Tables};
use super::plan::{Fault, Keeps, Plan, What};
use super::run::Stage;
use super::world::{EPOCH, MS, Micros, Process, SECOND, lock};
use rules::Player;
use server::games::played::Played;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use table::clock::Pauses;
use table::event::{Ending, Event, Reason};

/// What is in the store.
pub struct Truth {
    games: BTreeMap<String, Vec<(i64, Stored)>>,
    pauses: Vec<(i64, i64)>,
}

impl Truth {
    /// Whether a game has ended; none if it does not exist.
    pub fn is_over(&self, game: &str) -> Option<bool> {
        let events = self.games.get(game)?;
        Some(events.iter().any(|(_, event)| event.kind == "result"))
    }

    pub fn of_tables(tables: &Tables) -> Truth {
        let mut games: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for ((game, seq), event) in &tables.events {
            games.entry(game.clone()).or_default().push((*seq, event.clone()));
        }
        Truth { games, pauses: tables.pauses.iter().map(|(from, to)| (*from, *to)).collect() }
    }

    pub fn of_file(path: &Path) -> Truth {
        let file = rusqlite::Connection::open(path).unwrap();
        let mut games: BTreeMap<String, Vec<_>> = BTreeMap::new();
        let mut all = file
            .prepare(
                "SELECT game, seq, kind, payload, seat, command, at FROM events ORDER BY game, seq",
            )
            .unwrap();
        let mut rows = all.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let event = Stored {
                kind: row.get(2).unwrap(),
                payload: row.get(3).unwrap(),
                seat: row.get(4).unwrap(),
                command: row.get(5).unwrap(),
                at: row.get(6).unwrap(),
            };
            let own = games.entry(row.get(0).unwrap()).or_default();
            own.push((row.get(1).unwrap(), event));
        }
        let mut all = file.prepare("SELECT since, until FROM pauses ORDER BY since").unwrap();
        let pauses = all.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let pauses = pauses.map(Result::unwrap).collect();
        Truth { games, pauses }
    }

    /// Replays a game; fails if its events are inconsistent or incomplete.
    fn replay(&self, game: &str, most: usize) -> Result<Played, String> {
        let stored = self.games.get(game).ok_or("the game is gone")?;
        let whole = (1..).zip(stored).all(|(number, (seq, _))| number == *seq);
        if !whole {
            return Err(format!("{game} has a gap"));
        }
        let event = |(seq, own): &(i64, Stored)| {
            let fact = Event::fact(&own.kind, &own.payload).map_err(|error| error.to_string())?;
            let seat = own.seat.and_then(|seat| Player::try_from(seat as u8).ok());
            Ok(Event { seq: *seq, seat, at: own.at, fact, command: own.command.clone() })
        };
        let events: Vec<_> = stored.iter().take(most).map(event).collect::<Result<_, String>>()?;
        let pauses = Pauses::new(self.pauses.iter().copied());
        let played = Played::replay(game, &events, Default::default(), &pauses);
        played.map_err(|error| error.to_string())?.ok_or_else(|| "no events".into())
    }
}

/// Every game continues after the last fault, unless the player to move is asleep.
pub fn progress(plan: &Plan, before: &Truth, after: &Truth, book: &Book) -> Vec<String> {
    let mut failures = Vec::new();
    for (id, stored) in &before.games {
        if !book.games.contains_key(id) || after.games.get(id).map(Vec::len) > Some(stored.len()) {
            continue;
        }
        let Ok(game) = before.replay(id, usize::MAX) else { continue };
        // A failover may lose a player, and nobody else has that player's key.
        if plan.loses() && book.met.contains(id) {
            continue;
        }
        // Somebody who gave up while a request was on its way may still be paired. Such a game is called off after a
        // minute.
        if book.met.contains(id) && game.course.turns < 2 {
            continue;
        }
        let seat = usize::from(game.course.turn.number());
        let mut asleep = book.asleep.contains(&(id.clone(), seat - 1));
        // After a restart, a server with a file loads a game without a clock only when somebody requests it.
        let unseen = plan.keeps == Keeps::File && game.course.clock.is_none();
        asleep |= unseen && book.asleep.iter().any(|(own, _)| own == id);
        if game.course.result.is_none() && !asleep {
            failures.push(format!("progress: {id} stands still after event {}", stored.len()));
        }
    }
    let waits = book.late.iter().map(|(began, server, took)| {
        format!("late: a reader of server {server} waited {took} µs from {began}")
    });
    failures.extend(waits);
    failures
}

/// Every acknowledged command is stored exactly once under its number, and no refused one is.
pub fn acknowledged(
    plan: &Plan,
    truth: &Truth,
    book: &Book,
    lost: &[(String, i64, Option<i64>, Option<String>)],
) -> Vec<String> {
    let mut failures = Vec::new();
    for (id, stored) in &truth.games {
        if let Err(error) = truth.replay(id, usize::MAX) {
            failures.push(format!("order: {error}"));
        }
        for (seq, event) in stored {
            let key = (id.clone(), *seq, event.at);
            let turn = event.seat.map_or("null".into(), |seat| seat.to_string());
            let told = book.told.get(&key);
            if event.kind == "move" && told.is_some_and(|told| !told.contains(&turn)) {
                failures.push(format!("told: {id} {seq} was told as {told:?}"));
            }
        }
    }
    for sent in &book.sent {
        let Some(stored) = truth.games.get(&sent.game) else {
            if lost.is_empty() {
                failures.push(format!("acknowledged: game {} is gone", sent.game));
            }
            continue;
        };
        let own = |(_, event): &&(i64, Stored)| {
            event.command.as_ref() == Some(&sent.command) && event.seat == Some(sent.seat as i64)
        };
        let found: Vec<i64> = stored.iter().filter(own).map(|(seq, _)| *seq).collect();
        let gone = lost.iter().any(|(game, _, seat, command)| {
            (game, *seat, command.as_ref())
                == (&sent.game, Some(sent.seat as i64), Some(&sent.command))
        });
        let right = match &sent.answer {
            Answered::Open => found.len() <= 1,
            Answered::Stored(seq) => found == [*seq] || (gone && found.len() <= 1),
            // After events were lost, an earlier attempt may meet its expected predecessor again.
            Answered::Refused(..) => found.is_empty() || plan.loses(),
        };
        if !right {
            failures.push(format!("acknowledged: {sent:?} is stored at {found:?}"));
        }
    }
    failures.extend(book.differ.iter().map(|text| format!("told: {text}")));
    failures.extend(book.broken.iter().map(|text| format!("broken: {text}")));
    failures
}

/// How many milliseconds suffice to repeat a move on another server.
const ENOUGH: i64 = 6_500;

/// A player who tried to move in time, and kept trying while nothing could be stored, does not lose on time.
pub fn time_given_back(plan: &Plan, truth: &Truth, book: &Book) -> Vec<String> {
    let mut failures = Vec::new();
    for (id, stored) in &truth.games {
        let Ok(game) = truth.replay(id, usize::MAX) else { continue };
        let Some(Ending { winner, reason: Reason::Time }) = game.course.result else { continue };
        let Some(loser) = winner.map(Player::other) else { continue };
        let seat = usize::from(loser.number());
        let Ok(before) = truth.replay(id, stored.len() - 1) else { continue };
        let tries = book.sent.iter().rev();
        let last = tries.clone().find(|sent| sent.game == *id && sent.seat == seat);
        let Some(last) = last.filter(|sent| sent.answer == Answered::Open || is_late(sent)) else {
            continue;
        };
        let answered = last.done.unwrap_or(Micros::MAX);
        let unreachable = plan.faults.iter().any(|fault| {
            let over = fault.at + fault.time + SECOND;
            let meets = fault.at < answered && over > last.first;
            meets && matches!(fault.what, What::Silence(_) | What::Cut(_) | What::Away(_))
        });
        let unreachable = unreachable || plan.loses();
        let Some(clock) = &before.course.clock else { continue };
        let began = clock.left(before.course.last_at)[loser];
        // The turn began after the previous one was first sent.
        let seq = stored.len() as i64 - 1;
        let mut before = tries.filter(|sent| sent.game == *id && sent.seat != seat);
        let before = before.find(|sent| sent.answer == Answered::Stored(seq));
        let thought = before.map_or(3_800 + plan.search as i64 / 1_000, |before| {
            last.first.saturating_sub(before.first) as i64 / 1_000
        });
        if !unreachable && began - thought > ENOUGH {
            failures.push(format!(
                "time: {id}: player {seat} had {began} ms, sent {} at {} and lost on time",
                last.command, last.first
            ));
        }
    }
    failures
}

/// How much longer than its cause a pause may be. A server that cannot append notices it with its next probe or
/// heartbeat and reports it a moment later, but gives back up to three seconds before that; once the trouble is over,
/// it recovers with its next attempt, if no other server reports trouble any more.
const BEFORE: i64 = 4_500;
const AFTER: i64 = 7_000;

/// Nobody gets more time than the trouble lasted: clocks stand still only around faults. An exception is setting a
/// clock that servers follow: then the pause is as long as the jump.
pub fn time_not_given_away(plan: &Plan, truth: &Truth) -> Vec<String> {
    let jumps = |what: &What| match what {
        What::DatabaseClock(_) => plan.keeps == Keeps::Database,
        What::Clock(..) => plan.keeps == Keeps::File,
        _ => false,
    };
    if plan.faults.iter().any(|fault| jumps(&fault.what)) {
        return Vec::new();
    }
    // Neither stops a server or its store.
    let harmless = |what: &What| {
        matches!(what, What::Clock(..) | What::Silence(_) | What::Cut(_) | What::Crowd(_))
    };
    let faults = plan.faults.iter().filter(|fault| !harmless(&fault.what));
    let millis = |at: Micros| EPOCH + (at / MS) as i64;
    // A disk hangs by its machine's monotonic clock, which stands still while the machine sleeps.
    let sleeps = plan.faults.iter().filter(|fault| matches!(fault.what, What::Sleep(_)));
    let slept: Micros = sleeps.map(|fault| fault.time).sum();
    let end = |fault: &Fault| match fault.what {
        What::Disk(Bad::Hangs) => fault.at + fault.time + slept,
        _ => fault.at + fault.time,
    };
    let trouble: Vec<_> =
        faults.map(|fault| (millis(fault.at) - BEFORE, millis(end(fault)) + AFTER)).collect();
    let mut failures = Vec::new();
    for &(from, to) in &truth.pauses {
        // The rest of the pause, after everything that explains its beginning.
        let mut rest = from;
        while let Some((_, end)) = trouble.iter().find(|own| own.0 <= rest && rest < own.1) {
            rest = *end;
        }
        if rest < to {
            let (from, to, rest) = (from - EPOCH, to - EPOCH, to - rest);
            failures.push(format!("pause: from {from} to {to}, {rest} ms longer than the trouble"));
        }
    }
    failures
}

/// Whether a command was refused because the game was over.
fn is_late(sent: &super::clients::Sent) -> bool {
    matches!(&sent.answer, Answered::Refused(409, reason) if reason.contains("over"))
}

/// All servers report what is stored: the same events, and clocks that follow from them.
pub fn told_alike(stage: &mut Stage, clients: &Arc<Clients>) -> Vec<String> {
    // Players leave; computers complete the turns they have started.
    stage.processes.all[0] = None;
    let games: Vec<_> = lock(&clients.book).games.keys().cloned().collect();
    let mut failures = Vec::new();
    for _ in 0..5 {
        let now = stage.world.now();
        stage.processes.run_until(now + 3 * SECOND);
        let before = stage.truth();
        let told: Arc<Mutex<Vec<(usize, String, serde_json::Value)>>> = Arc::default();
        let (own, asked, games) = (Arc::clone(&told), Arc::clone(clients), games.clone());
        let known: Vec<_> = games.into_iter().filter(|id| before.games.contains_key(id)).collect();
        let count = known.len() * asked.servers;
        let main = async move {
            for server in 1..=asked.servers {
                for id in &known {
                    let who = SocketAddr::from(([10, 8, 0, 1], 1));
                    let path = format!("/api/games/{id}");
                    let answer = asked.get(who, server, &path).await;
                    let (status, game) = answer.unwrap_or_default();
                    if status == 200 {
                        lock(&own).push((server, id.clone(), game));
                    }
                }
            }
        };
        let process = Process::start(&stage.processes.clocks[0], main);
        stage.processes.all[0] = Some(process);
        let now = stage.world.now();
        stage.processes.run_until(now + 4 * SECOND + count as Micros * 100 * MS);
        stage.processes.all[0] = None;
        failures.clear();
        if lock(&told).len() < count {
            failures.push(format!("told: only {} of {count} were answered", lock(&told).len()));
        }
        let truth = stage.truth();
        for (server, id, game) in lock(&told).iter() {
            failures.extend(compare(&truth, *server, id, game));
        }
        if failures.is_empty() {
            break;
        }
    }
    failures
}

fn compare(truth: &Truth, server: usize, id: &str, told: &serde_json::Value) -> Option<String> {
    let game = truth.replay(id, usize::MAX).ok()?;
    let at = told["clocks"]["at"].as_i64().unwrap_or(0);
    let clock = game.course.clock.as_ref();
    let stored = clock.map(|clock| table::event::clocks(clock, at)).unwrap_or_default();
    if told["seq"] != game.course.seq {
        return Some(format!("told: server {server} tells {id} up to {}", told["seq"]));
    }
    let same = stored["left"] == told["clocks"]["left"];
    (!same).then(|| {
        format!("clocks: {id}: server {server} tells {}, stored are {stored}", told["clocks"])
    })
}
