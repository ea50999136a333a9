//! Players in the lobby of a simulated server: they register, look for opponents, and play.

use super::clients::{Book, Clients, Habits, Player, address};
use super::world::{MS, lock};
use crate::note;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;

impl Clients {
    /// A player who plays one game after another with whoever is there.
    pub async fn visitor(self: Arc<Self>, habits: Habits, place: usize) {
        let who = address(habits, place);
        let key = format!("pk-{:022}", habits.number * 10 + place);
        let names =
            ["Ann", "Ben", "Cem", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jan", "Kim", "Lea"];
        let name = names[(habits.number * 3 + place) % names.len()];
        let wanted = json!({ "name": name, "key": key }).to_string();
        let id = loop {
            let head = "POST /api/players HTTP/1.1\r\n";
            if let Ok((200 | 201, told)) = self.ask(who, self.anyone(), head, &wanted).await {
                break told["id"].as_str().unwrap_or_default().to_owned();
            }
            self.pause(100 * MS, 900 * MS).await;
        };
        note!(self.world(), "visitor {id} is {name}");
        lock(&self.book).visitors.insert(id.clone());
        loop {
            self.pause(100 * MS, 1_500 * MS).await;
            let Some(game) = self.meet(habits, place, &id, &key).await else { return };
            let Some(seat) = self.seat(habits, place, &game, &key).await else { continue };
            {
                let mut book = lock(&self.book);
                book.met.insert(game.clone());
                let tokens = book.games.entry(game.clone()).or_default();
                tokens[seat] = Some(key.clone());
            }
            let player =
                Player { clients: Arc::clone(&self), id: game, seat, token: key.clone(), habits };
            player.play().await;
        }
    }

    /// Looks for an opponent; none if it is too late to start a game.
    async fn meet(&self, habits: Habits, place: usize, id: &str, key: &str) -> Option<String> {
        let who = address(habits, place);
        let (seconds, increment) = habits.clock.unwrap_or((12, 1));
        let clock = json!({ "kind": "time", "seconds": seconds, "increment": increment });
        let wanted =
            json!({ "game": "gekitai", "clock": clock, "rated": true, "auto": true }).to_string();
        let mut waits = false;
        loop {
            let authorization = format!("authorization: Bearer {key}\r\n");
            if self.world().now() > self.settle {
                let head = format!("DELETE /api/lobby/{id} HTTP/1.1\r\n{authorization}");
                match self.ask(who, self.anyone(), &head, "").await {
                    // An earlier request may have found an opponent, but its answer was lost.
                    Ok((200, _)) => return self.plays(who, key).await,
                    // Somebody was faster, and there is a game already.
                    Ok((409, _)) => waits = true,
                    _ => {
                        self.pause(200 * MS, 900 * MS).await;
                        continue;
                    }
                }
            }
            let told = match waits {
                false => {
                    let head = format!("POST /api/lobby HTTP/1.1\r\n{authorization}");
                    self.ask(who, self.anyone(), &head, &wanted).await
                }
                true => {
                    let head = format!("GET /api/lobby/{id} HTTP/1.1\r\n{authorization}");
                    self.ask(who, self.anyone(), &head, "").await
                }
            };
            match told {
                Ok((200 | 201, told)) => {
                    if let Some(game) = told["game"].as_str() {
                        return Some(game.to_owned());
                    }
                    waits = true;
                }
                // It was removed because this client had been silent for a while.
                Ok((404, _)) => waits = false,
                _ => {}
            }
            self.pause(200 * MS, 900 * MS).await;
        }
    }

    /// The game of a player who is no longer looking for one.
    async fn plays(&self, who: SocketAddr, key: &str) -> Option<String> {
        let head = format!("GET /api/me HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
        loop {
            if let Ok((200, me)) = self.ask(who, self.anyone(), &head, "").await {
                let games = me["games"].as_array()?;
                let open = games.iter().find(|game| game["over"] == false)?;
                return open["id"].as_str().map(str::to_owned);
            }
            self.pause(200 * MS, 900 * MS).await;
        }
    }

    /// Which seat a player has in a game.
    async fn seat(&self, habits: Habits, place: usize, game: &str, key: &str) -> Option<usize> {
        let head = format!("GET /api/games/{game} HTTP/1.1\r\nauthorization: Bearer {key}\r\n");
        let told = self.ask(address(habits, place), self.anyone(), &head, "").await;
        let Ok((200, shown)) = told else { return None };
        let seat = shown["you"][0].as_u64()?;
        Some(seat as usize - 1)
    }
}

/// Invariants of the records after every run: every reserved game exists, nobody is in two live games, nobody is left
/// waiting beside somebody who wants the same, and the ratings follow from the order of the games. `over` says whether
/// a game has ended; none if it does not exist.
pub fn consistent(
    records: &BTreeMap<String, String>,
    over: &dyn Fn(&str) -> Option<bool>,
    book: &Book,
) -> Vec<String> {
    let mut failures = met(records, over, book);
    failures.extend(rated(records));
    failures
}

fn of<'a>(
    records: &'a BTreeMap<String, String>,
    start: &'static str,
) -> impl Iterator<Item = (&'a str, &'a String)> {
    records.iter().filter_map(move |(key, value)| Some((key.strip_prefix(start)?, value)))
}

fn met(
    records: &BTreeMap<String, String>,
    over: &dyn Fn(&str) -> Option<bool>,
    book: &Book,
) -> Vec<String> {
    let mut failures = Vec::new();
    let mut playing: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (id, value) in of(records, "game/") {
        let game: Value = serde_json::from_str(value).unwrap_or_default();
        match over(id) {
            None => failures.push(format!("lobby: game {id} was promised and never made")),
            Some(true) => continue,
            Some(false) => {}
        }
        for player in game["created"]["club"]["players"].as_array().into_iter().flatten() {
            playing.entry(player.as_str().unwrap_or_default().to_owned()).or_default().push(id);
        }
    }
    for (player, games) in &playing {
        if games.len() > 1 {
            failures.push(format!("lobby: {player} is in the games {games:?} at once"));
        }
        if !book.visitors.contains(player) {
            failures.push(format!("lobby: {player} plays and was never registered"));
        }
    }
    let open = |value: &str| {
        let challenge: Value = serde_json::from_str(value).unwrap_or_default();
        challenge["taken"].is_null()
    };
    let waiting: Vec<&str> =
        of(records, "challenge/").filter(|(_, value)| open(value)).map(|(id, _)| id).collect();
    if waiting.len() > 1 {
        failures.push(format!("lobby: {waiting:?} wait, and want the same"));
    }
    failures
}

fn rated(records: &BTreeMap<String, String>) -> Vec<String> {
    let mut failures = Vec::new();
    let order: Vec<_> =
        of(records, "o/").filter_map(|(key, value)| Some((key.split_once('/')?, value))).collect();
    // Games after the cursor are rated a moment later.
    let done = |game: &str, moment: &str| {
        records.get(&format!("c/{game}")).is_some_and(|own| moment <= own.as_str())
    };
    for ((game, moment), value) in &order {
        if !records.contains_key(&format!("a/{moment}")) {
            failures.push(format!("ratings: {moment} is rated and not in the archive"));
        }
        for player in value.split(' ').take(2).filter(|_| done(game, moment)) {
            if !records.contains_key(&format!("rh/{player}/{game}/{moment}")) {
                failures.push(format!("ratings: {player} has none after {moment}"));
            }
        }
    }
    for (key, value) in of(records, "rh/") {
        let mut words = key.split('/');
        let (Some(player), Some(game), Some(last)) = (words.next(), words.next(), words.next())
        else {
            continue;
        };
        let count: usize = value.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
        let own = order.iter().filter(|((of, moment), value)| {
            *of == game && *moment <= last && value.split(' ').take(2).any(|own| own == player)
        });
        let own = own.count();
        if done(game, last) && own != count {
            failures.push(format!("ratings: {key} counts {count} games instead of {own}"));
        }
    }
    failures
}
