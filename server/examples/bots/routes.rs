//! All the routes of the server, for attacking them.

use engine::Session;
use engine::playouts::random_turn;
use rules::random::Random;
use serde_json::{Value, json};

/// The routes by their patterns, each with the paths to fetch; none if it can only be posted to.
pub const ROUTES: &[(&str, &[&str])] = &[
    ("/", &["/"]),
    ("/analysis", &["/analysis"]),
    ("/analysis/{*rest}", &["/analysis/six-making", "/analysis/nonsense"]),
    ("/api/analysis", &[]),
    ("/api/archive", &["/api/archive", "/api/archive?game=gekitai&rated=true&most=100"]),
    ("/api/archive/export", &["/api/archive/export", "/api/archive/export?format=records"]),
    ("/api/archive/position", &["/api/archive/position?game=glaisher"]),
    ("/api/atlas/{game}", &["/api/atlas/gekitai"]),
    ("/api/branch", &[]),
    ("/api/catalogue", &["/api/catalogue"]),
    ("/api/edit", &[]),
    ("/api/games", &[]),
    ("/api/games/{id}", &["/api/games/{id}"]),
    ("/api/games/{id}/commands", &[]),
    ("/api/games/{id}/events", &["/api/games/{id}/events"]),
    ("/api/games/{id}/record", &["/api/games/{id}/record"]),
    ("/api/games/{id}/rematch", &["/api/games/{id}/rematch"]),
    ("/api/games/{id}/socket", &["/api/games/{id}/socket"]),
    ("/api/health", &["/api/health"]),
    ("/api/ready", &["/api/ready"]),
    ("/api/hint", &[]),
    ("/api/lesson", &[]),
    ("/api/lessons/{game}", &["/api/lessons/glaisher"]),
    ("/api/lobby", &["/api/lobby"]),
    ("/api/lobby/socket", &["/api/lobby/socket"]),
    ("/api/lobby/{id}", &["/api/lobby/{id}"]),
    ("/api/me", &["/api/me"]),
    ("/api/me/key", &[]),
    ("/api/openapi.json", &["/api/openapi.json"]),
    ("/api/players", &["/api/players", "/api/players?name=nobody"]),
    ("/api/players/{id}", &["/api/players/{id}"]),
    ("/api/players/{id}/ratings/{game}", &["/api/players/{id}/ratings/gekitai"]),
    ("/api/proof", &[]),
    ("/api/puzzle", &[]),
    ("/api/puzzles/{game}", &["/api/puzzles/glaisher"]),
    ("/api/query", &[]),
    ("/api/record", &[]),
    ("/api/requests.json", &["/api/requests.json"]),
    ("/api/results/{game}", &["/api/results/gekitai"]),
    ("/api/review", &[]),
    ("/api/rules/{game}", &["/api/rules/glaisher"]),
    ("/api/table", &[]),
    ("/api/tree", &[]),
    ("/api/turn", &[]),
    ("/api/view", &[]),
    ("/api/watch", &["/api/watch"]),
    ("/archive", &["/archive"]),
    (
        "/assets/{version}/{*name}",
        &[
            "/assets/{version}/main.js",
            "/assets/{version}/pages.css",
            "/assets/{version}/quadrille.wasm",
            "/assets/{version}/catalogue.json",
            "/assets/{version}/rules-gekitai.html",
            "/assets/{version}/icon-512.png",
        ],
    ),
    ("/docs", &["/docs"]),
    ("/docs/{name}", &["/docs/hosting"]),
    ("/editor", &["/editor"]),
    ("/editor/{*rest}", &["/editor/jeson-mor"]),
    ("/embed/{id}", &["/embed/{id}"]),
    ("/favicon.ico", &["/favicon.ico"]),
    ("/learn", &["/learn"]),
    ("/learn/{*rest}", &["/learn/gekitai/2"]),
    ("/lobby", &["/lobby"]),
    ("/manifest.webmanifest", &["/manifest.webmanifest"]),
    ("/picture/{id}", &["/picture/{id}"]),
    ("/play", &["/play"]),
    ("/player/{id}", &["/player/abcdefgh"]),
    ("/puzzles", &["/puzzles"]),
    ("/puzzles/{*rest}", &["/puzzles/glaisher/50", "/puzzles/jeson-mor/7"]),
    ("/results", &["/results"]),
    ("/results/{*rest}", &["/results/gekitai"]),
    ("/robots.txt", &["/robots.txt"]),
    ("/rules/{game}", &["/rules/all", "/rules/glaisher"]),
    ("/sw.js", &["/sw.js"]),
    ("/{id}", &["/{id}", "/abcdefgh"]),
];

/// The paths to fetch from a server with a game of this id and files of this version.
pub fn paths(id: &str, version: &str) -> Vec<String> {
    let fill = |path: &&str| path.replace("{id}", id).replace("{version}", version);
    ROUTES.iter().flat_map(|(_, paths)| paths.iter().map(fill)).collect()
}

/// The version in a page's URLs.
pub fn version(page: &str) -> Option<&str> {
    page.split_once("/assets/")?.1.split('/').next()
}

/// The most expensive request for each route that takes a body, given a long game; searches take this many
/// milliseconds.
pub fn posts(long: &Value, ms: u64) -> Vec<(&'static str, Value)> {
    let with = |fields: Value| {
        let mut all = long.clone();
        if let (Some(all), Value::Object(fields)) = (all.as_object_mut(), fields) {
            all.extend(fields);
        }
        all
    };
    let turns: Vec<&str> =
        long["turns"].as_array().into_iter().flatten().flat_map(Value::as_str).collect();
    let after = |number: usize| number.checked_sub(1);
    let nodes = turns.iter().enumerate();
    let nodes: Vec<_> =
        nodes.map(|(number, turn)| json!({ "turn": turn, "after": after(number) })).collect();
    let pairs = turns.chunks(2).enumerate();
    let pairs: Vec<_> =
        pairs.map(|(number, pair)| format!("{}. {}", number + 1, pair.join(" "))).collect();
    let game = &long["game"];
    let record = format!("[Game {game}]\n\n{} *\n", pairs.join(" "));
    let tree = json!({ "game": game, "nodes": nodes });
    let seats = json!([{ "kind": "person" }, { "kind": "person" }]);
    let everything = json!(["turns", "children", "position", "text", "svg", "seed", "seed_best"]);
    let short = &turns[..turns.len().min(20)];
    vec![
        ("/api/analysis", with(json!({ "time_ms": ms, "lines": 5 }))),
        ("/api/branch", json!({ "tree": tree, "do": "add", "turns": [] })),
        ("/api/edit", with(json!({ "edit": { "turn": 2 } }))),
        ("/api/games", with(json!({ "seats": seats, "shared": true }))),
        ("/api/hint", with(json!({ "time_ms": ms }))),
        ("/api/lobby", json!({ "game": "glaisher", "clock": { "kind": "days", "days": 3 } })),
        ("/api/me/key", json!({})),
        ("/api/players", json!({ "name": "Somebody at the gate" })),
        ("/api/lesson", json!({ "game": "glaisher", "number": 1, "answer": true })),
        ("/api/proof", json!({ "game": "jeson-mor", "options": { "size": 5 } })),
        ("/api/puzzle", json!({ "game": "glaisher", "number": 50, "solution": true })),
        (
            "/api/query",
            json!({ "game": "glaisher", "want": everything, "search": { "time_ms": ms, "lines": 5 } }),
        ),
        ("/api/query", json!({ "game": "glaisher", "want": everything })),
        ("/api/record", tree.clone()),
        ("/api/review", json!({ "game": game, "turns": short, "time_ms": ms / 20 })),
        (
            "/api/table",
            json!({ "make": with(json!({ "seats": seats })), "command": { "do": "resign", "seat": 1 }, "now": 1_790_000_000_000_u64 }),
        ),
        ("/api/tree", json!({ "record": record })),
        ("/api/turn", json!({ "game": "glaisher", "player": { "kind": "level", "level": 10 } })),
        ("/api/view", long.clone()),
    ]
}

/// A game that lasts for this many turns.
pub fn long_game(turns: usize) -> Value {
    let mut random = Random::new(7);
    for entry in engine::GAMES {
        let Ok(mut session) = (entry.start)(&Default::default()) else { continue };
        while session.turns_played() < turns {
            let tries = (0..50).find_map(|_| quiet_turn(session.as_ref(), &mut random));
            let Some(turn) = tries else { break };
            if session.play(&turn).is_err() {
                break;
            }
        }
        if session.turns_played() == turns {
            return json!({ "game": entry.info.id, "turns": session.history() });
        }
    }
    json!({ "game": "glaisher", "turns": [] })
}

/// A random turn that does not end the game.
fn quiet_turn(session: &dyn Session, random: &mut Random) -> Option<String> {
    let (mut next, turn) = (session.boxed_clone(), random_turn(session, random));
    next.play(&turn).ok()?;
    next.result().is_none().then_some(turn)
}
