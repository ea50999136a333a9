//! The database as servers see it: connections that are cut, a disk too full for some statements, locked tables, hangs,
//! crashes that lose unsynced data, and synchronous and asynchronous standbys that take over.

use super::model::{Param, Tables, name, params, writes};
use super::world::{MS, Micros, SECOND, World, lock};
use crate::note;
use server::store::postgres::batch::APPEND;
use server::store::postgres::link::{Answer, Database, Fault, Session, Values};
use server::store::postgres::rows::Cells;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard};
use tokio::sync::oneshot;
use tokio_postgres::error::SqlState;

/// The session's timeouts, as set by the servers.
const LOCK_TIMEOUT: Micros = SECOND;
const IDLE_IN_TRANSACTION: Micros = 3 * SECOND;

/// Which statements a full disk refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// Only new rows in the largest table.
    Events,
    /// All writes.
    Everything,
}

/// A statement that changed something, as replicated to a standby.
struct Logged {
    time: Micros,
    sql: &'static str,
    params: Vec<Param>,
    clock: i64,
}

#[derive(Default)]
pub struct State {
    pub tables: Tables,
    log: Vec<Logged>,
    down: bool,
    /// Incremented by restarts; sessions of earlier lives are closed.
    life: u64,
    sessions: u64,
    /// Until when statements hang, inserts wait for a lock, writes are refused, and connections are refused.
    hangs: Micros,
    locked: Micros,
    full: Option<(Micros, Full)>,
    crowded: Micros,
    /// Additional execution time.
    slow: (Micros, Micros),
    /// Until when a server cannot reach the database.
    silent: BTreeMap<usize, Micros>,
    /// How far the clock is off, in milliseconds.
    pub wrong: i64,
    /// Games whose rows an open transaction has locked.
    locks: BTreeMap<u64, BTreeSet<String>>,
    /// Sessions whose server is gone.
    left: BTreeSet<u64>,
    /// Events that a failover has lost: game, number, seat and command.
    pub lost: Vec<(String, i64, Option<i64>, Option<String>)>,
}

pub struct Cluster {
    pub world: Arc<World>,
    state: Mutex<State>,
}

impl Cluster {
    pub fn new(world: &Arc<World>) -> Arc<Cluster> {
        Arc::new(Cluster { world: Arc::clone(world), state: Mutex::default() })
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn until(&self, time: Micros) -> Micros {
        self.world.now() + time
    }

    pub fn hang(&self, time: Micros) {
        let until = self.until(time);
        self.state().hangs = until;
    }

    pub fn lock_table(&self, time: Micros) {
        let until = self.until(time);
        self.state().locked = until;
    }

    pub fn fill(&self, time: Micros, full: Full) {
        let until = self.until(time);
        self.state().full = Some((until, full));
    }

    pub fn crowd(&self, time: Micros) {
        self.state().crowded = self.world.now() + time;
        self.close_sessions();
    }

    pub fn slow_down(&self, time: Micros, by: Micros) {
        self.state().slow = (self.world.now() + time, by);
    }

    pub fn silence(&self, server: usize, time: Micros) {
        let until = self.world.now() + time;
        self.state().silent.insert(server, until);
    }

    /// Ends all connections.
    pub fn close_sessions(&self) {
        let mut state = self.state();
        state.life += 1;
        state.locks.clear();
    }

    /// Crashes the database; after a while it is back, without what was written in the last `behind`.
    pub fn fail_over(self: &Arc<Self>, away: Micros, behind: Micros) {
        if std::mem::replace(&mut self.state().down, true) {
            return;
        }
        self.close_sessions();
        let until = self.until(away);
        let (cluster, died) = (Arc::clone(self), self.world.now());
        self.world.at(until, 0, move || {
            let mut state = cluster.state();
            state.promote(died.saturating_sub(behind));
            let (events, lost) = (state.tables.events.len(), state.lost.len());
            drop(state);
            note!(cluster.world, "database: {events} events, {lost} lost so far");
        });
    }
}

impl State {
    /// Replays what was written up to a time.
    fn promote(&mut self, until: Micros) {
        self.down = false;
        self.tables.timeline += 1;
        let kept = self.log.partition_point(|logged| logged.time <= until);
        if kept == self.log.len() {
            return;
        }
        let before = std::mem::take(&mut self.tables);
        self.log.truncate(kept);
        (self.tables.made, self.tables.timeline) = (before.made, before.timeline);
        self.tables.make();
        for logged in &self.log {
            let _ = self.tables.execute(logged.sql, &logged.params, logged.clock);
        }
        for ((game, seq), event) in before.events {
            if self.tables.events.get(&(game.clone(), seq)) != Some(&event) {
                self.lost.push((game, seq, event.seat, event.command));
            }
        }
    }

    /// Whether a statement is refused at the moment.
    fn refusal(&self, now: Micros, sql: &str) -> Option<Fault> {
        let (_, full) = self.full.filter(|(until, _)| *until > now)?;
        let refused = sql == APPEND || (full == Full::Everything && writes(sql));
        let text = "could not extend file: No space left on device";
        refused.then(|| Fault::Refused(SqlState::DISK_FULL, text.into()))
    }

    /// Whether an append has to wait for a lock of another session.
    fn is_locked(&self, now: Micros, session: u64, sql: &str, params: &[Param]) -> bool {
        let Some(Param::Texts(games)) = params.first().filter(|_| sql == APPEND) else {
            return false;
        };
        let mut others = self.locks.iter().filter(|(own, _)| **own != session);
        let taken = |own: &BTreeSet<String>| games.iter().flatten().any(|game| own.contains(game));
        self.locked > now || others.any(|(_, own)| taken(own))
    }
}

/// A server's connection path to the database.
pub struct Way {
    pub cluster: Arc<Cluster>,
    pub server: usize,
}

impl Way {
    /// How long a message takes in one direction.
    fn delay(&self) -> Micros {
        let world = &self.cluster.world;
        let silent = self.cluster.state().silent.get(&self.server).copied().unwrap_or(0);
        silent.saturating_sub(world.now()) + world.between(100, 900)
    }

    /// Sends a request and returns its answer; none if either is lost on the way.
    async fn ask<T: Send + 'static>(
        &self,
        act: impl FnOnce(oneshot::Sender<T>, Way) + Send + 'static,
    ) -> Option<T> {
        let (tell, told) = oneshot::channel();
        let way = Way { cluster: Arc::clone(&self.cluster), server: self.server };
        self.cluster.world.after(self.delay(), self.server, move || act(tell, way));
        told.await.ok()
    }

    fn answer<T: Send + 'static>(&self, tell: oneshot::Sender<T>, answer: T) {
        let delay = self.delay();
        self.cluster.world.after(delay, self.server, move || drop(tell.send(answer)));
    }
}

impl Database for Way {
    fn connect(&self) -> Answer<'_, Arc<dyn Session>> {
        Box::pin(async move {
            let connected = self.ask(|tell, way| connect(way, tell)).await;
            let refused = Fault::Away("connection refused".into());
            connected.ok_or_else(|| refused.clone())?.map(|own| own as Arc<dyn Session>)
        })
    }
}

type Connected = Result<Arc<Connection>, Fault>;

fn connect(way: Way, tell: oneshot::Sender<Connected>) {
    let now = way.cluster.world.now();
    let (down, hangs, crowded) = {
        let state = way.cluster.state();
        (state.down, state.hangs, state.crowded > now)
    };
    if hangs > now {
        let world = Arc::clone(&way.cluster.world);
        return world.at(hangs, way.server, move || connect(way, tell));
    }
    if down || crowded {
        let reason = if down { "connection refused" } else { "sorry, too many clients already" };
        return way.answer(tell, Err(Fault::Away(reason.into())));
    }
    let (number, life) = {
        let mut state = way.cluster.state();
        state.sessions += 1;
        (state.sessions, state.life)
    };
    let cluster = Arc::clone(&way.cluster);
    let own = Way { cluster, server: way.server };
    let connection = Connection { way: own, number, life, inside: Mutex::default() };
    way.answer(tell, Ok(Arc::new(connection)));
}

/// A session of a server.
struct Connection {
    way: Way,
    number: u64,
    life: u64,
    /// Since when the open transaction, if any, has been idle.
    inside: Mutex<Option<Micros>>,
}

impl Drop for Connection {
    fn drop(&mut self) {
        let mut state = self.way.cluster.state();
        state.locks.remove(&self.number);
        state.left.insert(self.number);
    }
}

impl Connection {
    fn lost() -> Fault {
        Fault::Lost("connection closed".into())
    }
}

/// A statement being executed.
struct Asked {
    way: Way,
    session: u64,
    life: u64,
    inside: bool,
    sql: &'static str,
    params: Vec<Param>,
    since: Micros,
    tell: oneshot::Sender<Result<Cells, Fault>>,
}

impl Asked {
    fn again(self, at: Micros) {
        let world = Arc::clone(&self.way.cluster.world);
        world.at(at, self.way.server, move || self.execute());
    }

    fn execute(self) {
        let cluster = Arc::clone(&self.way.cluster);
        let now = cluster.world.now();
        let mut state = cluster.state();
        // Dropping the sender signals to the server that its connection is lost.
        if state.down || state.life != self.life {
            return;
        }
        let (until, slow) = state.slow;
        let wait = match (state.hangs > now, until > now && now < self.since + slow) {
            (true, _) => Some(state.hangs),
            (_, true) => Some(self.since + slow),
            _ => None,
        };
        if let Some(at) = wait {
            drop(state);
            return self.again(at);
        }
        if state.is_locked(now, self.session, self.sql, &self.params) {
            drop(state);
            if now >= self.since + LOCK_TIMEOUT {
                let text = "canceling statement due to lock timeout";
                let fault = Fault::Refused(SqlState::LOCK_NOT_AVAILABLE, text.into());
                return self.way.answer(self.tell, Err(fault));
            }
            return self.again(now + 10 * MS);
        }
        let clock = cluster.world.millis() + state.wrong;
        let done = match state.refusal(now, self.sql) {
            Some(fault) => Err(fault),
            None if self.inside => {
                if let (APPEND, Some(Param::Texts(games))) = (self.sql, self.params.first()) {
                    let games = games.iter().flatten().cloned().collect();
                    if !state.left.contains(&self.session) {
                        state.locks.insert(self.session, games);
                    }
                }
                state.tables.clone().execute(self.sql, &self.params, clock)
            }
            None => state.tables.execute(self.sql, &self.params, clock),
        };
        if done.is_ok() && !self.inside && writes(self.sql) {
            let (sql, params) = (self.sql, self.params.clone());
            state.log.push(Logged { time: now, sql, params, clock });
        }
        drop(state);
        let (server, said) = (self.way.server, name(self.sql));
        match &done {
            Ok(rows) if writes(self.sql) => {
                let first = rows.first().map(|row| &row.0);
                note!(cluster.world, "{server} {said}: {} {first:?}", rows.len());
            }
            Ok(_) => {}
            Err(fault) => note!(cluster.world, "{server} {said}: {}", fault.clone().reason()),
        }
        // The answer is lost, too, if the connection is cut on the way back.
        let (delay, life, tell) = (self.way.delay(), self.life, self.tell);
        let other = Arc::clone(&cluster);
        cluster.world.after(delay, server, move || {
            if other.state().life == life {
                let _ = tell.send(done);
            }
        });
    }
}

impl Session for Connection {
    fn is_closed(&self) -> bool {
        self.life != self.way.cluster.state().life
    }

    fn query<'a>(&'a self, sql: &'static str, values: Values<'a>) -> Answer<'a, Cells> {
        let params = params(sql, values);
        Box::pin(async move {
            let (session, life) = (self.number, self.life);
            let inside = lock(&self.inside).is_some();
            let answer = self.way.ask(move |tell, way| {
                let since = way.cluster.world.now();
                Asked { way, session, life, inside, sql, params, since, tell }.execute();
            });
            answer.await.unwrap_or_else(|| Err(Connection::lost()))
        })
    }

    fn batch<'a>(&'a self, sql: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            let (number, life, sql) = (self.number, self.life, sql.to_owned());
            *lock(&self.inside) = (sql == "BEGIN").then(|| self.way.cluster.world.now());
            let answer = self.way.ask(move |tell: oneshot::Sender<()>, way| {
                let mut state = way.cluster.state();
                if state.down || state.life != life {
                    return;
                }
                match sql.as_str() {
                    "ROLLBACK" => drop(state.locks.remove(&number)),
                    "BEGIN" => {
                        // An idle transaction times out.
                        let cluster = Arc::clone(&way.cluster);
                        way.cluster.world.after(IDLE_IN_TRANSACTION, way.server, move || {
                            cluster.state().locks.remove(&number);
                        });
                    }
                    all if !state.tables.made && all.contains("CREATE TABLE") => {
                        state.tables.make()
                    }
                    _ => {}
                }
                drop(state);
                way.answer(tell, ());
            });
            answer.await.ok_or_else(Connection::lost)
        })
    }
}
