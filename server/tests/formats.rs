//! Store files: old, newer, foreign and linked ones, and their permissions.

use crate::common::{Folder, Local, Made};
use rusqlite::Connection;
use serde_json::{Value, json};
use server::{Config, Server};
use std::path::Path;

/// A database with this in it.
fn database(path: &Path, sql: &str) -> Connection {
    let database = Connection::open(path).unwrap();
    database.execute_batch(sql).unwrap();
    database
}

fn number(database: &Connection, sql: &str) -> i64 {
    database.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// The error when a file cannot be opened.
async fn refused(config: &Config) -> String {
    let line = Server::open(config).await.err().expect("it is refused").to_string();
    assert!(line.contains(&format!("`{}`", config.data.display())), "{line}");
    assert!(!line.contains('\n'), "{line}");
    line
}

/// Everything that was sent before must be sent again; there may be additional fields.
fn assert_told(told: &Value, before: &Value) {
    for (name, value) in before.as_object().unwrap() {
        assert_eq!(&told[name], value, "{name} of {told}");
    }
}

#[tokio::test]
async fn a_file_of_version_0_1_is_opened_and_its_games_go_on() {
    let (sql, told) = (include_str!("files/games-0.1.sql"), include_str!("files/games-0.1.ndjson"));
    open_older(sql, told).await;
}

#[tokio::test]
async fn a_file_of_version_0_2_is_opened_and_its_games_go_on() {
    let (sql, told) = (include_str!("files/games-0.2.sql"), include_str!("files/games-0.2.ndjson"));
    open_older(sql, told).await;
}

/// Opens a file of an older version, given what that version sent about its games as JSON lines.
async fn open_older(sql: &str, told: &str) {
    let folder = Folder::new();
    let path = folder.0.join("games.db");
    drop(database(&path, sql));
    let mut local = Local { server: Server::open(&folder.config()).await.unwrap(), folder };
    for _ in 0..2 {
        for line in told.lines() {
            let told: Value = serde_json::from_str(line).unwrap();
            let tokens = [0, 1].map(|i| told["tokens"][i].as_str().unwrap_or_default().to_owned());
            let game = Made { id: told["id"].as_str().unwrap().to_owned(), tokens };
            let (events, before) = (local.events(&game).await, told["events"].as_array().unwrap());
            assert_eq!(events.len(), before.len());
            events.iter().zip(before).for_each(|(event, before)| assert_told(event, before));
            let path = format!("/api/games/{}", game.id);
            let token = game.tokens.iter().find(|token| !token.is_empty()).unwrap();
            let shown = local.get_as(token, &path).await.ok();
            assert_told(&shown, &told["shown"]);
            let clocks = &shown["clocks"];
            // The time left when the old server was killed, long ago.
            let left = before.last().unwrap()["clocks"]["left"].clone();
            for (i, left) in left.as_array().into_iter().flatten().enumerate() {
                let lost = left.as_i64().unwrap() - clocks["left"][i].as_i64().unwrap();
                assert!(
                    (0..30_000).contains(&lost),
                    "{game:?}: {clocks}, not {left}",
                    game = game.id
                );
            }
        }
        local = local.restart().await;
    }
    for line in told.lines() {
        let told: Value = serde_json::from_str(line).unwrap();
        let tokens = [0, 1].map(|i| told["tokens"][i].as_str().unwrap_or_default().to_owned());
        let id = told["id"].as_str().unwrap().to_owned();
        let seat = if tokens[0].is_empty() { 2 } else { 1 };
        let kind = if told["shown"]["result"].is_null() { "resign" } else { "rematch" };
        let action = json!({ "type": kind, "seat": seat });
        let status = local.command(&Made { id, tokens }, seat, action).await.status;
        let again = kind == "rematch" && !told["shown"]["rematch"].is_null();
        assert_eq!(status.as_u16(), if again { 409 } else { 200 }, "{kind} in {}", told["name"]);
    }
    let database = Connection::open(&path).unwrap();
    assert_eq!(number(&database, "PRAGMA user_version"), 2);
    assert_eq!(number(&database, "PRAGMA application_id"), 0x5175_6164);
}

#[tokio::test]
async fn what_is_no_file_of_games_is_refused_in_one_line_and_left_alone() {
    let folder = Folder::new();
    let ours = "PRAGMA application_id = 1366647140;";
    let files = [
        (
            "foreign",
            "CREATE TABLE events (id INTEGER); PRAGMA user_version = 3;",
            "another program",
        ),
        ("tables", "CREATE TABLE kv (k, v);", "it has a table `kv`"),
        ("columns", "CREATE TABLE running (game, player);", "it has a table `running`"),
        ("marked", "PRAGMA application_id = 7;", "application id 7"),
        (
            "newer",
            &format!("{ours} PRAGMA user_version = 3;"),
            "has format 3, but this version knows formats 1 to 2",
        ),
        ("negative", &format!("{ours} PRAGMA user_version = -1;"), "has format -1"),
    ];
    for (name, sql, reason) in files {
        let config = Config { data: folder.0.join(name), ..folder.config() };
        drop(database(&config.data, sql));
        let before = std::fs::read(&config.data).unwrap();
        let line = refused(&config).await;
        assert!(line.contains(reason), "{line}");
        assert_eq!(std::fs::read(&config.data).unwrap(), before, "{name}");
    }
    let config = Config { data: folder.0.join("text"), ..folder.config() };
    std::fs::write(&config.data, "this is no database, but it is long enough".repeat(99)).unwrap();
    assert!(refused(&config).await.contains("neither a file of games nor any SQLite database"));
}

#[tokio::test]
async fn an_empty_file_and_one_whose_making_was_cut_short_are_finished() {
    let half = "CREATE TABLE running (game TEXT NOT NULL PRIMARY KEY);
        CREATE TABLE tokens (game TEXT NOT NULL, seat SMALLINT NOT NULL, hash TEXT NOT NULL,
        PRIMARY KEY (game, seat));";
    for sql in ["", "VACUUM", half] {
        let folder = Folder::new();
        drop(database(&folder.0.join("games.db"), sql));
        let local = Local { server: Server::open(&folder.config()).await.unwrap(), folder };
        let game = local.people("gekitai").await;
        local.play(&game, 1, "c4").await.ok();
    }
}

#[tokio::test]
async fn a_file_is_opened_by_one_server_at_a_time_whatever_it_is_called() {
    let local = Local::new().await;
    let file = local.folder.0.join("games.db");
    let folder = Folder::new();
    let mut names = vec![file.clone(), local.folder.0.join(".").join("games.db")];
    #[cfg(unix)]
    {
        let (symbolic, hard) = (folder.0.join("symbolic.db"), folder.0.join("hard.db"));
        std::os::unix::fs::symlink(&file, &symbolic).unwrap();
        std::fs::hard_link(&file, &hard).unwrap();
        names.extend([symbolic, hard]);
    }
    for data in names {
        let line = refused(&Config { data, ..folder.config() }).await;
        assert!(line.starts_with("another server has"), "{line}");
    }
    let game = local.people("gekitai").await;
    let local = local.restart().await;
    assert_eq!(local.show(&game).await["seq"], 1);
}

#[cfg(unix)]
#[tokio::test]
async fn nobody_else_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let rights = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let local = Local::new().await;
    local.people("gekitai").await;
    for end in ["", "-wal", "-shm", ".lock"] {
        let path = local.folder.0.join(format!("games.db{end}"));
        assert_eq!(rights(&path), 0o600, "{end}");
    }
    // Permissions of a file of version 0.1 are tightened when it is upgraded, but later changes by the host are
    // respected.
    let folder = Folder::new();
    let path = folder.0.join("games.db");
    drop(database(&path, include_str!("files/games-0.1.sql")));
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let local = Local { server: Server::open(&folder.config()).await.unwrap(), folder };
    assert_eq!(rights(&path), 0o640);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    let _local = local.restart().await;
    assert_eq!(rights(&path), 0o644);
}

#[tokio::test]
async fn a_start_with_many_running_clocks_reads_no_game_and_writes_into_none() {
    let local = Local::new().await;
    let clock = json!({ "kind": "time", "seconds": 300 });
    let person = json!({ "kind": "person" });
    let wanted = json!({ "game": "gekitai", "seats": [person, person], "clock": clock });
    let mut games = Vec::new();
    for _ in 0..50 {
        let game = local.make(wanted.clone()).await;
        local.play(&game, 1, "c4").await.ok();
        games.push(game);
    }
    let local = local.restart().await;
    let live = &local.server.hall().metrics.live_games;
    assert_eq!(live.load(std::sync::atomic::Ordering::Relaxed), 0);
    let database = Connection::open(local.folder.0.join("games.db")).unwrap();
    assert_eq!(number(&database, "SELECT count(*) FROM events"), 100);
    assert_eq!(number(&database, "SELECT count(*) FROM running WHERE deadline > at"), 50);
    assert_eq!(number(&database, "SELECT count(*) FROM pauses"), 1);
    local.play(&games[0], 2, "d3").await.ok();
}
