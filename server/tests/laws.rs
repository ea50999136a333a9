//! One meaning everywhere: after random commands, everybody who folds the events has the same game, and random taps
//! enter the same turn. The server folds with `Played`, the terminal reads a game and follows events, the pages'
//! WebAssembly program answers `table` requests, and the pages' scripts have folds and tap readers of their own
//! (`web-tests/laws.mjs`, run by Node.js).

use crate::common::Local;
use engine::playouts::random_turn;
use engine::{GAMES, Session, Step};
use rules::random::Random;
use rules::{ByPlayer, Player};
use serde_json::{Value, json};
use server::games::played::Played;
use std::io::Write;
use std::process::{Command, Stdio};
use table::premove::Premove;
use table::referee::{self, Action};
use table::taps::{Spelling, stage};
use table::{Ending, Event, Fact, Pauses, Reason, State, Tree};

/// How many games and positions are tried.
fn cases() -> u64 {
    if std::env::var_os("QUADRILLE_LONG").is_some() { 2_000 } else { 150 }
}

const ID: &str = "abcdefgh";

/// The settings of a random game.
fn created(random: &mut Random) -> Value {
    let seats = [
        json!([{"kind": "person", "name": "Ann"}, {"kind": "person", "name": "Ben"}]),
        json!([{"kind": "person", "name": "Ann"}, {"kind": "open"}]),
        json!([{"kind": "person"}, {"kind": "level", "level": 3}]),
        json!([{"kind": "level", "level": 1}, {"kind": "person", "name": "Zoë"}]),
    ];
    let clocks = [
        json!({"kind": "none"}),
        json!({"kind": "time", "seconds": 60, "increment": 2}),
        json!({"kind": "days", "days": 2}),
    ];
    let (seats, clock) = (&seats[random.below(4)], &clocks[random.below(3)]);
    let people = seats[0]["kind"] == "person" && seats[1]["kind"] == "person";
    let shared = people && random.below(3) == 0;
    let entry = &GAMES[random.below(GAMES.len())];
    let option = random.pick(entry.info.options).filter(|_| random.below(2) == 0);
    let mut options = option
        .map_or(json!({}), |option| json!({ option.name: random.pick(&option.values.list()) }));
    // Some values depend on others: many markers need a large board, for instance.
    let mut session = (entry.start)(options.as_object().unwrap()).unwrap_or_else(|_| {
        options = json!({});
        (entry.start)(&Default::default()).unwrap()
    });
    let before = played(random, session.as_mut());
    let start = session.text();
    let turns = played(random, session.as_mut()).split_off(before.len());
    json!({"game": entry.info.id, "options": options, "start": start, "turns": turns, "seats": seats.clone(),
        "shared": shared, "clock": clock, "seq": 1, "at": 1_000})
}

/// All turns of a match after up to two more, none of which ends it.
fn played(random: &mut Random, session: &mut dyn Session) -> Vec<String> {
    for _ in 0..random.below(6).saturating_sub(3) {
        let turn = random_turn(session, random);
        let mut next = session.boxed_clone();
        if next.play(&turn).is_ok() && next.outcome().is_none() {
            session.play(&turn).unwrap();
        }
    }
    session.history()
}

fn action(random: &mut Random, state: &State) -> Action {
    let turns = state.session.turns();
    match random.below(14) {
        0 => Action::OfferDraw,
        1 => Action::Accept,
        2 => Action::Decline,
        3 => Action::Undo,
        4 => Action::Join { name: Some(format!("Guest {}", random.below(9))), secret: None },
        5 if random.below(5) == 0 => Action::Resign,
        5 if random.below(5) == 0 => Action::Abort,
        6 => Action::Rematch,
        _ => match random.pick(&turns) {
            Some(turn) => Action::Move { turn: turn.clone() },
            None => Action::Rematch,
        },
    }
}

/// The events that result from a random action, if the referee allows it.
fn decided(random: &mut Random, state: &State, at: i64) -> Vec<Event> {
    if let Some(loser) = state.course.out_of_time(at) {
        let result = Fact::Result(Ending::new(Some(loser.other()), Reason::Time));
        return state.events(None, vec![result], None, at);
    }
    let turn = state.course.turn;
    let seat = if random.below(4) == 0 { turn.other() } else { turn };
    let action = action(random, state);
    let Ok(decision) = referee::decide(state, seat, &action) else { return Vec::new() };
    state.events(Some(seat), decision.facts(), None, at)
}

/// An eventful game: its JSON after the first and each later event, the events as stored and as sent, and the pauses of
/// its clocks.
struct Story {
    shown: Vec<Value>,
    stored: Vec<Event>,
    told: Vec<Value>,
    pauses: Pauses,
}

fn story(seed: u64) -> Story {
    let random = &mut Random::new(seed);
    let wanted = created(random);
    let mut made = State::read(&wanted).unwrap().created;
    // The JSON of a game has all turns in one list, while stored events keep the initial ones apart.
    made.turns = serde_json::from_value(wanted["turns"].clone()).unwrap();
    let fact = Fact::Created(Box::new(made.clone()));
    let first = Event { seq: 1, seat: None, at: 1_000, fact, command: None };
    let pauses = Pauses::new((0..random.below(3)).map(|i| {
        let from = 5_000 + 20_000 * i as i64;
        (from, from + 1 + random.below(9_000) as i64)
    }));
    let mut state = State::new(made, 1, 1_000, &pauses).unwrap();
    let mut story = Story { shown: Vec::new(), stored: vec![first], told: Vec::new(), pauses };
    let mut at = 1_000;
    story.shown.push(Value::Object(state.json(ID, at)));
    for _ in 0..40 {
        at += random.below(4_000) as i64;
        for event in decided(random, &state, at) {
            state.apply(&event).unwrap();
            story.told.push(Value::Object(event.json(&state.course)));
            story.shown.push(Value::Object(state.json(ID, event.at)));
            story.stored.push(event);
        }
    }
    story
}

/// Sends a request as the pages' WebAssembly program gets it.
fn asked(request: &Value) -> Value {
    let (mut desk, mut told) = (requests::Desk::new(0), Value::Null);
    let (budget, stop) = (&requests::Budget::PAGE, &Default::default());
    let text = request.to_string();
    requests::reply(text.as_bytes(), &mut desk, budget, stop, &mut |reply| told = reply);
    told
}

#[test]
fn whoever_folds_the_events_of_a_game_has_the_same_game() {
    let mut kinds = std::collections::BTreeSet::new();
    let mut lines = Vec::new();
    for seed in 0..cases() {
        let Story { shown, stored, told, pauses } = story(seed);
        kinds.extend(told.iter().map(|event| event["kind"].as_str().unwrap().to_owned()));
        let last = shown.last().unwrap();
        let at = last["at"].as_i64().unwrap();
        let server = Played::replay(ID, &stored, ByPlayer::both(None), &pauses);
        let server = server.unwrap().unwrap().json(ID, at);
        assert_eq!(&Value::Object(server), last, "the server, seed {seed}");
        // A client joins in the middle: it reads the game as it is then, and follows later events.
        let came = seed as usize % shown.len();
        let mut terminal = State::read(&shown[came]).unwrap();
        for event in &told[came..] {
            terminal.follow(&Event::read(event).unwrap()).unwrap();
        }
        let names = |state: &State| Player::BOTH.map(|seat| state.course.name(seat).to_owned());
        assert_eq!(names(&terminal), names(&State::read(last).unwrap()), "seed {seed}");
        // A server sends the clocks after pauses separately from events; `clocks::` tests that.
        let seen = |mut game: Value| {
            if pauses.count() > 0 {
                game["clocks"] = Value::Null;
            }
            game
        };
        let terminal = Value::Object(terminal.json(ID, at));
        assert_eq!(seen(terminal), seen(last.clone()), "the terminal, seed {seed}");
        let request =
            json!({"ask": "table", "table": shown[came], "events": told[came..], "now": at});
        let program = asked(&request)["table"].take();
        assert_eq!(seen(program), seen(last.clone()), "the page's program, seed {seed}");
        lines.push(json!({"fold": {"game": shown[came], "events": told[came..], "after": last}}));
    }
    let all = ["declined", "joined", "move", "offer", "rematch", "result", "undone"];
    assert!(kinds.iter().eq(all), "a test that tries little finds little: {kinds:?}");
    by_scripts(&lines);
}

/// A random command over HTTP, sensible or not.
fn wish(random: &mut Random, state: &State, seat: usize, shared: bool) -> Value {
    let mut wish = match random.below(20) {
        0..8 if state.session.result().is_none() => {
            json!({"type": "move", "turn": random_turn(state.session.as_ref(), random)})
        }
        8 | 9 => json!({"type": "join", "name": *random.pick(&["Bob", "Cem", ""]).unwrap()}),
        10 | 11 => json!({"type": "offer-draw"}),
        12..15 => json!({"type": "undo"}),
        15 | 16 => json!({"type": "decline"}),
        17 => json!({"type": "accept"}),
        18 if random.below(3) == 0 => json!({"type": "resign"}),
        19 if random.below(6) == 0 => json!({"type": "abort"}),
        _ => json!({"type": "rematch"}),
    };
    if shared {
        wish["seat"] = seat.into();
    }
    wish
}

#[tokio::test]
async fn what_a_server_shows_follows_from_what_it_tells() {
    let local = Local::new().await;
    for seed in 0..cases() / 3 {
        let random = &mut Random::new(seed);
        let wanted = created(random);
        let mut body = wanted.clone();
        body["position"] = body["start"].take();
        body.as_object_mut().unwrap().retain(|name, _| !["start", "seq", "at"].contains(&&**name));
        let mut game = local.make(body).await;
        let mut shown = vec![local.show(&game).await];
        for _ in 0..14 {
            let seat = 1 + random.below(2);
            if game.tokens[seat - 1].is_empty() {
                continue;
            }
            let state = State::read(shown.last().unwrap()).unwrap();
            let wish = wish(random, &state, seat, wanted["shared"] == true);
            let answer = local.command(&game, seat, wish).await;
            if let Some(fresh) = answer.json()["token"].as_str() {
                game.tokens[seat - 1] = fresh.to_owned();
            }
            shown.push(local.show(&game).await);
        }
        let events = local.events(&game).await;
        let mut state = State::read(&shown[0]).unwrap();
        for shown in &shown {
            while state.course.seq < shown["seq"].as_i64().unwrap() {
                let next = usize::try_from(state.course.seq).unwrap();
                state.follow(&Event::read(&events[next]).unwrap()).unwrap();
            }
            let at = shown["clocks"]["at"].as_i64().unwrap_or(0);
            assert!(shown["clocks"].is_null() || at >= shown["at"].as_i64().unwrap(), "{shown}");
            assert_eq!(&Value::Object(state.json(&game.id, at)), shown, "seed {seed}");
        }
    }
}

#[test]
fn games_that_versions_0_1_and_0_2_kept_in_browsers_are_read_as_they_are() {
    let kept = json!({"id": ID, "seq": 4, "board_seq": 4, "game": "gekitai", "options": {},
        "start": "6/6/6/6/6/6 1", "seats": [{"kind": "person", "name": "You", "joined": true},
        {"kind": "level", "level": 3, "joined": true}], "shared": false,
        "clock": {"kind": "time", "seconds": 300, "increment": 3}, "turns": ["c3", "d4", "e5"],
        "turn": 2, "result": null, "offer": null, "rematch": null,
        "clocks": {"left": [299000, 298500.5], "running": 2, "at": 1700000000123.0}});
    let request = json!({"ask": "table", "table": kept, "now": 1_700_000_001_123_i64,
        "command": {"do": "move", "turn": "a1", "seat": 2, "board_seq": 4}});
    let told = asked(&request);
    assert_eq!(told["table"]["turns"], json!(["c3", "d4", "e5", "a1"]), "{told}");
    assert_eq!(told["table"]["clocks"]["left"], json!([299_000, 300_500]));
    assert_eq!(told["events"][0]["seq"], 5);
    let without_clock = json!({"id": ID, "seq": 1, "game": "gekitai", "start": "6/6/6/6/6/6 1",
        "seats": [{"kind": "person"}, {"kind": "person"}], "shared": true, "clock": null, "turns": []});
    assert!(State::read(&without_clock).is_ok());
}

#[test]
fn a_tap_means_the_same_in_the_terminal_and_on_the_page() {
    let mut lines = Vec::new();
    for seed in 0..cases() {
        let random = &mut Random::new(seed);
        let entry = &GAMES[seed as usize % GAMES.len()];
        let mut session = (entry.start)(&Default::default()).unwrap();
        for _ in 0..random.below(20) {
            let steps = session.steps();
            match random.pick(&steps) {
                Some(step) => session.play(&step.text).unwrap(),
                None => break,
            }
        }
        lines.push(tapped(random, session.as_ref()));
    }
    by_scripts(&lines);
}

/// Random taps, and their outcome.
fn tapped(random: &mut Random, session: &dyn Session) -> Value {
    let steps = session.steps();
    let cells = session.diagram().cells.len();
    let (mut spelling, mut done, mut after) = (Spelling::default(), Vec::new(), Vec::new());
    for _ in 0..12 {
        let here = stage(&steps, &spelling);
        let choices = here.choices();
        let cell = |random: &mut Random| match random.pick(&here.cells) {
            Some(cell) if random.below(4) > 0 => *cell,
            _ => random.below(cells),
        };
        let (did, next) = match (random.below(8), random.pick(&choices)) {
            (0, _) => (json!({"back": true}), spelling.back(&steps)),
            (1, _) => {
                let (from, to) = (cell(random), cell(random));
                (json!({"drag": [from, to]}), Spelling::drag(&steps, from, to))
            }
            (2..=4, Some(choice)) => {
                let did = json!({"choose": choice.label, "stage": choice.stage});
                (did, spelling.choose(&steps, choice))
            }
            _ => {
                let cell = cell(random);
                (json!({"tap": cell}), spelling.tap(&steps, cell))
            }
        };
        spelling = next;
        let there = stage(&steps, &spelling);
        let labels: Vec<_> = spelling.taps.iter().map(|tap| &tap.label).collect();
        let step = there.step.map(|step| &step.text);
        after
            .push(json!({"taps": labels, "aim": spelling.aim, "cells": there.cells, "step": step}));
        done.push(did);
    }
    let shown = serde_json::to_value(requests::view::Shown::of(session, false)).unwrap();
    json!({"taps": {"steps": shown["steps"], "do": done, "after": after}})
}

#[test]
fn a_turn_chosen_ahead_is_the_same_in_the_terminal_and_on_the_page() {
    let (mut lines, mut dues) = (Vec::new(), 0);
    for seed in 0..cases() {
        let random = &mut Random::new(seed);
        let entry = &GAMES[seed as usize % GAMES.len()];
        let mut session = (entry.start)(&Default::default()).unwrap();
        played(random, session.as_mut());
        let cells = session.diagram().cells.len();
        let steps = |session: &dyn Session| {
            serde_json::to_value(requests::view::Shown::of(session, false)).unwrap()["steps"].take()
        };
        let ends = |step: &Step| {
            let mut next = session.boxed_clone();
            next.play(&step.text).is_ok() && !next.in_turn()
        };
        let mut ahead = Premove::new(session.steps(), ends);
        let (mut taps, mut chosen) = (Vec::new(), Vec::new());
        for _ in 0..8 {
            let here = stage(&ahead.steps, &ahead.spelling).cells;
            let cell = match random.pick(&here) {
                Some(cell) if random.below(4) > 0 => *cell,
                _ => random.below(cells),
            };
            ahead.tap(cell);
            taps.push(cell);
            chosen.push(ahead.chosen.clone());
            if ahead.chosen.is_some() && random.below(3) > 0 {
                break;
            }
        }
        let before = steps(session.as_ref());
        played(random, session.as_mut());
        let due = ahead.due(&session.steps()).map(str::to_owned);
        dues += usize::from(due.is_some());
        let after = json!({"steps": steps(session.as_ref()), "due": due});
        lines.push(
            json!({"ahead": {"steps": before, "taps": taps, "chosen": chosen, "after": after}}),
        );
    }
    assert!(dues > 10, "a test that tries little finds little: {dues}");
    by_scripts(&lines);
}

#[test]
fn a_tree_of_variations_is_read_alike() {
    let turns = ["a1", "b2", "c3"];
    let mut lines = Vec::new();
    for seed in 0..cases() {
        let random = &mut Random::new(seed);
        let mut tree = Tree::default();
        for _ in 0..random.below(30) {
            match random.below(8) {
                0 => drop(tree.back()),
                1 => drop(tree.ahead()),
                2 => drop(tree.aside(true)),
                3 => drop(tree.promote()),
                4 if random.below(4) == 0 => drop(tree.remove()),
                _ => tree.play(random.pick(&turns).unwrap()),
            }
        }
        let (nodes, at) = tree.flat();
        let (line, choices) = (tree.line(), tree.choices());
        lines.push(json!({"tree": {"nodes": nodes, "at": at, "line": line, "choices": choices,
            "main": tree.main_line()}}));
    }
    by_scripts(&lines);
}

#[test]
fn clocks_are_written_alike() {
    let random = &mut Random::new(7);
    let left = (0..500).map(|i| random.below(1 << (i % 30)) as i64);
    let line = |left: i64| json!({"clock": {"left": left, "text": table::clock::shown(left)}});
    by_scripts(&left.map(line).collect::<Vec<_>>());
}

/// Checks the same cases with the pages' scripts.
fn by_scripts(lines: &[Value]) {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/web-tests/laws.mjs");
    let node =
        Command::new("node").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut node = node.expect("Node.js runs the page's scripts: install nodejs");
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    node.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let told = node.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&told.stdout);
    assert!(told.status.success(), "{said}");
    assert_eq!(said.trim(), lines.len().to_string(), "every case is checked");
}
