//! Checks the description at `/api/openapi.json` against real answers.

use crate::common::{Answer, Local, Made, random_game, within};
use crate::routes;
use axum::body::Body;
use axum::http::{Method, Request, header};
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use server::club::ratings;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The description with every object closed. The public one allows additional fields, but an answer's field that is not
/// described is an omission.
struct Described {
    document: Value,
    /// How many answers were checked for each operation.
    seen: BTreeMap<String, usize>,
    validators: BTreeMap<String, Validator>,
}

/// Closes objects, unless an outer schema that adds fields closes them.
fn close(schema: &mut Value, open: bool) {
    let Value::Object(fields) = schema else { return };
    let own = fields.contains_key("properties");
    if own && !open && !fields.contains_key("additionalProperties") {
        fields.insert("unevaluatedProperties".into(), false.into());
    }
    for (name, inner) in fields.iter_mut() {
        match (name.as_str(), inner) {
            ("oneOf" | "anyOf" | "allOf", Value::Array(all)) => {
                all.iter_mut().for_each(|one| close(one, own || open));
            }
            ("properties", Value::Object(all)) => {
                all.values_mut().for_each(|one| close(one, false));
            }
            ("items" | "additionalProperties", one) => close(one, false),
            _ => {}
        }
    }
}

/// Schemas that others extend; those others close them.
fn extended(schema: &Value, found: &mut BTreeSet<String>) {
    if let (Some(own), Some(_)) = (schema["$ref"].as_str(), schema.get("properties")) {
        found.extend(own.rsplit('/').next().map(str::to_owned));
    }
    match schema {
        Value::Object(all) => all.values().for_each(|one| extended(one, found)),
        Value::Array(all) => all.iter().for_each(|one| extended(one, found)),
        _ => {}
    }
}

impl Described {
    async fn by(local: &Local) -> Described {
        let mut document = local.get("/api/openapi.json").await.ok();
        let mut open = BTreeSet::new();
        extended(&document, &mut open);
        if let Value::Object(all) = &mut document["components"]["schemas"] {
            all.iter_mut().for_each(|(name, schema)| close(schema, open.contains(name)));
        }
        Described { document, seen: BTreeMap::new(), validators: BTreeMap::new() }
    }

    /// All operations, as method and path.
    fn operations(&self) -> Vec<String> {
        let paths = self.document["paths"].as_object().unwrap();
        let methods = |(path, own): (&String, &Value)| {
            let methods = own.as_object().unwrap().keys();
            methods.map(|method| format!("{method} {path}")).collect::<Vec<_>>()
        };
        paths.iter().flat_map(methods).collect()
    }

    /// Fails unless a value matches the schema at a pointer into the description.
    #[track_caller]
    fn fits(&mut self, at: &str, value: &Value) {
        let schema = self.document.pointer(at).unwrap_or_else(|| panic!("there is no {at}"));
        let validator = self.validators.entry(at.to_owned()).or_insert_with(|| {
            let mut schema = schema.clone();
            close(&mut schema, false);
            schema["components"] = self.document["components"].clone();
            schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
            jsonschema::validator_for(&schema).unwrap()
        });
        let errors: Vec<_> = validator
            .iter_errors(value)
            .map(|error| format!("{} at `{}`", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{at}: {errors:#?}\nin {value:#}");
    }

    /// Fails unless all query parameters are described.
    #[track_caller]
    fn has_fields(&self, method: &str, path: &str, query: &str) {
        let known = self.document["paths"][path][method]["parameters"].as_array();
        for field in query.split('&').filter(|field| !field.is_empty()) {
            let name = field.split('=').next().unwrap();
            let fits = |own: &Value| own["in"] == "query" && own["name"] == name;
            assert!(
                known.is_some_and(|all| all.iter().any(fits)),
                "{name} of {method} {path} is not described"
            );
        }
    }

    /// Checks a request and its answer against the description.
    #[track_caller]
    fn holds(&mut self, method: &str, path: &str, asked: Option<&Value>, answer: &Answer) {
        let operation = format!("{method} {path}");
        let at = format!("/paths/{}/{method}", path.replace('/', "~1"));
        assert!(self.document.pointer(&at).is_some(), "{operation} is not described");
        if !answer.status.is_success() {
            return self.fits(
                "/components/responses/Refused/content/application~1json/schema",
                &answer.json(),
            );
        }
        if let Some(asked) = asked {
            self.fits(&format!("{at}/requestBody/content/application~1json/schema"), asked);
        }
        let status = answer.status.as_str();
        let kind = answer.headers[header::CONTENT_TYPE].to_str().unwrap();
        let kind = kind.split(';').next().unwrap();
        let schema = format!("{at}/responses/{status}/content/{}/schema", kind.replace('/', "~1"));
        match kind {
            "application/json" => self.fits(&schema, &answer.json()),
            "application/x-ndjson" => {
                answer.lines().iter().for_each(|line| self.fits(&schema, line));
            }
            _ => self.fits(&schema, &Value::String(answer.text.clone())),
        }
        *self.seen.entry(operation).or_default() += 1;
    }
}

/// A server whose answers are all checked against the description.
struct Checked {
    local: Local,
    described: Described,
}

impl Checked {
    /// Sends a request for a path template; `fill` has the values for its parameters.
    async fn ask(
        &mut self,
        method: Method,
        (template, fill): (&str, &str),
        token: Option<&str>,
        body: Option<Value>,
    ) -> Answer {
        let (plain, query) = template.split_once('?').unwrap_or((template, ""));
        let (mut path, mut fill) = (plain.to_owned(), fill.split(' '));
        while let Some((from, to)) = path.find('{').zip(path.find('}')) {
            path.replace_range(from..=to, fill.next().unwrap());
        }
        if !query.is_empty() {
            path = format!("{path}?{query}");
        }
        let mut request = Request::builder().method(&method).uri(path);
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let sent = body.as_ref().map_or_else(Body::empty, |body| body.to_string().into());
        let answer = self.local.send(request.body(sent).unwrap()).await;
        let method = method.as_str().to_lowercase();
        self.described.has_fields(&method, plain, query);
        self.described.holds(&method, plain, body.as_ref(), &answer);
        answer
    }

    async fn get(&mut self, template: &str, fill: &str, token: Option<&str>) -> Answer {
        self.ask(Method::GET, (template, fill), token, None).await
    }

    async fn post(&mut self, path: &str, body: Value) -> Answer {
        let answer = self.local.post(path, body.clone()).await;
        self.described.holds("post", path, Some(&body), &answer);
        answer
    }

    async fn command(&mut self, game: &Made, seat: usize, body: Value) -> Answer {
        let answer = self.local.command(game, seat, body.clone()).await;
        self.described.holds("post", "/api/games/{id}/commands", Some(&body), &answer);
        answer
    }

    async fn make(&mut self, wanted: Value) -> Made {
        let made = self.post("/api/games", wanted).await.ok();
        let tokens = [0, 1].map(|i| made["tokens"][i].as_str().unwrap_or_default().to_owned());
        Made { id: made["id"].as_str().unwrap().to_owned(), tokens }
    }

    /// Reads a game without a token, and its events.
    async fn look(&mut self, game: &Made) {
        self.get("/api/games/{id}", &game.id, None).await;
        self.get("/api/games/{id}", &game.id, Some(&game.tokens[0])).await;
        self.get("/api/games/{id}/events", &game.id, None).await;
        self.get("/api/games/{id}/events?after=2", &game.id, None).await;
        self.get("/api/games/{id}/record", &game.id, None).await;
    }
}

/// Requests about a position.
fn about(game: &str, turns: &[String], number: usize) -> Vec<(&'static str, Value)> {
    let with = |fields: Value| {
        let mut all =
            Map::from_iter([("game".into(), game.into()), ("turns".into(), json!(turns))]);
        all.extend(fields.as_object().unwrap().clone());
        Value::Object(all)
    };
    let everything =
        json!(["turns", "children", "position", "text", "svg", "seed", "seed_best", "exact"]);
    let level = json!({ "kind": "level", "level": 1 + number % 9 });
    let nodes: Vec<_> = turns
        .iter()
        .enumerate()
        .map(|(i, turn)| json!({ "turn": turn, "after": i.checked_sub(1) }))
        .collect();
    vec![
        ("query", with(json!({ "want": everything }))),
        ("query", with(json!({ "search": { "depth": 2, "lines": 2 } }))),
        ("view", with(json!({ "flipped": number % 2 == 1 }))),
        ("edit", with(json!({ "edit": { "turn": 2 } }))),
        ("hint", with(json!({ "nodes": 200 }))),
        ("analysis", with(json!({ "nodes": 200, "lines": 3 }))),
        ("turn", with(json!({ "nodes": 200, "player": level, "seed": number }))),
        ("review", with(json!({ "nodes": 50 }))),
        ("record", json!({ "game": game, "nodes": nodes })),
        ("branch", json!({ "tree": { "game": game, "nodes": nodes }, "do": "promote" })),
        ("proof", with(json!({}))),
        ("lesson", json!({ "game": game, "number": number + 1, "answer": true })),
        ("puzzle", json!({ "game": game, "number": number + 1, "solution": true })),
        ("view", with(json!({ "turns": ["zz"] }))),
    ]
}

#[test]
fn every_route_is_described() {
    let written = routes::ROUTES.iter().map(|(route, _)| *route);
    let written: BTreeSet<_> = written.filter(|route| route.starts_with("/api/")).collect();
    let document = server::http::description::openapi();
    let described: BTreeSet<_> =
        document["paths"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(described, written, "server/src/http/description.rs has all of them");
}

#[tokio::test]
async fn hundreds_of_real_answers_are_as_described() {
    let local = Local::new().await;
    let described = Described::by(&local).await;
    let mut all = Checked { local, described };
    for path in ["health", "ready", "catalogue", "openapi.json", "requests.json"] {
        all.get(&format!("/api/{path}"), "", None).await.ok();
    }
    for entry in engine::GAMES {
        let id = entry.info.id;
        for list in ["rules", "lessons", "puzzles", "results", "atlas"] {
            let answer = all.get(&format!("/api/{list}/{{game}}"), id, None).await;
            assert!(answer.status.is_success(), "{list} of {id}");
        }
        let turns = random_game(id, 400, 7);
        for (number, length) in [0, 1, 3, turns.len()].into_iter().enumerate() {
            for (ask, body) in about(id, &turns[..length], number) {
                let answer = all.post(&format!("/api/{ask}"), body).await;
                if ask == "record" {
                    let text = answer.text;
                    all.post("/api/tree", json!({ "record": text })).await.ok();
                }
            }
        }
        stored(&mut all, id, &turns).await;
    }
    all.get("/api/rules/{game}", "chess", None).await.refused(404);
    met(&mut all).await;
    let seen = &all.described.seen;
    let silent: Vec<_> =
        all.described.operations().into_iter().filter(|own| !seen.contains_key(own)).collect();
    // Sockets do not answer with JSON; their frames are events and acknowledgements.
    assert_eq!(silent, ["get /api/games/{id}/socket", "get /api/lobby/socket"]);
    let count: usize = seen.values().sum();
    println!("{count} answers of {} operations are as described", seen.len());
    assert!(count >= 200, "only {count} answers");
}

/// Stored games: with clocks, computers, open seats, offers, all kinds of endings, and a rematch.
async fn stored(all: &mut Checked, id: &str, turns: &[String]) {
    let (person, open) = (json!({ "kind": "person", "name": "Ann" }), json!({ "kind": "open" }));
    let clock = json!({ "kind": "time", "seconds": 300, "increment": 3 });
    let game = all.make(json!({ "game": id, "seats": [person, open], "clock": clock })).await;
    all.look(&game).await;
    let secret = "abcdefghijklmnopqrstuvwxyz";
    all.command(&game, 2, json!({ "type": "join", "name": "Ben", "secret": secret })).await.ok();
    let game = Made { id: game.id, tokens: [game.tokens[0].clone(), secret.into()] };
    for (i, turn) in turns.iter().take(4).enumerate() {
        all.command(&game, i % 2 + 1, json!({ "type": "move", "turn": turn })).await.ok();
    }
    all.command(&game, 1, json!({ "type": "move", "turn": "zz" })).await;
    for (seat, kind) in [(1, "offer-draw"), (2, "decline"), (1, "undo"), (2, "accept")] {
        all.command(&game, seat, json!({ "type": kind })).await.ok();
        all.look(&game).await;
    }
    for (seat, kind) in [(1, "resign"), (1, "rematch"), (2, "rematch")] {
        all.command(&game, seat, json!({ "type": kind })).await.ok();
        all.look(&game).await;
    }
    all.get("/api/games/{id}/rematch", &game.id, Some(&game.tokens[0])).await.ok();
    let seats = json!([{ "kind": "person" }, { "kind": "level", "level": 2 }]);
    let days = json!({ "kind": "days", "days": 2 });
    let game = all.make(json!({ "game": id, "seats": seats, "clock": days })).await;
    all.command(&game, 1, json!({ "type": "abort" })).await.ok();
    all.look(&game).await;
    let two = json!([{ "kind": "person" }, { "kind": "person" }]);
    let game = json!({ "game": id, "seats": two, "shared": true, "turns": turns[..2] });
    all.make(game.clone()).await;
    let command = json!({ "do": "offer-draw", "seat": 1 });
    let asked = json!({ "make": game, "command": command, "now": 1_790_000_000_000_u64 });
    all.post("/api/table", asked).await.ok();
}

/// Players and guests, challenges, and a rated game from the lobby to the archive.
async fn met(all: &mut Checked) {
    all.get("/api/players", "", None).await.ok();
    let ann = all.post("/api/players", json!({ "name": "Ann Lee" })).await.ok();
    let own = format!("pk-{}", "k".repeat(26));
    let ben = json!({ "name": "Ben Oak", "key": own, "bot": true });
    let ben = all.post("/api/players", ben).await.ok();
    all.post("/api/players", json!({ "name": "Ann Lee" })).await.refused(409);
    let [(ann, key), (ben, other)] =
        [&ann, &ben].map(|own| (own["id"].as_str().unwrap(), own["key"].as_str().unwrap()));
    all.get("/api/players?name=Ann%20Lee", "", None).await.ok();
    challenges(all, key).await;

    let clock = json!({ "kind": "time", "seconds": 300, "increment": 3 });
    let terms = json!({ "game": "gekitai", "clock": clock, "rated": true });
    let made = all.ask(Method::POST, ("/api/lobby", ""), Some(key), Some(terms)).await.ok();
    let (id, version) = (made["challenge"]["id"].as_str().unwrap(), &made["challenge"]["version"]);
    let (one, version) = (("/api/lobby/{id}", id), json!({ "version": version }));
    let game = all.ask(Method::POST, one, Some(other), Some(version)).await.ok();
    let id = game["game"].as_str().unwrap();
    all.get("/api/lobby/{id}", ann, Some(key)).await.ok();
    let shown = all.local.get_as(key, &format!("/api/games/{id}")).await.ok();
    let (first, second) = if shown["you"] == json!([1]) { (key, other) } else { (other, key) };
    let game = Made { id: id.to_owned(), tokens: [first.to_owned(), second.to_owned()] };
    for (i, turn) in random_game("gekitai", 4, 3).into_iter().enumerate() {
        all.command(&game, i % 2 + 1, json!({ "type": "move", "turn": turn })).await.ok();
        all.get("/api/me", "", Some(key)).await.ok();
    }
    all.look(&game).await;
    let watched = all.get("/api/watch", "", None).await.ok();
    assert!(watched["games"].as_array().unwrap().iter().any(|own| own["id"] == id), "{watched}");
    let ben_sits = if first == key { 2 } else { 1 };
    all.command(&game, ben_sits, json!({ "type": "resign" })).await.ok();
    // Ratings follow a moment after archiving.
    within(async {
        while ratings::current(all.local.server.hall(), ann, "gekitai").await.unwrap().games == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
    archived(all, ann, ben).await;

    let new = Some(json!({}));
    let new = all.ask(Method::POST, ("/api/me/key", ""), Some(key), new).await.ok();
    all.get("/api/me", "", Some(key)).await.refused(401);
    all.ask(Method::DELETE, ("/api/me", ""), new["key"].as_str(), None).await.ok();
    all.get("/api/players/{id}", ann, None).await.refused(404);
    all.get("/api/archive", "", None).await.ok();
}

/// Challenges without an opponent, and a game against a level.
async fn challenges(all: &mut Checked, key: &str) {
    let (guest, second) = ("g".repeat(26), "h".repeat(26));
    let clock = json!({ "kind": "time", "seconds": 60 });
    let wanted = json!({ "game": "glaisher", "clock": clock, "auto": true });
    let waits = Some(wanted.clone());
    let waits = all.ask(Method::POST, ("/api/lobby", ""), Some(&guest), waits).await.ok();
    assert!(waits["meanwhile"]["level"].is_number(), "{waits}");
    let days = json!({ "game": "jeson-mor", "options": { "size": 5 },
        "side": "second", "clock": { "kind": "days", "days": 3 } });
    all.ask(Method::POST, ("/api/lobby", ""), Some(key), Some(days)).await.ok();
    let list = all.get("/api/lobby", "", None).await.ok();
    assert_eq!(list["challenges"].as_array().map(Vec::len), Some(2), "{list}");
    for own in list["challenges"].as_array().unwrap() {
        let one = ("/api/lobby/{id}", own["id"].as_str().unwrap());
        all.get(one.0, one.1, None).await.ok();
        let maker = if own["player"].is_null() { &*guest } else { key };
        all.ask(Method::DELETE, one, Some(&second), None).await.refused(403);
        all.ask(Method::DELETE, one, Some(maker), None).await.ok();
        all.get(one.0, one.1, Some(maker)).await.refused(404);
    }
    let level = json!({ "game": "gekitai", "clock": clock, "level": 1 });
    let plays = all.ask(Method::POST, ("/api/lobby", ""), Some(&second), Some(level)).await.ok();
    let game = plays["game"].as_str().unwrap();
    all.look(&Made { id: game.to_owned(), tokens: [second.clone(), second] }).await;
    all.get("/api/watch", "", None).await.ok();
    all.ask(Method::POST, ("/api/lobby", ""), None, Some(wanted)).await.refused(401);
}

/// Requests after a rated game between two players.
async fn archived(all: &mut Checked, ann: &str, ben: &str) {
    let shown = all.get("/api/players/{id}", ann, None).await.ok();
    assert_eq!(shown["ratings"]["gekitai"]["games"], 1, "{shown}");
    let ratings = "/api/players/{id}/ratings/{game}";
    let points = all.get(ratings, &format!("{ann} gekitai"), None).await.ok();
    assert_eq!(points["points"].as_array().map(Vec::len), Some(1), "{points}");
    let between = format!("/api/archive?player={ann}&against={ben}&result=won&rated=true&most=5");
    let found = all.get(&between, "", None).await.ok();
    assert_eq!(found["score"], json!([1, 0, 0]), "{found}");
    all.get("/api/archive?from=0&least_turns=2&reason=resigned", "", None).await.ok();
    all.get("/api/archive?result=won", "", None).await.refused(400);
    let lines = all.get("/api/archive/export?game=gekitai", "", None).await.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let records = all.get("/api/archive/export?format=records", "", None).await;
    assert!(records.text.contains("gekitai"), "{}", records.text);
    let start = "/api/archive/position?game=gekitai&options=%7B%7D";
    let explored = all.get(start, "", None).await.ok();
    assert_eq!(explored["last"].as_array().map(Vec::len), Some(1), "{explored}");
    all.get("/api/archive/position", "", None).await.refused(400);
}
