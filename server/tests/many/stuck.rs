//! A database that answers queries but accepts no appends, or does not answer at all.

use super::shared::{person, servers_on};
use crate::common::services::{Place, Postgres, postgres, url};
use crate::common::wires::Wire;
use crate::common::{Local, Made, within};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Each player's time for the whole game, in seconds: less than the trouble lasts.
const CLOCK: u32 = 8;

/// For how many seconds nothing can be appended.
const TROUBLE: u64 = 17;

/// The clock for failures that are each too short to be noticed by missing heartbeats, but together longer than this.
const SHORT_CLOCK: u32 = 13;
const SHORT_TROUBLE: Duration = Duration::from_millis(4_500);
const SHORT_TROUBLES: u32 = 3;

/// How many milliseconds a player may lose, until one server notices and others learn of it.
const UNNOTICED: i64 = 4_000;

/// A game in which the first player's clock is running.
pub async fn running(local: &Local, seconds: u32) -> Made {
    let clock = json!({ "kind": "time", "seconds": seconds });
    let wanted = json!({ "game": "gekitai", "seats": [person(), person()], "clock": clock });
    let game = local.make(wanted).await;
    local.play(&game, 1, "c4").await.ok();
    local.play(&game, 2, "d4").await.ok();
    game
}

/// Retries a turn until it is stored, or returns the reason of a final refusal.
async fn insist(local: &Local, game: &Made) -> Result<(), String> {
    let began = Instant::now();
    loop {
        let answer = local.play(game, 1, "a1").await;
        if answer.status == 200 {
            return Ok(());
        }
        if answer.status != 503 || began.elapsed() > Duration::from_secs(40) {
            return Err(answer.text);
        }
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
}

/// Whether the server reports that nothing can be stored.
async fn says_so(local: &Local) -> bool {
    local.get("/api/health").await.ok()["store"] == "away"
}

/// Compares the clock of the first player, who began with `seconds`, with the time spent without the trouble.
pub async fn compare(local: &Local, game: &Made, seconds: u32, spent: Duration) {
    let least = 1_000 * i64::from(seconds) - spent.as_millis() as i64 - UNNOTICED;
    // A server that only learns about the pause does so with its next heartbeat.
    within(async {
        loop {
            let shown = local.show(game).await;
            assert_eq!(shown["result"], Value::Null, "{shown}");
            if shown["clocks"]["left"][0].as_i64().unwrap() >= least {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_table_takes_nobodys_time() {
    let postgres = postgres();
    let database = postgres.database();
    let local = servers_on(&postgres.url(&database), &[0, 0], |_| {}).await;
    let began = Instant::now();
    let game = running(&local[0], CLOCK).await;
    let (port, name) = (postgres.port, database.clone());
    let lock = std::thread::spawn(move || {
        let sql = format!("LOCK TABLE events IN EXCLUSIVE MODE; SELECT pg_sleep({TROUBLE})");
        let mut psql = Command::new("psql");
        psql.args(["-h", "127.0.0.1", "-U", "quadrille", "-p", &port.to_string()]);
        psql.args(["-At", "-d", &name, "-c", &format!("BEGIN; {sql}; COMMIT")]).output().unwrap()
    });
    let held = "SELECT count(*) FROM pg_locks WHERE mode = 'ExclusiveLock' AND granted
        AND relation = 'events'::regclass";
    while postgres.ask(&database, held) != ["1"] {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let watched = async {
        let mut said = [false; 2];
        while !lock.is_finished() {
            for (said, local) in said.iter_mut().zip(&local) {
                *said |= says_so(local).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        said
    };
    let (stored, said) = tokio::join!(insist(&local[0], &game), watched);
    stored.unwrap();
    assert_eq!(said, [true; 2], "everybody knows that nothing can be stored");
    let spent = began.elapsed() - Duration::from_secs(TROUBLE);
    for local in &local {
        compare(local, &game, CLOCK, spent).await;
        within(async {
            while says_so(local).await {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        })
        .await;
    }
}

/// Waits until the server reports that moves can, or cannot, be stored.
pub async fn until_ready(local: &Local, ready: bool) {
    let began = Instant::now();
    within(async {
        while (local.get("/api/ready").await.status == 200) != ready {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    })
    .await;
    println!("ready: {ready} after {:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_locked_table_is_noticed_before_anybody_moves() {
    let postgres = postgres();
    let database = postgres.database();
    let local = servers_on(&postgres.url(&database), &[0, 0], |_| {}).await;
    for local in &local {
        until_ready(local, true).await;
    }
    let (port, name) = (postgres.port, database.clone());
    let lock = std::thread::spawn(move || {
        let sql = "BEGIN; LOCK TABLE events IN EXCLUSIVE MODE; SELECT pg_sleep(8); COMMIT";
        let mut psql = Command::new("psql");
        psql.args(["-h", "127.0.0.1", "-U", "quadrille", "-p", &port.to_string()]);
        psql.args(["-At", "-d", &name, "-c", sql]).output().unwrap()
    });
    for local in &local {
        until_ready(local, false).await;
        assert!(!lock.is_finished(), "while it is locked");
        let reason = local.get("/api/ready").await.refused(503);
        assert!(reason.starts_with("no move can be stored: "), "{reason}");
    }
    let locked = tokio::task::spawn_blocking(move || lock.join().unwrap()).await.unwrap();
    assert!(locked.status.success(), "{}", String::from_utf8_lossy(&locked.stderr));
    for local in &local {
        until_ready(local, true).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_alone_cannot_reach_the_database_is_not_ready() {
    let postgres = postgres();
    let database = postgres.database();
    let wire = Wire::new(postgres.port);
    let cut_off = servers_on(&url(wire.port, &database), &[0], |_| {}).await.remove(0);
    let other = servers_on(&postgres.url(&database), &[0], |_| {}).await.remove(0);
    for local in [&cut_off, &other] {
        until_ready(local, true).await;
    }
    wire.cut();
    until_ready(&cut_off, false).await;
    assert_eq!(other.get("/api/ready").await.status, 200, "the others are");
    assert_eq!(cut_off.get("/api/health").await.status, 200, "a restart would not help");
    wire.mend();
    until_ready(&cut_off, true).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_under_a_file_is_noticed_before_anybody_moves() {
    let Some(disk) = own_disk() else { return };
    let data = disk.path().join("games.db");
    let local = Local::with(|config| config.data = data).await;
    let game = local.people("gekitai").await;
    until_ready(&local, true).await;
    let filler = tokio::task::block_in_place(|| disk.fill());
    until_ready(&local, false).await;
    std::fs::remove_file(filler).unwrap();
    until_ready(&local, true).await;
    local.play(&game, 1, "c4").await.ok();
    drop(local);
}

/// A database that can be told to refuse all events.
pub struct Breakable<'a>(&'a Postgres, &'a str);

impl Breakable<'_> {
    pub fn new<'a>(postgres: &'a Postgres, database: &'a str) -> Breakable<'a> {
        postgres.ask(
            database,
            "CREATE TABLE disk (is_full BOOLEAN); INSERT INTO disk VALUES (false);
             CREATE FUNCTION look() RETURNS TRIGGER AS $$ BEGIN
                 IF (SELECT is_full FROM disk) THEN
                     RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full';
                 END IF;
                 RETURN NULL;
             END $$ LANGUAGE plpgsql;
             CREATE TRIGGER look BEFORE INSERT ON events FOR EACH STATEMENT EXECUTE FUNCTION look()",
        );
        Breakable(postgres, database)
    }

    fn set_full(&self, full: bool) {
        self.0.ask(self.1, &format!("UPDATE disk SET is_full = {full}"));
    }

    /// Makes the database refuse events while clients try to store some, then waits until all servers have recovered.
    pub async fn break_for(&self, time: Duration, local: &[Local]) {
        self.set_full(true);
        let full = Instant::now();
        while full.elapsed() < time {
            let wanted = json!({ "game": "gekitai", "seats": [person(), person()] });
            local[0].post("/api/games", wanted).await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.set_full(false);
        within(async {
            for local in local {
                while says_so(local).await {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        })
        .await;
    }
}

/// A small disk for a database; mounting it requires root.
struct Disk(Place);

impl Disk {
    fn new() -> Option<Disk> {
        let place = Place::new("disk");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=16m,uid=65534,gid=65534", "tmpfs"]).arg(&place.0);
        mount.status().is_ok_and(|done| done.success()).then_some(Disk(place))
    }

    fn path(&self) -> &Path {
        &self.0.0
    }

    /// Fills the disk.
    fn fill(&self) -> PathBuf {
        let filler = self.path().join("filler");
        let mut dd = Command::new("dd");
        let of = format!("of={}", filler.display());
        dd.args(["if=/dev/zero", &of, "bs=4k"]).stderr(std::process::Stdio::null());
        assert!(!dd.status().unwrap().success(), "until the disk is full");
        filler
    }
}

/// None if the user has opted out of this test.
fn own_disk() -> Option<Disk> {
    let disk = Disk::new();
    assert!(
        disk.is_some() || std::env::var_os("QUADRILLE_UNPRIVILEGED").is_some(),
        "a disk of its own needs root: run as root, or set QUADRILLE_UNPRIVILEGED=1 to leave this out"
    );
    disk
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["-l"]).arg(self.path()).status();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_disk_takes_nobodys_time() {
    let Some(disk) = own_disk() else { return };
    let postgres = tokio::task::block_in_place(Postgres::start);
    let made = format!("CREATE TABLESPACE small LOCATION '{}'", disk.path().display());
    postgres.ask("postgres", &made);
    postgres.ask("postgres", "CREATE DATABASE games TABLESPACE small STRATEGY file_copy");
    let local = servers_on(&postgres.url("games"), &[0, 0], |_| {}).await;
    let began = Instant::now();
    let mut games = Vec::new();
    for _ in 0..3 {
        games.push(running(&local[0], CLOCK).await);
    }
    let other = local[0].people("gekitai").await;
    let filler = tokio::task::block_in_place(|| disk.fill());
    // Other games use up the free space inside the tables' pages.
    while local[0]
        .post("/api/games", json!({ "game": "gekitai", "seats": [person(), person()] }))
        .await
        .status
        == 201
    {}
    // Where there is no space for a new game, there may still be some for a short event.
    let offers = [(1, "offer-draw"), (2, "decline")];
    for (seat, what) in offers.into_iter().cycle() {
        let answer = local[0].command(&other, seat, json!({ "type": what })).await;
        if answer.status != 200 {
            assert_eq!(answer.status, 503, "{}", answer.text);
            break;
        }
    }
    let freed = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(TROUBLE)).await;
        std::fs::remove_file(filler).unwrap();
    });
    let insisted = futures_util::future::join_all(games.iter().map(|game| insist(&local[0], game)));
    let watched = async {
        let mut said = [false; 2];
        while !freed.is_finished() {
            for (said, local) in said.iter_mut().zip(&local) {
                *said |= says_so(local).await;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        said
    };
    let (stored, said) = tokio::join!(insisted, watched);
    let pauses = postgres.ask("games", "SELECT since, until FROM pauses");
    assert!(stored.iter().all(Result::is_ok), "{stored:?}, pauses {pauses:?}");
    assert_eq!(said, [true; 2], "everybody knows that nothing can be stored");
    let spent = began.elapsed() - Duration::from_secs(TROUBLE);
    for game in &games {
        compare(&local[1], game, CLOCK, spent).await;
    }
    local.into_iter().for_each(drop);
    drop(postgres);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn failures_that_come_and_go_take_nobodys_time() {
    let postgres = postgres();
    let database = postgres.database();
    let local = servers_on(&postgres.url(&database), &[0, 0], |_| {}).await;
    let disk = Breakable::new(postgres, &database);
    let began = Instant::now();
    let game = running(&local[0], SHORT_CLOCK).await;
    for _ in 0..SHORT_TROUBLES {
        disk.break_for(SHORT_TROUBLE, &local).await;
    }
    insist(&local[1], &game).await.unwrap();
    let spent = began.elapsed() - SHORT_TROUBLES * SHORT_TROUBLE;
    for local in &local {
        compare(local, &game, SHORT_CLOCK, spent).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_noticed_the_trouble_late_gives_back_the_time_since_the_first_one_did() {
    let postgres = postgres();
    let database = postgres.database();
    let mut local = servers_on(&postgres.url(&database), &[0, 0], |_| {}).await;
    let disk = Breakable::new(postgres, &database);
    let game = running(&local[1], CLOCK).await;
    disk.set_full(true);
    let full = Instant::now();
    // The second server has nothing to store, so it notices only with a probe.
    let wanted = json!({ "game": "gekitai", "seats": [person(), person()] });
    assert_eq!(local[0].post("/api/games", wanted).await.status, 503);
    within(async {
        while !says_so(&local[1]).await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    println!("noticed by the second server after {:?}", full.elapsed());
    drop(local.remove(0));
    // What it has noticed counts for everybody once it has suspended the heartbeats; the first time may be the other's.
    let suspended = || postgres.ask(&database, "SELECT at FROM heartbeat WHERE id = 2");
    for _ in 0..2 {
        let before = suspended();
        within(async {
            while suspended() == before {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }
    disk.set_full(false);
    let trouble = full.elapsed();
    insist(&local[0], &game).await.unwrap();
    let left = local[0].show(&game).await["clocks"]["left"][0].as_i64().unwrap();
    let lost = 1_000 * i64::from(CLOCK) - left;
    assert!(lost < 1_500, "{lost} ms of a trouble of {trouble:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_clock_that_was_told_before_the_database_went_away_is_told_the_same_afterwards() {
    let postgres = postgres();
    let database = postgres.database();
    let wire = Wire::new(postgres.port);
    let local = servers_on(&url(wire.port, &database), &[0], |_| {}).await.remove(0);
    let game = running(&local, 60).await;
    // Between two heartbeats.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let told = local.play(&game, 1, "a1").await.ok();
    wire.cut();
    tokio::time::sleep(Duration::from_secs(6)).await;
    wire.mend();
    let again = async || local.play(&game, 2, "f6").await.status;
    within(async { while again().await != 200 {} }).await;
    let events = local.events(&game).await;
    let stored = events.iter().find(|event| event["seq"] == told["seq"]).unwrap();
    assert_eq!(stored["clocks"], told["event"]["clocks"]);
    let pause = postgres.ask(&database, "SELECT max(until - since) FROM pauses");
    assert!(pause[0].parse::<i64>().unwrap() > 5_000, "{pause:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_do_not_queue_behind_a_database_that_does_not_answer() {
    let postgres = postgres();
    let database = postgres.database();
    let wire = Wire::new(postgres.port);
    let local = servers_on(&url(wire.port, &database), &[0], |_| {}).await.remove(0);
    let game = local.people("gekitai").await;
    local.show(&game).await;
    wire.cut();
    let began = Instant::now();
    let path = format!("/api/games/{}", game.id);
    let asked = (0..40).map(|_| async {
        let answer = local.get(&path).await;
        assert_eq!(answer.status, 503, "{}", answer.text);
        began.elapsed()
    });
    let mut waited = futures_util::future::join_all(asked).await;
    waited.sort();
    let (first, last) = (waited[0], waited[39]);
    println!("40 readers of a silent database: the first after {first:?}, the last after {last:?}");
    assert!(last < first * 2, "the first after {first:?}, the last after {last:?}");
    wire.mend();
    within(async {
        while local.get(&path).await.status != 200 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    })
    .await;
}
