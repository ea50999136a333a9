//! The people on a server: requests of a player or a guest about the lobby.

use super::connection::{self, Refused};
use super::link::Link;
use super::seats;
use crate::saves::Saves;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// Where the keys of players are kept, by server.
const FILE: &str = "players.json";

/// How long to wait before a request without an answer is repeated.
const PAUSE: Duration = Duration::from_secs(2);

/// A server, and the user's credentials there.
pub struct Club {
    link: Link,
}

/// The server named on a command line: its address alone, or the link with a key that its pages show.
pub fn server(text: &str) -> Result<(Link, Option<String>), String> {
    let (address, key) = match text.split_once('#') {
        Some((address, key)) => {
            (address.trim_end_matches('/').trim_end_matches("/lobby"), Some(key))
        }
        None => (text, None),
    };
    Ok((Link::server(address)?, key.map(str::to_owned)))
}

impl Club {
    pub fn new(link: Link, key: &str) -> Club {
        Club { link: Link { token: Some(key.to_owned()), ..link } }
    }

    pub fn host(&self) -> &str {
        &self.link.host
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        body: &str,
    ) -> Result<Result<Value, Refused>, String> {
        connection::request(&self.link, method, &format!("{}/api/{path}", self.link.base), body)
    }

    /// Asks once.
    pub fn ask(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        self.request(method, path, &body)?.map_err(|refused| refused.error)
    }

    pub fn get(&self, path: &str) -> Result<Value, String> {
        self.ask("GET", path, &Value::Null)
    }

    /// Repeats a request until it is answered; `None` if the server has no such thing, or cannot do it now.
    pub fn patiently(
        &self,
        method: &str,
        path: &str,
        body: &Value,
    ) -> Result<Option<Value>, String> {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        loop {
            match self.request(method, path, &body) {
                Ok(Ok(told)) => return Ok(Some(told)),
                Ok(Err(refused)) => match refused.kind.as_str() {
                    "conflict" | "not-there" => return Ok(None),
                    "too-many" | "unavailable" => {}
                    _ => return Err(refused.error),
                },
                Err(why) => eprintln!("{why}"),
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// A link to the user's seat at a game, whose secret is kept.
    pub fn game(&self, id: &str, saves: &Saves) -> Result<String, String> {
        let link = Link { id: id.to_owned(), ..self.link.clone() };
        if let Some(token) = &link.token {
            seats::keep(saves, &link, token)?;
        }
        Ok(Link { token: None, ..link.clone() }.of_game(id))
    }

    /// The same for watching.
    pub fn watched(&self, id: &str) -> String {
        Link { token: None, ..self.link.clone() }.of_game(id)
    }
}

/// The key that was used on this server before.
pub fn known(saves: &Saves, link: &Link) -> Result<Option<String>, String> {
    let all: BTreeMap<String, String> = saves.json(FILE)?;
    Ok(all.get(&name(link)).cloned())
}

pub fn keep(saves: &Saves, link: &Link, key: &str) -> Result<(), String> {
    let mut all: BTreeMap<String, String> = saves.json(FILE)?;
    match all.insert(name(link), key.to_owned()) {
        Some(known) if known == key => Ok(()),
        _ => saves.set_json(FILE, &all, 0o600),
    }
}

fn name(link: &Link) -> String {
    format!("{}{}", link.host, link.base)
}

/// The keys of registrations that have not been answered yet.
const ASKED: &str = "registering.json";

type Asked = BTreeMap<String, (String, String)>;

/// The key to register a name with: the one that was sent before, or a fresh one, which is kept before it is sent. A
/// lost answer would otherwise lose the name.
pub fn propose(saves: &Saves, link: &Link, wanted: &str) -> Result<String, String> {
    let mut all: Asked = saves.json(ASKED)?;
    if let Some((_, key)) = all.get(&name(link)).filter(|(before, _)| before == wanted) {
        return Ok(key.clone());
    }
    let key = fresh("pk-")?;
    all.insert(name(link), (wanted.to_owned(), key.clone()));
    saves.set_json(ASKED, &all, 0o600)?;
    Ok(key)
}

/// Forgets a registration that was answered.
pub fn answered(saves: &Saves, link: &Link) -> Result<(), String> {
    let mut all: Asked = saves.json(ASKED)?;
    match all.remove(&name(link)) {
        Some(_) => saves.set_json(ASKED, &all, 0o600),
        None => Ok(()),
    }
}

/// Finds out what became of a registration whose answer was lost; the key if there is such a player.
pub fn resolve(saves: &Saves, link: &Link) -> Result<Option<String>, String> {
    let all: Asked = saves.json(ASKED)?;
    let Some((_, key)) = all.get(&name(link)) else { return Ok(None) };
    match Club::new(link.clone(), key).request("GET", "me", "")? {
        Ok(_) => {
            keep(saves, link, key)?;
            answered(saves, link)?;
            Ok(Some(key.clone()))
        }
        Err(refused) if refused.kind == "no-token" => answered(saves, link).map(|()| None),
        Err(_) => Ok(None),
    }
}

/// A new key of a player, or a guest's secret.
pub fn fresh(prefix: &str) -> Result<String, String> {
    let secret = server::ids::new_token(&server::ids::System).map_err(|refusal| refusal.message)?;
    Ok(format!("{prefix}{secret}"))
}

/// The request to register a player of this name.
pub fn registration(name: &str, key: &str, bot: bool) -> Value {
    json!({ "name": name, "key": key, "bot": bot })
}
