//! The engine's answer in a query: limits in, best lines out.

use super::Refusal;
use engine::{Limits, LineView, Session, Stop, Thinker, make_whole};
use rules::game::shorten;
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The size of a table: every request clears it, so it is no larger than a search of seconds needs.
pub const MEBIBYTES: usize = 32;

/// The fields, each with the largest number it takes; the smallest is 1.
const FIELDS: [(&str, u64); 5] = [
    ("time_ms", 3_600_000),
    ("nodes", 1_000_000_000_000),
    ("depth", 100),
    ("lines", 50),
    ("threads", 64),
];

/// How long to search when nothing is said.
const TIME: Duration = Duration::from_secs(1);

/// What a request allows, if it asks for a search at all.
pub fn limits(search: Option<&Value>) -> Result<Option<Limits>, Refusal> {
    let search = match search {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(search)) => search,
        Some(_) => return Err(Refusal::new("search", "expected an object")),
    };
    if let Some(unknown) = search.keys().find(|key| FIELDS.iter().all(|(name, _)| key != name)) {
        let names = FIELDS.map(|(name, _)| name).join(", ");
        let message = format!("unknown field, expected one of {names}");
        return Err(Refusal::new(&format!("search.{}", shorten(unknown)), message));
    }
    let [time, nodes, depth, lines, threads] = FIELDS.map(|field| number(search, field));
    let mut limits = Limits {
        time: time?.map(Duration::from_millis),
        nodes: nodes?,
        depth: depth?.map(|depth| depth as u32),
        lines: lines?.unwrap_or(1) as usize,
        threads: threads?.unwrap_or(1) as usize,
    };
    if limits.time.is_none() && limits.nodes.is_none() && limits.depth.is_none() {
        limits.time = Some(TIME);
    }
    Ok(Some(limits))
}

fn number(search: &Map<String, Value>, (name, most): (&str, u64)) -> Result<Option<u64>, Refusal> {
    let value = search.get(name).unwrap_or(&Value::Null);
    match value.as_u64() {
        Some(n) if (1..=most).contains(&n) => Ok(Some(n)),
        _ if value.is_null() => Ok(None),
        _ => {
            let message =
                format!("expected a number from 1 to {most}, got {}", shorten(&value.to_string()));
            Err(Refusal::new(&format!("search.{name}"), message))
        }
    }
}

/// Searches a position afresh, so that the same request gets the same answer; a game that is over has
/// no lines.
pub fn run(thinker: &mut dyn Thinker, game: &dyn Session, limits: &Limits) -> Value {
    thinker.forget();
    let Some(mut view) = thinker.think(game, limits, &Stop::default(), &mut |_| {}) else {
        return json!({"depth": 0, "nodes": 0, "time_ms": 0, "lines": []});
    };
    make_whole(&mut view, game, thinker);
    json!({
        "depth": view.depth,
        "nodes": view.nodes,
        "time_ms": view.time.as_millis() as u64,
        "lines": view.lines.iter().map(line).collect::<Value>(),
    })
}

fn line(line: &LineView) -> Value {
    json!({"turns": line.turns, "score": line.score, "win_in": line.win_in})
}
