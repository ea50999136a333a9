//! Positions, editing, records, rules and pages, through the router.

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode, header};
use serde_json::{Value, json};
use server::http::boards;
use server::http::limits::Limits;
use server::pages::{self, Documents};
use server::work::replays::Replays;
use std::collections::BTreeSet;
use std::sync::Arc;
use tower::ServiceExt;

fn app() -> Router {
    let limits = Arc::new(Limits::new(1_000_000, 1, false));
    let documents = Documents::new(Replays::new(2, limits));
    boards::router(documents.clone()).merge(pages::router(None, None, documents, None))
}

async fn send(request: Request<Body>) -> (StatusCode, Response<Body>) {
    let response = app().oneshot(request).await.unwrap();
    (response.status(), response)
}

async fn text(response: Response<Body>) -> String {
    let bytes = axum::body::to_bytes(response.into_body(), 4 << 20).await.unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

async fn get(path: &str) -> (StatusCode, String) {
    let (status, response) = send(Request::get(path).body(Body::empty()).unwrap()).await;
    (status, text(response).await)
}

async fn post(path: &str, body: &Value) -> (StatusCode, String) {
    let request = Request::post(path).header(header::CONTENT_TYPE, "application/json");
    let (status, response) = send(request.body(Body::from(body.to_string())).unwrap()).await;
    (status, text(response).await)
}

async fn asked(path: &str, body: Value) -> Value {
    let (status, answer) = post(path, &body).await;
    assert_eq!(status, StatusCode::OK, "{answer}");
    serde_json::from_str(&answer).unwrap()
}

async fn refused(path: &str, body: Value) -> Value {
    let (status, answer) = post(path, &body).await;
    assert!(status.is_client_error(), "{status}: {answer}");
    serde_json::from_str(&answer).unwrap()
}

fn ids() -> impl Iterator<Item = &'static str> {
    engine::GAMES.iter().map(|entry| entry.info.id)
}

#[tokio::test]
async fn every_start_is_shown_with_its_cells_and_steps() {
    for game in ids() {
        let view = asked("/api/view", json!({ "game": game })).await;
        assert_eq!(
            (&view["turn"], &view["over"], &view["round"]),
            (&1.into(), &false.into(), &1.into())
        );
        assert_eq!(view["steps"].as_array().unwrap().len() as u64, view["count"].as_u64().unwrap());
        let svg = view["svg"].as_str().unwrap();
        assert!(svg.contains("var(--board-cell)") && !svg.contains("style="));
        let [width, height] = [0, 1].map(|i| view["size"][i].as_f64().unwrap());
        for cell in view["cells"].as_array().unwrap() {
            let name = cell["name"].as_str().unwrap();
            assert!(cell["says"].as_str().unwrap().starts_with(name));
            assert!((0.0..width).contains(&cell["at"][0].as_f64().unwrap()));
            assert!((0.0..height).contains(&cell["at"][1].as_f64().unwrap()));
        }
    }
}

#[tokio::test]
async fn a_turn_in_the_making_shows_how_to_go_on() {
    let start = asked("/api/view", json!({ "game": "glaisher" })).await;
    let shift = start["steps"][0]["text"].as_str().unwrap();
    let view = asked("/api/view", json!({ "game": "glaisher", "turns": [shift] })).await;
    assert_eq!((&view["in_turn"], &view["turn"]), (&true.into(), &1.into()));
    assert_eq!(view["last"].as_array().unwrap().len(), 1);
    let place = view["steps"][0]["text"].as_str().unwrap();
    let turn = format!("{shift}{place}");
    let done = asked("/api/view", json!({ "game": "glaisher", "turns": [turn] })).await;
    assert_eq!(
        (&done["in_turn"], &done["turn"], &done["turns"]),
        (&false.into(), &2.into(), &json!([turn]))
    );
    assert_eq!(done["last"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_step_says_whether_it_ends_the_turn() {
    for game in ids() {
        let start = asked("/api/view", json!({ "game": game })).await;
        for step in start["steps"].as_array().unwrap().iter().step_by(7) {
            let after = asked("/api/view", json!({ "game": game, "turns": [step["text"]] })).await;
            assert_eq!(step["ends"], json!(after["in_turn"] == false), "{game}: {step}");
        }
    }
}

#[tokio::test]
async fn a_finished_game_shows_its_winning_line_and_no_steps() {
    let text = "x2x2/6/1ooox1/6/o1xx2/5o 1";
    let view = asked("/api/view", json!({ "game": "gekitai", "position": text })).await;
    assert_eq!(
        (&view["over"], &view["winner"], &view["count"]),
        (&true.into(), &2.into(), &0.into())
    );
    assert_eq!(view["winning"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_flipped_board_has_its_cells_at_the_opposite_places() {
    let upright = asked("/api/view", json!({ "game": "gekitai" })).await;
    let flipped = asked("/api/view", json!({ "game": "gekitai", "flipped": true })).await;
    let [first, last] = [0, 35].map(|i| upright["cells"][i]["at"][1].as_f64().unwrap());
    let [turned, other] = [0, 35].map(|i| flipped["cells"][i]["at"][1].as_f64().unwrap());
    assert!(first < last && turned > other);
    assert_eq!(upright["cells"][0]["name"], flipped["cells"][0]["name"]);
}

#[tokio::test]
async fn what_cannot_be_shown_is_refused_with_the_field() {
    let no_game = refused("/api/view", json!({ "game": "chess" })).await;
    assert_eq!(no_game["field"], "game");
    let illegal = refused("/api/view", json!({ "game": "gekitai", "turns": ["c3", "c3"] })).await;
    assert_eq!(illegal["field"], "turns[1]");
    let (status, _) = post("/api/view", &json!("text")).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn every_game_can_be_cleared_and_painted() {
    let catalogue: Value = serde_json::from_str(&get("/api/catalogue").await.1).unwrap();
    for game in catalogue["games"].as_array().unwrap() {
        let id = &game["id"];
        let cleared = asked("/api/edit", json!({ "game": id, "edit": { "clear": true } })).await;
        let cell = cleared["cells"].as_array().unwrap().len() / 2;
        for (brush, name) in
            game["brushes"].as_array().unwrap().iter().zip(game["players"].as_array().unwrap())
        {
            let edit = json!({ "cell": cell, "brush": brush["id"] });
            let request = json!({ "game": id, "position": cleared["position"], "edit": edit });
            let painted = asked("/api/edit", request).await;
            let says = painted["cells"][cell]["says"].as_str().unwrap().to_lowercase();
            assert!(says.contains(&name.as_str().unwrap().to_lowercase()), "{says}");
        }
        let turned = json!({ "game": id, "position": cleared["position"], "edit": { "turn": 2 } });
        assert_eq!(asked("/api/edit", turned).await["turn"], 2);
    }
}

#[tokio::test]
async fn an_edit_that_cannot_be_says_why() {
    let knights = json!({ "game": "jeson-mor", "position": "n4/5/5/5/5 2", "edit": { "cell": 0, "brush": "none" } });
    assert!(refused("/api/edit", knights).await["error"].as_str().unwrap().contains("no knights"));
    for edit in [
        json!({ "cell": 99, "brush": "x" }),
        json!({ "cell": 0, "brush": "broom" }),
        json!({ "turn": 3 }),
        json!({}),
    ] {
        refused("/api/edit", json!({ "game": "gekitai", "edit": edit })).await;
    }
}

#[tokio::test]
async fn a_record_becomes_a_tree_and_a_record_again() {
    let record = "[Game \"gekitai\"]\n[Result \"*\"]\n\n1. c3 {Here.} ( 1. a1 b2 ) 1... d4 *\n";
    let tree = asked("/api/tree", json!({ "record": record })).await;
    assert_eq!(tree["nodes"].as_array().unwrap().len(), 4);
    assert_eq!(
        tree["nodes"][1],
        json!({ "turn": "a1", "after": null, "comment": "", "glyph": "" })
    );
    let (status, text) = post("/api/record", &tree).await;
    assert_eq!((status, text.as_str()), (StatusCode::OK, record));
    assert_eq!(refused("/api/tree", json!({ "record": "1. zz *" })).await["field"], "record");
}

#[tokio::test]
async fn the_rules_come_with_their_pictures() {
    for info in engine::GAMES.iter().map(|entry| entry.info) {
        let (status, page) = get(&format!("/api/rules/{}", info.id)).await;
        assert_eq!(status, StatusCode::OK);
        let pictures = info.rules.matches("![").count();
        assert_eq!(page.matches("<svg").count(), pictures, "{}", info.id);
        assert!(page.starts_with("<h1>") && !page.contains("<img") && !page.contains("style="));
    }
    assert_eq!(get("/api/rules/chess").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn all_pages_are_one_document_whose_files_exist() {
    let around = |page: &str| page.split("</main>").nth(1).map(str::to_owned);
    let (_, index) = get("/play").await;
    assert!(around(&index).is_some());
    let mut files = BTreeSet::new();
    for (path, drawn) in [
        ("/abcd1234", 0),
        ("/embed/abcd1234", 0),
        ("/analysis/gekitai/nonsense", 0),
        ("/analysis/gekitai/6/6/6/6/6/6_1", 1),
        ("/analysis/gekitai", 1),
        ("/puzzles/gekitai/1", 1),
        ("/learn/gekitai", 1),
        ("/rules/gekitai", 3),
        ("/", ids().count()),
        ("/learn", ids().count()),
        ("/editor", ids().count()),
    ] {
        // The first paint is part of the document; everything else is the same.
        let (status, page) = get(path).await;
        assert_eq!((status, around(&page)), (StatusCode::OK, around(&index)), "{path}");
        assert_eq!(page.matches("<svg").count() - index.matches("<svg").count(), drawn, "{path}");
        // All covers are in one file.
        let named = page.split('"').filter(|word| word.starts_with("/assets/"));
        files.extend(named.map(|word| word.split('#').next().unwrap().to_owned()));
        assert!(!page.contains("<!--"), "{path}");
    }
    assert_eq!(files.len(), 7, "{files:?}");
    for file in files {
        assert_eq!(get(&file).await.0, StatusCode::OK, "{file}");
    }
    assert_eq!(get("/assets/other/main.js").await.0, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_known_page_is_not_sent_again_and_its_files_are_kept() {
    let (_, first) = send(Request::get("/").body(Body::empty()).unwrap()).await;
    let tag = first.headers()[header::ETAG].clone();
    let again = Request::get("/").header(header::IF_NONE_MATCH, tag).body(Body::empty()).unwrap();
    assert_eq!(send(again).await.0, StatusCode::NOT_MODIFIED);
    let index = text(first).await;
    let file = index.split('"').find(|word| word.ends_with("main.js")).unwrap().to_owned();
    let (_, script) = send(Request::get(file).body(Body::empty()).unwrap()).await;
    assert!(script.headers()[header::CACHE_CONTROL].to_str().unwrap().contains("immutable"));
    assert!(
        script.headers()[header::CONTENT_TYPE].to_str().unwrap().starts_with("text/javascript")
    );
}

/// The scripts and styles of the pages.
fn web_files() -> Vec<(String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/web");
    let mut paths = Vec::new();
    append_paths(std::path::Path::new(folder), &mut paths);
    let written = |path: &std::path::PathBuf| {
        !matches!(path.extension().and_then(|name| name.to_str()), Some("gz" | "png"))
    };
    let read = |path: std::path::PathBuf| {
        (path.display().to_string(), std::fs::read_to_string(&path).unwrap())
    };
    paths.into_iter().filter(written).map(read).collect()
}

fn append_paths(folder: &std::path::Path, paths: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { append_paths(&path, paths) } else { paths.push(path) }
    }
}

#[test]
fn no_script_names_a_game() {
    for (path, text) in web_files() {
        let lower = text.to_lowercase();
        for info in engine::GAMES.iter().map(|entry| entry.info) {
            let spaced = info.id.replace('-', " ");
            let joined = info.id.replace('-', "");
            for name in [info.id, &info.name.to_lowercase(), &spaced, &joined] {
                assert!(!lower.contains(name), "{path} names {name}");
            }
        }
    }
}

#[test]
fn no_page_has_inline_styles_or_scripts() {
    for (path, text) in web_files() {
        assert!(!text.contains("style=\"") && !text.contains("innerHTML"), "{path}");
        assert!(!text.contains("<script>") && !text.contains("<style"), "{path}");
    }
}
