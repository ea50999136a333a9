//! `quadrille query`: JSON lines for scripts.

mod search;

use crate::failure::Failure;
use crate::input::next_line;
use crate::thinkers::Thinkers;
use engine::{Entry, GAMES, Session, Thinker, find};
use rules::game::shorten;
use rules::svg;
use serde_json::{Map, Value, json};
use std::io::Write;

/// The longest line that is read; a longer one is refused and skipped.
const MOST_BYTES: usize = 16 << 20;

/// What is wrong with a request, and where.
struct Refusal {
    message: String,
    field: Option<String>,
}

impl Refusal {
    fn new(field: &str, message: impl Into<String>) -> Refusal {
        Refusal { message: message.into(), field: Some(field.to_owned()) }
    }
}

pub fn run() -> Result<(), Failure> {
    let mut input = std::io::stdin().lock();
    let mut out = std::io::stdout().lock();
    let mut line = Vec::new();
    let mut thinkers = Thinkers::new(search::MEBIBYTES);
    while next_line(&mut input, &mut line, MOST_BYTES)? {
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        serde_json::to_writer(&mut out, &reply(&line, &mut thinkers))
            .map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()?;
    }
    Ok(())
}

fn reply(line: &[u8], thinkers: &mut Thinkers) -> Value {
    let request = if line.len() > MOST_BYTES {
        Err(format!("the line is longer than {MOST_BYTES} bytes"))
    } else {
        serde_json::from_slice(line).map_err(|error| format!("not JSON: {error}"))
    };
    let (id, answer) = match request {
        Ok(Value::Object(request)) => {
            (request.get("id").cloned().unwrap_or(Value::Null), answer(&request, thinkers))
        }
        Ok(_) => (Value::Null, Err(Refusal { message: "expected an object".into(), field: None })),
        Err(message) => (Value::Null, Err(Refusal { message, field: None })),
    };
    let mut object = Map::new();
    object.insert("id".into(), id);
    match answer {
        Ok(fields) => object.extend(fields),
        Err(Refusal { message, field }) => {
            object.insert("error".into(), message.into());
            object.extend(field.map(|field| ("field".into(), field.into())));
        }
    }
    Value::Object(object)
}

const FIELDS: [&str; 7] = ["id", "game", "options", "position", "moves", "want", "search"];

fn answer(
    request: &Map<String, Value>,
    thinkers: &mut Thinkers,
) -> Result<Map<String, Value>, Refusal> {
    if let Some(unknown) = request.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        let message = format!("unknown field, expected one of {}", FIELDS.join(", "));
        return Err(Refusal::new(&shorten(unknown), message));
    }
    let entry = game(request)?;
    let mut session = open(entry, request)?;
    for (i, text) in texts(request, "moves")?.into_iter().enumerate() {
        session.play(text).map_err(|e| Refusal::new(&format!("moves[{i}]"), e.to_string()))?;
    }
    let limits = search::limits(request.get("search"))?;
    let mut fields = Map::new();
    fields.insert("turn".into(), session.turn().number().into());
    fields.insert("over".into(), session.outcome().is_some().into());
    fields.insert("winner".into(), json!(session.outcome()));
    for (i, want) in texts(request, "want")?.into_iter().enumerate() {
        let value = wanted(session.as_ref(), want, thinkers.of(entry)).ok_or_else(|| {
            let message =
                format!("`{}` is not known, expected one of {}", shorten(want), WANTS.join(", "));
            Refusal::new(&format!("want[{i}]"), message)
        })?;
        fields.insert(want.into(), value);
    }
    if let Some(limits) = limits {
        let found = search::run(thinkers.of(entry), session.as_ref(), &limits);
        fields.insert("search".into(), found);
    }
    Ok(fields)
}

fn game(request: &Map<String, Value>) -> Result<&'static Entry, Refusal> {
    let names = || GAMES.iter().map(|entry| entry.info.id).collect::<Vec<_>>().join(", ");
    let Some(Value::String(id)) = request.get("game") else {
        return Err(Refusal::new("game", format!("is required, one of {}", names())));
    };
    find(id).ok_or_else(|| {
        Refusal::new(
            "game",
            format!("there is no game `{}`; the games are {}", shorten(id), names()),
        )
    })
}

fn open(entry: &Entry, request: &Map<String, Value>) -> Result<Box<dyn Session>, Refusal> {
    let options = match request.get("options") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(options)) => options.clone(),
        Some(_) => return Err(Refusal::new("options", "expected an object")),
    };
    let (session, prefix) = match request.get("position") {
        None | Some(Value::Null) => ((entry.start)(&options), ""),
        Some(Value::String(text)) => ((entry.from_text)(text, &options), "position"),
        Some(object @ Value::Object(_)) => ((entry.from_json)(object, &options), "position"),
        Some(_) => return Err(Refusal::new("position", "expected an object or a line of text")),
    };
    let is_text = request.get("position").is_some_and(Value::is_string);
    session.map_err(|error| {
        let field = match (prefix, error.field.as_str()) {
            ("position", "position") => "position".to_owned(),
            // A line of text has no options of its own but those the request could give.
            ("position", field) if !(field.starts_with("options") && is_text) => {
                format!("position.{field}")
            }
            (_, field) => field.to_owned(),
        };
        Refusal::new(&field, error.message)
    })
}

/// A list of texts, empty when the field is not there.
fn texts<'a>(request: &'a Map<String, Value>, field: &str) -> Result<Vec<&'a str>, Refusal> {
    match request.get(field) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            let text = |(i, item): (usize, &'a Value)| {
                item.as_str()
                    .ok_or_else(|| Refusal::new(&format!("{field}[{i}]"), "expected a text"))
            };
            items.iter().enumerate().map(text).collect()
        }
        Some(_) => Err(Refusal::new(field, "expected a list of texts")),
    }
}

const WANTS: [&str; 8] =
    ["turns", "children", "position", "text", "svg", "seed", "seed_best", "exact"];

fn wanted(session: &dyn Session, want: &str, thinker: &dyn Thinker) -> Option<Value> {
    Some(match want {
        "exact" => exact(session, thinker),
        "turns" => session.turns().into(),
        "children" => children(session),
        "position" => session.position(),
        "text" => session.text().into(),
        "svg" => svg::svg(&session.diagram(), &svg::Style::default()).into(),
        "seed" => json!({ "value": session.seed_value() }),
        "seed_best" => {
            let best = session.seed_best().into_iter();
            Value::Object(best.map(|(id, turns)| (id, turns.into())).collect())
        }
        _ => return None,
    })
}

/// Who wins after how many turns, if a table tells.
fn exact(session: &dyn Session, thinker: &dyn Thinker) -> Value {
    match thinker.exact(session) {
        None => Value::Null,
        Some(None) => json!({"winner": "draw", "turns": null}),
        Some(Some((turns, player))) => json!({"winner": player.number(), "turns": turns}),
    }
}

fn children(session: &dyn Session) -> Value {
    let child = |child: engine::session::Child| {
        json!({
            "turn": child.turn,
            "position": child.position,
            "over": child.outcome.is_some(),
            "winner": child.outcome,
        })
    };
    session.children().into_iter().map(child).collect()
}
