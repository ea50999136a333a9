//! A player who remembers what was acknowledged.

use crate::wire::Line;
use engine::playouts::random_turn;
use rules::random::Random;
use rusqlite::Connection;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often something is tried again before a server counts as broken.
const TRIES: usize = 600;

/// What the server said about a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It has this number.
    Stored(u64),
    /// Nothing was stored.
    Refused,
    /// That is unknown.
    Open,
}

/// A game, and what its players were told.
pub struct Game {
    id: String,
    tokens: [String; 2],
    told: BTreeMap<u64, Value>,
    commands: HashMap<String, Fate>,
}

/// All that was said by the servers on one store.
#[derive(Default)]
pub struct Known {
    pub games: Vec<Game>,
    /// Games that were certainly made, and those that may have been.
    pub made: usize,
    pub perhaps: usize,
    pub refusals: usize,
    pub unknown: usize,
}

impl Known {
    pub fn add(&mut self, other: Known) {
        self.games.extend(other.games);
        self.made += other.made;
        self.perhaps += other.perhaps;
        self.refusals += other.refusals;
        self.unknown += other.unknown;
    }

    /// Compares with what a server without faults reads, and with the file.
    pub fn check(&self, address: &str, file: &Path) {
        let mut line = Line::open(address).unwrap();
        for game in &self.games {
            game.check(&mut line);
        }
        let database = Connection::open(file).unwrap();
        let whole: String =
            database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(whole, "ok");
        self.games.iter().for_each(|game| game.check_commands(&database));
        let count = "SELECT count(DISTINCT game) FROM events";
        let stored: usize =
            database.query_row(count, [], |row| row.get::<_, i64>(0)).unwrap() as usize;
        let most = self.made + self.perhaps;
        assert!((self.made..=most).contains(&stored), "{stored} games, {} to {most}", self.made);
    }
}

impl Game {
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Every event that was reported is there, unchanged.
    fn check(&self, line: &mut Line) {
        let path = format!("/api/games/{}/events", self.id);
        let (status, body) = line.ask("GET", &path, "", "").unwrap();
        assert_eq!(status, 200, "{body}");
        let events: Vec<Value> = body.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
        for (number, event) in (1_u64..).zip(&events) {
            assert_eq!(event["seq"], number);
        }
        for (seq, told) in &self.told {
            assert_eq!(events.get(*seq as usize - 1), Some(told), "game {}", self.id);
        }
    }

    /// Every command is there as often as it was said to be.
    fn check_commands(&self, database: &Connection) {
        let find = "SELECT command, seq FROM events WHERE game = ?1 AND command IS NOT NULL";
        let mut statement = database.prepare(find).unwrap();
        let rows = statement.query_map([&self.id], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        let mut stored: HashMap<String, Vec<i64>> = HashMap::new();
        for (command, seq) in rows.map(|row: rusqlite::Result<(String, i64)>| row.unwrap()) {
            stored.entry(command).or_default().push(seq);
        }
        for (command, fate) in &self.commands {
            let seqs = stored.remove(command).unwrap_or_default();
            let kept = match fate {
                Fate::Stored(seq) => seqs == [*seq as i64],
                Fate::Refused => seqs.is_empty(),
                Fate::Open => seqs.len() <= 1,
            };
            assert!(kept, "command {command} of game {} was {fate:?}, and is {seqs:?}", self.id);
        }
        assert!(stored.is_empty(), "commands that nobody gave: {stored:?}");
    }
}

/// A player at a connection, whose methods return `None` once the player has left.
pub struct Client<'a> {
    line: Line,
    dice: Random,
    commands: usize,
    /// Set when one player leaves; then all do. Without it, players stay.
    leaving: Option<&'a AtomicBool>,
    /// One in this many refusals makes the player leave.
    patience: usize,
    pub known: Known,
}

impl<'a> Client<'a> {
    pub fn new(address: &str, seed: u64, leaving: Option<&'a AtomicBool>) -> Client<'a> {
        let line = Line::open(address).unwrap();
        Client {
            line,
            dice: Random::new(seed),
            commands: 0,
            leaving,
            patience: 4,
            known: Known::default(),
        }
    }

    /// A player who leaves at the first refusal.
    pub fn who_may_leave(self, leaving: &'a AtomicBool) -> Client<'a> {
        Client { leaving: Some(leaving), patience: 1, ..self }
    }

    fn ask(&mut self, method: &str, path: &str, token: &str, body: &str) -> (u16, String) {
        self.line.ask(method, path, token, body).expect("the server is there")
    }

    /// Asks until the server is able to answer: it may refuse for a while, but not forever. Some players leave when
    /// they are refused.
    fn insist(&mut self, mut ask: impl FnMut(&mut Client<'a>) -> (u16, String)) -> Option<Value> {
        for _ in 0..TRIES {
            if self.leaving.is_some_and(|leaving| leaving.load(Ordering::SeqCst)) {
                return None;
            }
            let (status, body) = ask(self);
            match status {
                200 | 201 => return Some(serde_json::from_str(&body).unwrap()),
                503 => self.known.refusals += 1,
                _ => panic!("{status} {body}"),
            }
            if let Some(leaving) = self.leaving
                && self.dice.below(self.patience) == 0
            {
                leaving.store(true, Ordering::SeqCst);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        panic!("the server does not recover");
    }

    pub fn make(&mut self, wanted: &Value) -> Option<usize> {
        let wanted = wanted.to_string();
        let made = self.insist(|client| {
            let (status, body) = client.ask("POST", "/api/games", "", &wanted);
            let open = status == 503 && !body.contains("nothing was stored");
            client.known.perhaps += usize::from(open);
            client.known.unknown += usize::from(open);
            (status, body)
        })?;
        let tokens = [0, 1].map(|i| made["tokens"][i].as_str().unwrap().to_owned());
        Some(self.keep(made["id"].as_str().unwrap(), tokens))
    }

    fn keep(&mut self, id: &str, tokens: [String; 2]) -> usize {
        let (told, commands) = (BTreeMap::new(), HashMap::new());
        self.known.games.push(Game { id: id.to_owned(), tokens, told, commands });
        self.known.made += 1;
        self.known.games.len() - 1
    }

    /// Sends a command until it is acknowledged. One that was certainly refused is sent again under the same name, or
    /// replaced by one with another name, which must not find the first one executed.
    pub fn command(&mut self, game: usize, seat: usize, mut action: Value) -> Option<Value> {
        let path = format!("/api/games/{}/commands", self.known.games[game].id);
        let token = self.known.games[game].tokens[seat - 1].clone();
        action["command"] = self.name().into();
        let answer = self.insist(|client| {
            let name = action["command"].as_str().unwrap().to_owned();
            let (status, body) = client.ask("POST", &path, &token, &action.to_string());
            let fate = match status {
                200 => Fate::Stored(
                    serde_json::from_str::<Value>(&body).unwrap()["seq"].as_u64().unwrap(),
                ),
                503 if body.contains("nothing was stored") => Fate::Refused,
                _ => Fate::Open,
            };
            client.known.unknown += usize::from(fate == Fate::Open);
            let new_game = fate == Fate::Open && action["type"] == "rematch";
            client.known.perhaps += usize::from(new_game);
            client.known.games[game].commands.insert(name, fate);
            if fate == Fate::Refused && client.dice.below(2) == 0 {
                action["command"] = client.name().into();
            }
            (status, body)
        })?;
        let seq = answer["seq"].as_u64().unwrap();
        let event = answer["event"].clone();
        self.known.games[game].told.insert(seq, event.clone());
        Some(event)
    }

    fn name(&mut self) -> String {
        self.commands += 1;
        format!("c{}", self.commands)
    }

    fn show(&mut self, game: usize) -> Option<Value> {
        let path = format!("/api/games/{}", self.known.games[game].id);
        self.insist(|client| client.ask("GET", &path, "", ""))
    }

    /// Plays a random turn for the player to move.
    pub fn play(&mut self, game: usize) -> Option<()> {
        let shown = self.show(game)?;
        let entry = engine::find(shown["game"].as_str().unwrap()).unwrap();
        let options = shown["options"].as_object().unwrap();
        let mut session = (entry.start)(options).unwrap();
        for turn in shown["turns"].as_array().unwrap() {
            session.play(turn.as_str().unwrap()).unwrap();
        }
        let turn = random_turn(session.as_ref(), &mut self.dice);
        let seat = usize::from(session.turn().number());
        let event = self.command(game, seat, json!({ "type": "move", "turn": turn }))?;
        assert_eq!(event["turn"], turn.as_str());
        Some(())
    }

    /// The game that a rematch made.
    fn next(&mut self, game: usize, event: &Value) -> usize {
        let [one, two] = self.known.games[game].tokens.clone();
        self.keep(event["id"].as_str().unwrap(), [two, one])
    }

    /// Two people with clocks: everything they can do.
    pub fn with_clocks(&mut self) -> Option<()> {
        let clock = json!({ "kind": "time", "seconds": 300, "increment": 3 });
        let seats = json!([{ "kind": "person" }, { "kind": "open" }]);
        let game = self.make(&json!({ "game": "gekitai", "seats": seats, "clock": clock }))?;
        // A client that misses the reply repeats the command with the secret it chose.
        let secret = format!("{:022}", self.dice.next_u64());
        self.command(game, 2, json!({ "type": "join", "name": "Bob", "secret": secret }))?;
        self.known.games[game].tokens[1] = secret;
        (0..4).try_for_each(|_| self.play(game))?;
        self.command(game, 2, json!({ "type": "undo" }))?;
        self.command(game, 1, json!({ "type": "accept" }))?;
        self.play(game)?;
        self.command(game, 1, json!({ "type": "offer-draw" }))?;
        self.command(game, 2, json!({ "type": "decline" }))?;
        self.command(game, 1, json!({ "type": "resign" }))?;
        self.command(game, 1, json!({ "type": "rematch" }))?;
        let made = self.command(game, 2, json!({ "type": "rematch" }))?;
        let next = self.next(game, &made);
        // Its clock keeps running: from now on there are heartbeats.
        self.play(next)
    }

    /// Two people at one screen.
    pub fn shared(&mut self) -> Option<()> {
        let person = json!({ "kind": "person" });
        let wanted = json!({ "game": "six-making", "seats": [person, person], "shared": true });
        let game = self.make(&wanted)?;
        (0..3).try_for_each(|_| self.play(game))?;
        self.command(game, 1, json!({ "type": "undo" }))?;
        self.play(game)?;
        self.command(game, 1, json!({ "type": "resign" }))?;
        let made = self.command(game, 1, json!({ "type": "rematch" }))?;
        let next = self.next(game, &made);
        self.play(next)
    }
}
