//! Page and server fold events by one rule: whatever the players do, the page's game is the one that `GET` shows.

use super::driver::Driver;
use super::player::turn;
use super::site::Site;
use engine::Session;
use rules::random::Random;
use serde_json::{Map, Value, json};
use std::thread;
use std::time::Duration;

/// How many lists of commands are tried; more with `QUADRILLE_LONG=1`.
fn lists() -> u64 {
    if std::env::var_os("QUADRILLE_LONG").is_some() { 300 } else { 80 }
}

/// By how many threads they are tried.
const THREADS: u64 = 12;

/// How many commands a list has.
const COMMANDS: usize = 14;

/// Folds the events of games on the page, and tells where the page's game is not the server's.
const COMPARE: &str = r#"{
    const { after } = await import(new URL('live.js', document.querySelector('script[type=module]').src).href);
    // A running clock is told by the time at which it runs out, one that stands by what is left.
    const clocks = (told) => told && { running: told.running, left: told.left.map((left, i) => left + (told.running === i + 1 ? told.at : 0)) };
    const plain = (value) => JSON.stringify(value, (_, one) => (one && typeof one === 'object' && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));
    const told = (game) => plain({ ...game, clocks: clocks(game.clocks) });
    const wrong = [];
    for (const { seed, seen, events } of window.lists) {
        let game = seen[0];
        for (const state of seen.slice(1)) {
            while (game.seq < state.seq) game = after(game, events[game.seq]);
            if (told(game) !== told(state)) wrong.push(`list ${seed}, event ${state.seq}:\n  page   ${told(game)}\n  server ${told(state)}`);
        }
    }
    return wrong;
}"#;

#[tokio::test(flavor = "multi_thread")]
async fn any_list_of_commands_makes_the_same_game_on_page_and_server() {
    let site = Site::start();
    let lists: Vec<Value> = thread::scope(|scope| {
        let share = |first: u64| (first..lists()).step_by(THREADS as usize);
        let site = &site;
        let workers: Vec<_> = (0..THREADS)
            .map(|first| scope.spawn(move || share(first).map(|s| play(site, s)).collect()))
            .collect();
        workers.into_iter().flat_map(|one| -> Vec<Value> { one.join().unwrap() }).collect()
    });
    // A test that tries nothing finds nothing.
    let kinds = lists.iter().flat_map(|list| list["events"].as_array().unwrap());
    let mut kinds: Vec<_> = kinds.map(|event| event["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let expected =
        ["created", "declined", "joined", "move", "offer", "rematch", "result", "undone"];
    assert_eq!(kinds, expected);

    let (driver, mut wrong) = (Driver::start(), Vec::new());
    let browser = driver.window(800, 600).await;
    browser.open(&site.page("/")).await;
    for some in lists.chunks(50) {
        browser.run("window.lists = arguments[0]", vec![some.into()]).await;
        let told = browser.promised(COMPARE).await;
        let told = told.as_array().unwrap_or_else(|| panic!("{told}")).clone();
        wrong.extend(told.iter().map(|line| line.as_str().unwrap().to_owned()));
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n")
    );
    browser.close().await;
}

/// A game in which much happens: its events, and how it was shown after each command.
fn play(site: &Site, seed: u64) -> Value {
    let mut random = Random::new(seed);
    let request = request(&mut random);
    let made = site.post("/api/games", &request);
    let (id, mut tokens) = (made["id"].as_str().unwrap(), made["tokens"].clone());
    let mut seen = vec![settled(site, id)];
    for _ in 0..COMMANDS {
        let game = seen.last().unwrap();
        let seat = [0, 1][random.below(2)];
        let Some(token) = tokens[seat].as_str() else { continue };
        let command = command(&mut random, game, seat, request["shared"] == true);
        if let Ok(answer) = site.command(id, token, &command)
            && let Some(fresh) = answer.get("token").filter(|fresh| fresh.is_string())
        {
            tokens[seat] = fresh.clone();
        }
        seen.push(settled(site, id));
    }
    let events = site.get(&format!("/api/games/{id}/events?after=0"));
    json!({ "seed": seed, "seen": seen, "events": events })
}

/// The game when no computer is about to move.
fn settled(site: &Site, id: &str) -> Value {
    loop {
        let game = site.get(&format!("/api/games/{id}"));
        let turn = game["turn"].as_u64().unwrap() as usize;
        let computer = matches!(game["seats"][turn - 1]["kind"].as_str(), Some("level" | "seed"));
        if !computer || !game["result"].is_null() {
            return game;
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn request(random: &mut Random) -> Value {
    let person = |random: &mut Random| match random.below(3) {
        0 => json!({ "kind": "person", "name": "Ann" }),
        1 => json!({ "kind": "person" }),
        _ => json!({ "kind": "open" }),
    };
    let (one, two) = (person(random), person(random));
    let seats = match random.below(6) {
        0 => json!([one, { "kind": "level", "level": 1 }]),
        1 => json!([{ "kind": "seed", "player": "easy" }, two]),
        _ => json!([one, two]),
    };
    let shared = random.below(6) == 0;
    let seats = if shared { json!([{ "kind": "person" }, { "kind": "person" }]) } else { seats };
    let clock = match random.below(3) {
        0 => json!({ "kind": "none" }),
        1 => json!({ "kind": "time", "seconds": 3600, "increment": 2 }),
        _ => json!({ "kind": "days", "days": 2 }),
    };
    let beginning = match random.below(3) {
        // Here the second player moves first.
        0 => json!({ "position": "4/4/1x2/4 2" }),
        1 => json!({ "turns": ["b2", "c3"] }),
        _ => json!({}),
    };
    let mut request = json!({ "game": "gekitai", "options": { "size": 4 }, "seats": seats, "shared": shared, "clock": clock });
    request.as_object_mut().unwrap().extend(beginning.as_object().unwrap().clone());
    request
}

/// Something that the player of a seat may want, sensible or not.
fn command(random: &mut Random, game: &Value, seat: usize, shared: bool) -> Value {
    let mut command = match random.below(20) {
        0..8 => json!({ "type": "move", "turn": turn_of(random, game) }),
        8 | 9 => json!({ "type": "join", "name": *random.pick(&["Bob", "Cem", ""]).unwrap() }),
        10 | 11 => json!({ "type": "offer-draw" }),
        12..15 => json!({ "type": "undo" }),
        15 | 16 => json!({ "type": "decline" }),
        17 => json!({ "type": "accept" }),
        18 if random.below(3) == 0 => json!({ "type": "resign" }),
        _ => json!({ "type": "rematch" }),
    };
    if shared {
        command["seat"] = json!(seat + 1);
    }
    command
}

/// A turn that may be played.
fn turn_of(random: &mut Random, game: &Value) -> String {
    let entry = engine::registry::find(game["game"].as_str().unwrap()).unwrap();
    let options: &Map<String, Value> = game["options"].as_object().unwrap();
    let mut session: Box<dyn Session> =
        (entry.from_text)(game["start"].as_str().unwrap(), options).unwrap();
    for turn in game["turns"].as_array().unwrap() {
        session.play(turn.as_str().unwrap()).unwrap();
    }
    if session.result().is_some() {
        return "a1".into();
    }
    turn(session.as_mut(), random).text
}
