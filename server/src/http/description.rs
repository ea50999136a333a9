//! The HTTP API as an OpenAPI document, generated from the types of requests and answers.
//!
//! Every route below `/api/` has an entry in [`operations`]; a test compares them with the router.

use crate::club::archive::Search;
use crate::club::{players, schema as club};
use crate::http::club::{At, NewKey};
use crate::http::games::{Made, Wanted};
use crate::http::{Health, Ready, lobby};
use crate::pages::{Document, Documents};
use axum::Router;
use axum::http::{HeaderMap, Uri};
use axum::response::Response;
use axum::routing::get;
use requests::{ASKS, schema};
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use table::schema::{Told, ToldEvent, ToldRefusal};

use super::guard::Client;
use super::refused::Answered;
use crate::games::hall::SERVER;
use axum::extract::Extension;

/// A route with one method.
pub struct Operation {
    method: &'static str,
    path: String,
    about: &'static str,
    token: Token,
    query: Vec<Value>,
    body: Option<Value>,
    answer: Answer,
}

/// Which bearer tokens are accepted, if any, and whether one is required.
#[derive(Clone, Copy)]
enum Token {
    No,
    May(&'static [&'static str]),
    Must(&'static [&'static str]),
}

/// The kinds of tokens accepted for a seat, a player, and in the lobby: names of `securitySchemes`.
const SEAT: &[&str] = &["seat", "key"];
const KEY: &[&str] = &["key"];
const PARTY: &[&str] = &["key", "guest"];

/// Generates the schema of an answer.
type Write = Box<dyn Fn(&mut SchemaGenerator) -> Schema>;

/// The answer of a successful request.
struct Answer {
    status: u16,
    kind: &'static str,
    schema: Option<Write>,
    /// Another content type that can be requested, which is plain text.
    or: Option<&'static str>,
}

const JSON: &str = "application/json";
const LINES: &str = "application/x-ndjson";

impl Operation {
    fn new(method: &'static str, path: &str, about: &'static str) -> Operation {
        let answer = Answer { status: 200, kind: "text/plain", schema: None, or: None };
        let (path, query) = (path.to_owned(), Vec::new());
        Operation { method, path, about, token: Token::No, query, body: None, answer }
    }

    fn get(path: &str, about: &'static str) -> Operation {
        Operation::new("get", path, about)
    }

    fn post(path: &str, about: &'static str) -> Operation {
        Operation::new("post", path, about)
    }

    fn delete(path: &str, about: &'static str) -> Operation {
        Operation::new("delete", path, about)
    }

    fn token(self, token: Token) -> Operation {
        Operation { token, ..self }
    }

    fn asks(mut self, name: &'static str, about: &'static str, schema: Value) -> Operation {
        self.query
            .push(json!({ "name": name, "in": "query", "description": about, "schema": schema }));
        self
    }

    /// Takes the fields of a type as query parameters, which are absent rather than null.
    fn asks_for<T: JsonSchema>(mut self) -> Operation {
        let mut all = schema::of::<T>();
        let needed = all["required"].take();
        let Value::Object(fields) = all["properties"].take() else { return self };
        for (name, mut schema) in fields {
            if let Value::Object(own) = &mut schema {
                own.retain(|name, value| name != "default" || !value.is_null());
            }
            if let Some(Value::Array(kinds)) = schema.get_mut("type") {
                kinds.retain(|kind| kind != "null");
            }
            let needed = needed.as_array().is_some_and(|all| all.iter().any(|own| *own == name));
            let mut own = json!({ "name": name, "in": "query", "required": needed });
            if let Some(about) = schema.as_object_mut().and_then(|own| own.remove("description")) {
                own["description"] = about;
            }
            own["schema"] = schema;
            self.query.push(own);
        }
        self
    }

    fn takes<T: JsonSchema>(self) -> Operation {
        Operation { body: Some(schema::of::<T>()), ..self }
    }

    fn gives<T: JsonSchema>(self) -> Operation {
        self.answers(200, JSON, |generator| generator.subschema_for::<T>())
    }

    fn answers(
        self,
        status: u16,
        kind: &'static str,
        schema: impl Fn(&mut SchemaGenerator) -> Schema + 'static,
    ) -> Operation {
        Operation {
            answer: Answer { status, kind, schema: Some(Box::new(schema)), or: None },
            ..self
        }
    }

    /// Answers 201 with what was created.
    fn makes<T: JsonSchema>(self) -> Operation {
        self.answers(201, JSON, |generator| generator.subschema_for::<T>())
    }

    fn or_text(mut self) -> Operation {
        self.answer.or = Some("text/plain");
        self
    }

    fn text(mut self, kind: &'static str) -> Operation {
        self.answer.kind = kind;
        self
    }
}

/// All operations below `/api/`.
pub fn operations() -> Vec<Operation> {
    let (get, post) = (Operation::get, Operation::post);
    let number = || json!({ "type": "integer" });
    let mut all = vec![
        post("/api/games", "Creates a game").takes::<Wanted>().makes::<Made>(),
        get("/api/games/{id}", "Shows a game").token(Token::May(SEAT)).gives::<Told>(),
        post(
            "/api/games/{id}/commands",
            "Plays a turn, resigns, offers or answers: one command from a seat",
        )
        .token(Token::Must(SEAT))
        .takes::<table::referee::Message>()
        .gives::<Done>(),
        get("/api/games/{id}/events", "The events of a game, one per line")
            .asks("after", "Only events after this number.", number())
            .asks(
                "at",
                "When that event happened; refused if another event has that number now.",
                number(),
            )
            .asks(
                "follow",
                "Whether to keep the response open for new events.",
                json!({ "type": "boolean" }),
            )
            .answers(200, LINES, |generator| generator.subschema_for::<ToldEvent>()),
        get(
            "/api/games/{id}/socket",
            "A WebSocket that sends the events of a game and accepts commands",
        )
        .asks("after", "Only events after this number.", number())
        .asks("at", "When that event happened.", number())
        .upgrade(),
        get("/api/games/{id}/record", "The game as a record")
            .asks("format", "`record` or `sgf`.", schema::of::<requests::tree::Format>())
            .text("text/plain"),
        get("/api/games/{id}/rematch", "The rematch, a new game between the same players")
            .token(Token::Must(SEAT))
            .gives::<Made>(),
        get("/api/health", "Whether the server process works").gives::<Health>(),
        get("/api/ready", "Whether a move can be stored").gives::<Ready>(),
        get("/api/openapi.json", "This description").answers(
            200,
            JSON,
            |_| schemars::json_schema!({ "type": "object" }),
        ),
        get("/api/requests.json", "The stateless requests, as JSON Schema").answers(
            200,
            JSON,
            |_| schemars::json_schema!({ "type": "object" }),
        ),
    ];
    all.extend(people());
    all.extend(meeting());
    all.extend(ASKS.map(request));
    all
}

fn people() -> Vec<Operation> {
    let (get, post) = (Operation::get, Operation::post);
    vec![
        post("/api/players", "Registers a player")
            .takes::<players::Wanted>()
            .makes::<club::Registered>(),
        get(
            "/api/players",
            "The player with this name; without a name, whether registration is open",
        )
        .asks("name", "The name of a player.", json!({ "type": "string" }))
        .gives::<club::Found>(),
        get("/api/players/{id}", "A player, with ratings by game").gives::<club::Profile>(),
        get("/api/players/{id}/ratings/{game}", "How a player's rating in a game has changed")
            .gives::<club::RatingHistory>(),
        get("/api/me", "The player whose key was sent, with their running games")
            .token(Token::Must(KEY))
            .gives::<club::Me>(),
        Operation::delete("/api/me", "Deletes the player whose key was sent")
            .token(Token::Must(KEY))
            .gives::<club::PlayerDeleted>(),
        post("/api/me/key", "Replaces the player's key")
            .token(Token::Must(KEY))
            .takes::<NewKey>()
            .gives::<club::KeyReplaced>(),
        get("/api/watch", "Running public games, the strongest first").gives::<club::Watched>(),
        get("/api/archive", "Finished public games, newest first")
            .asks_for::<Search>()
            .gives::<club::ArchivePage>(),
        get("/api/archive/export", "All matching games, one per line or as records")
            .asks_for::<Search>()
            .answers(200, LINES, |generator| generator.subschema_for::<club::ArchivedGame>())
            .or_text(),
        get("/api/archive/position", "What was played in a position, and how it ended")
            .asks_for::<At>()
            .gives::<club::Explored>(),
    ]
}

fn meeting() -> Vec<Operation> {
    let (get, post) = (Operation::get, Operation::post);
    vec![
        get("/api/lobby", "The open challenges").gives::<club::LobbyList>(),
        post("/api/lobby", "Makes a challenge, or starts a game at once")
            .token(Token::Must(PARTY))
            .takes::<lobby::Wanted>()
            .makes::<club::Met>(),
        get(
            "/api/lobby/socket",
            "A WebSocket that sends changes to the lobby and marks the sender as present",
        )
        .upgrade(),
        get(
            "/api/lobby/{id}",
            "A challenge, or the game that it became; marks its maker as present",
        )
        .token(Token::May(PARTY))
        .gives::<club::Met>(),
        post("/api/lobby/{id}", "Accepts a challenge")
            .token(Token::Must(PARTY))
            .takes::<lobby::Accepted>()
            .gives::<club::GameToPlay>(),
        Operation::delete("/api/lobby/{id}", "Withdraws a challenge")
            .token(Token::Must(PARTY))
            .gives::<club::Withdrawn>(),
    ]
}

/// A stateless request. Those without parameters, or with only a game, are GETs.
fn request(ask: &'static str) -> Operation {
    let fetched = match ask {
        "catalogue" => Some(Operation::get("/api/catalogue", about(ask))),
        "rules" | "lessons" | "puzzles" | "results" | "atlas" => {
            Some(Operation::get(&format!("/api/{ask}/{{game}}"), about(ask)))
        }
        _ => None,
    };
    let own = fetched.unwrap_or_else(|| Operation {
        body: schema::request(ask),
        ..Operation::post(&format!("/api/{ask}"), about(ask))
    });
    match ask {
        "rules" => own.text("text/html"),
        "record" => own.text("text/plain"),
        _ => {
            let streams = matches!(ask, "analysis" | "review");
            own.answers(200, if streams { LINES } else { JSON }, move |generator| {
                let one = schema::answer(ask, generator).unwrap_or_else(|| true.into());
                if !streams {
                    return one;
                }
                let (queued, refused) =
                    (generator.subschema_for::<Queued>(), generator.subschema_for::<ToldRefusal>());
                schemars::json_schema!({ "anyOf": [one, queued, refused] })
            })
        }
    }
}

/// A line with the position in the queue.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct Queued {
    queued: usize,
}

fn about(ask: &str) -> &'static str {
    match ask {
        "query" => "Facts about a position, and a search",
        "view" => "A position, ready to be displayed",
        "edit" => "A position, edited by hand",
        "tree" => "A record as a tree of turns",
        "record" => "A tree of turns as a record",
        "branch" => "A change to a tree of turns",
        "table" => "A game in progress, kept by the client",
        "catalogue" => "The games and levels",
        "rules" => "The rules page of a game",
        "hint" => "A suggested turn",
        "analysis" => "The best lines, streamed while searching",
        "turn" => "A computer player's turn",
        "review" => "A review of a whole game, from the last position to the first",
        "lessons" => "The lessons of a game",
        "lesson" => "An attempt at a lesson",
        "puzzles" => "The puzzles of a game",
        "puzzle" => "An attempt at a puzzle",
        "results" => "What is known for certain about a game",
        "atlas" => "The positions of a game in the atlas",
        _ => "What certificates say about a position",
    }
}

/// The event that was stored, now or by an earlier attempt.
#[derive(JsonSchema)]
#[allow(dead_code)]
struct Done {
    seq: i64,
    event: ToldEvent,
    /// The token, if the command has taken a seat.
    #[schemars(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
}

impl Operation {
    fn upgrade(mut self) -> Operation {
        self.answer.status = 101;
        self
    }

    fn parameters(&self) -> Vec<Value> {
        let within = self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let path = within.map(|name| {
            json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } })
        });
        path.chain(self.query.iter().cloned()).collect()
    }

    fn written(&self, generator: &mut SchemaGenerator) -> Value {
        let mut own = Map::new();
        own.insert("summary".into(), self.about.into());
        let words = self.path.trim_start_matches("/api/").replace(['{', '}'], "");
        own.insert(
            "operationId".into(),
            format!("{}/{words}", self.method).replace('/', "-").into(),
        );
        let parameters = self.parameters();
        if !parameters.is_empty() {
            own.insert("parameters".into(), parameters.into());
        }
        if let Some(schema) = &self.body {
            let content = json!({ JSON: { "schema": schema } });
            own.insert("requestBody".into(), json!({ "required": true, "content": content }));
        }
        let (free, tokens) = match self.token {
            Token::No => (None, [].as_slice()),
            Token::May(tokens) => (Some(json!({})), tokens),
            Token::Must(tokens) => (None, tokens),
        };
        if !tokens.is_empty() {
            let shown = tokens.iter().map(|name| json!({ *name: [] }));
            own.insert("security".into(), free.into_iter().chain(shown).collect());
        }
        let mut answer = json!({ "description": self.about });
        if self.answer.status != 101 {
            let schema = match &self.answer.schema {
                Some(write) => write(generator).to_value(),
                None => json!({ "type": "string" }),
            };
            answer["content"] = json!({ self.answer.kind: { "schema": schema } });
            if let Some(kind) = self.answer.or {
                answer["content"][kind] = json!({ "schema": { "type": "string" } });
            }
        }
        let refused = json!({ "$ref": "#/components/responses/Refused" });
        own.insert(
            "responses".into(),
            json!({ self.answer.status.to_string(): answer, "default": refused }),
        );
        own.into()
    }
}

fn bearer(about: &str) -> Value {
    json!({ "type": "http", "scheme": "bearer", "description": about })
}

/// The OpenAPI document.
pub fn openapi() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for operation in operations() {
        let written = operation.written(&mut generator);
        let path = paths.entry(operation.path.clone()).or_insert_with(|| json!({}));
        path[operation.method] = written;
    }
    let refusal = generator.subschema_for::<ToldRefusal>();
    let schemas = generator.take_definitions(true);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Quadrille",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Board games between people and computers, and everything one can ask about them. \
                Answers of type `application/x-ndjson` are lines of JSON; the schema describes one line.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "responses": { "Refused": {
                "description": "Refused; nothing has been stored.",
                "content": { JSON: { "schema": refusal } },
            } },
            "securitySchemes": {
                "seat": bearer("The secret of a seat."),
                "key": bearer("The key of a player."),
                "guest": bearer("The secret chosen by a guest."),
            },
        },
    })
}

/// The description at `/api/openapi.json`, and requests as JSON Schema at `/api/requests.json`.
pub fn router(documents: &Documents) -> Router {
    let served = |make: fn() -> Value| {
        let documents = documents.clone();
        get(move |client: Option<Extension<Client>>, uri: Uri, headers: HeaderMap| {
            fetched(documents, client, uri, headers, make)
        })
    };
    Router::new()
        .route("/api/openapi.json", served(openapi))
        .route("/api/requests.json", served(schema::line))
}

async fn fetched(
    documents: Documents,
    client: Option<Extension<Client>>,
    uri: Uri,
    headers: HeaderMap,
    make: fn() -> Value,
) -> Answered<Response> {
    let client = client.map_or(SERVER, |Extension(client)| client.0);
    let make = move || Ok(Document::new(JSON, make().to_string(), None));
    Ok(documents.get(uri.path(), client, make).await?.answer(&headers))
}
