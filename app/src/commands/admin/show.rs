//! A server's answers to an operator, in words.

use crate::shell::failure::{Failure, print};
use serde_json::Value;
use server::admin::Wish;
use server::club::office::About;
use std::time::{SystemTime, UNIX_EPOCH};

/// Prints an answer line by line.
pub struct Shown<'a> {
    wish: &'a Wish,
    json: bool,
    lines: usize,
}

impl Shown<'_> {
    pub fn new(wish: &Wish, json: bool) -> Shown<'_> {
        Shown { wish, json, lines: 0 }
    }

    pub fn line(&mut self, told: &Value) -> Result<(), Failure> {
        self.lines += 1;
        let text = match (self.json, self.wish) {
            (true, _) => told.to_string(),
            (_, Wish::List(_)) if told["more"] == true => {
                "… and more: --most shows them".to_owned()
            }
            (_, Wish::List(_)) => self.game(told),
            (_, Wish::Show { .. }) => whole(told),
            (_, Wish::Delete { .. }) => format!("deleted {}", text(told, "deleted")),
            (_, Wish::Forget { .. }) => forgotten(told),
            (_, Wish::Bans) => {
                let (network, reason) = (text(told, "network"), text(told, "reason"));
                let until = match told["until"].as_i64() {
                    Some(until) if until < now() => "has expired".to_owned(),
                    Some(until) => format!("for {} more", age(until - now())),
                    None => "for good".to_owned(),
                };
                format!("{network:<30} {until:<18} {reason}").trim_end().to_owned()
            }
            (_, Wish::Ban { .. }) => format!("banned {}", text(told, "banned")),
            (_, Wish::Unban { .. }) => format!("{} is no longer banned", text(told, "unbanned")),
            (_, Wish::Drain { .. }) => {
                format!("draining, connections left: {}", told["connections"])
            }
            (_, Wish::Club { about }) => club(about, told),
            (_, Wish::Status | Wish::Reload) => status(told),
        };
        print(format!("{text}\n").as_bytes())
    }

    pub fn end(&self) -> Result<(), Failure> {
        let text = match self.wish {
            _ if self.json => return Ok(()),
            Wish::List(_) if self.lines == 0 => "there are no such games\n",
            Wish::Bans if self.lines == 0 => "nobody is banned\n",
            Wish::Drain { .. } => "the server has stopped\n",
            _ => return Ok(()),
        };
        print(text.as_bytes())
    }

    fn game(&self, told: &Value) -> String {
        let head = match self.lines {
            1 => "game     kind        state      turns  last event  here  address\n",
            _ => "",
        };
        let last = told["last"].as_i64().unwrap_or(0);
        let state = match told["clock"] == true {
            true => "on clock",
            false => text(told, "state"),
        };
        let address = told["address"].as_str().unwrap_or("");
        let line = format!(
            "{:8} {:11} {state:10} {:>5}  {:>10}  {:>4}  {address}",
            text(told, "id"),
            text(told, "game"),
            told["turns"].to_string(),
            age(now() - last),
            told["connected"].to_string(),
        );
        format!("{head}{}", line.trim_end())
    }
}

fn text<'a>(told: &'a Value, field: &str) -> &'a str {
    told[field].as_str().unwrap_or("?")
}

fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Milliseconds in the largest unit that fits: `3 d`.
fn age(ms: i64) -> String {
    let seconds = ms.max(0) / 1_000;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        _ => format!("{} d", seconds / 86_400),
    }
}

fn forgotten(told: &Value) -> String {
    let games: Vec<_> = told["games"].as_array().into_iter().flatten().collect();
    let names: Vec<_> = games.iter().filter_map(|game| game.as_str()).collect();
    let count = match names.len() {
        0 => return "they have no games".to_owned(),
        1 => "1 game".to_owned(),
        count => format!("{count} games"),
    };
    match told["changed"] == true {
        true => format!("removed from {count}: {}", names.join(" ")),
        false => format!("{count} would change with --yes: {}", names.join(" ")),
    }
}

fn status(told: &Value) -> String {
    let keep = |kind: &str| match &told["keep_days"][kind] {
        Value::Null => format!("{kind} games for ever"),
        days => format!("{kind} games {days} d"),
    };
    let limits = &told["limits"];
    format!(
        "version {}, games in {}{}\nconnections {}, sockets {}, games in memory {}\n\
         limits of an address: new-games {}, allowance {}, connections {}\nkept: {}",
        text(told, "version"),
        text(told, "data"),
        if told["stopping"] == true { ", stopping" } else { "" },
        told["connections"],
        told["sockets"],
        told["games_in_memory"],
        limits["new-games"],
        limits["allowance"],
        limits["connections"],
        ["finished", "unfinished", "unplayed"].map(keep).join(", "),
    )
}

/// A game with all its events.
fn whole(told: &Value) -> String {
    let began = told["created_at"].as_i64().unwrap_or(0);
    let turns = told["turns"].as_array().map_or(0, Vec::len);
    let mut lines = vec![format!(
        "{} {}, begun {} ago, {turns} turns",
        text(told, "id"),
        text(told, "game"),
        age(now() - began)
    )];
    for seat in 0..2 {
        let own = &told["seats"][seat];
        let name = own["name"].as_str().map(|name| format!(" `{name}`")).unwrap_or_default();
        let here = if told["present"][seat] == true { ", here" } else { "" };
        let joined = if own["joined"] == true { "" } else { ", not joined" };
        lines.push(format!("seat {}: {}{name}{joined}{here}", seat + 1, text(own, "kind")));
    }
    lines.push(format!("watchers: {}", told["watchers"]));
    if let Some(address) = told["address"].as_str() {
        lines.push(format!("last played from {address}"));
    }
    if let Some(ending) = told["ending"].as_str() {
        lines.push(ending.to_owned());
    }
    for event in told["events"].as_array().into_iter().flatten() {
        let at = age(now() - event["at"].as_i64().unwrap_or(0));
        let seat = event["seat"].as_u64().map(|seat| format!(" seat {seat}")).unwrap_or_default();
        let (seq, kind) = (event["seq"].to_string(), text(event, "kind"));
        lines.push(format!("{seq:>4}  {at:>7} ago{seat}  {kind} {}", event["payload"]));
    }
    lines.join("\n")
}

/// An answer about players and ratings.
fn club(about: &About, told: &Value) -> String {
    match about {
        About::Registration { .. } => format!("registration is {}", text(told, "registration")),
        About::Invite { .. } => text(told, "invitation").to_owned(),
        About::Reserve { .. } => format!("reserved {}", text(told, "reserved")),
        About::Release { .. } => format!("{} is free", text(told, "released")),
        About::Show { .. } => {
            let (id, name) = (text(told, "id"), text(told, "name"));
            let bot = if told["bot"] == true { ", a bot" } else { "" };
            let since = age(now() - told["since"].as_i64().unwrap_or_default());
            let banned = told["banned"].as_str().map(|reason| format!(", banned: {reason}"));
            format!("{id} {name}{bot}, here for {since}{}", banned.unwrap_or_default())
        }
        About::Rename { .. } => {
            format!("{} is now called {}", text(told, "id"), text(told, "name"))
        }
        About::BanPlayer { .. } => format!("banned {}", text(told, "banned")),
        About::UnbanPlayer { .. } => format!("{} may play again", text(told, "unbanned")),
        About::NewKey { .. } => text(told, "key").to_owned(),
        About::DeletePlayer { .. } => format!("deleted {}", text(told, "deleted")),
        About::Ratings { .. } => match told["looked_at"].as_u64() {
            Some(games) => format!("games looked at: {games}"),
            None if told["games"].is_null() => format!("ratings {}", text(told, "ratings")),
            None => {
                let (games, archived) = (&told["games"], &told["archived"]);
                format!(
                    "games {games}, public and over {archived}, ratings {}",
                    text(told, "ratings")
                )
            }
        },
    }
}
