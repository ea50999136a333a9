//! Whole games for the pages: a random game that is known beforehand, and the taps that play it.

use super::driver::Browser;
use engine::session::Step;
use engine::{GAMES, Limits, Session, Stop};
use rules::diagram::Gesture;
use rules::random::Random;
use serde_json::{Map, Value, json};

/// A game that ends with somebody's win, as taps.
pub struct Script {
    pub game: &'static str,
    pub options: Map<String, Value>,
    pub turns: Vec<Turn>,
    /// Who wins: Ann begins, Bob is second.
    pub winner: &'static str,
}

/// One turn: its text, and the taps of each of its moves.
pub struct Turn {
    pub text: String,
    pub gestures: Vec<Gesture>,
}

impl Script {
    /// A game of few turns.
    pub fn random(game: &str, options: &Value) -> Script {
        Script::short(game, options, 0)
    }

    /// A game of few turns that belongs to a seed.
    pub fn short(game: &str, options: &Value, seed: u64) -> Script {
        let options = options.as_object().unwrap();
        let games = (0..12).filter_map(|i| play(game, options, seed * 1_000 + i));
        let games = games.filter(|script| script.turns.len() >= 6);
        games.min_by_key(|script| script.turns.len()).expect("a game that somebody wins")
    }

    /// The request that makes this game, for two people at one screen.
    pub fn at_one_screen(&self) -> Value {
        json!({
            "game": self.game,
            "options": self.options,
            "shared": true,
            "seats": [{ "kind": "person", "name": "Ann" }, { "kind": "person", "name": "Bob" }],
        })
    }
}

/// After an opening, a strong player beats a weak one, which keeps games short.
fn play(game: &str, options: &Map<String, Value>, seed: u64) -> Option<Script> {
    let entry = engine::registry::find(game).unwrap();
    let mut random = Random::new(seed);
    let (mut session, mut thinker) = ((entry.start)(options).unwrap(), (entry.thinker)(1));
    let mut turns = Vec::new();
    while session.result().is_none() {
        if turns.len() > 60 {
            return None;
        }
        let skilled = turns.len() > 3 && session.turn() == rules::Player::One;
        let limits = Limits { nodes: Some(300), ..Limits::default() };
        let chosen = skilled.then(|| thinker.turn(session.as_ref(), &limits, &Stop::default()));
        turns.push(match chosen.flatten() {
            Some(text) => chosen_turn(session.as_mut(), &text),
            None => turn(session.as_mut(), &mut random),
        });
    }
    let Some(rules::Outcome::Win(player)) = session.result() else { return None };
    let winner = ["Ann", "Bob"][player.index()];
    Some(Script { game: entry.info.id, options: options.clone(), turns, winner })
}

/// Plays a random turn.
pub fn turn(session: &mut dyn Session, random: &mut Random) -> Turn {
    stepwise(session, |steps| random.pick(steps).unwrap())
}

/// Plays this turn.
fn chosen_turn(session: &mut dyn Session, text: &str) -> Turn {
    let mut rest = text;
    stepwise(session, |steps| {
        let fitting = steps.iter().filter(|step| rest.starts_with(&step.text));
        let step = fitting.max_by_key(|step| step.text.len()).unwrap();
        rest = &rest[step.text.len()..];
        step
    })
}

fn stepwise(session: &mut dyn Session, mut pick: impl FnMut(&[Step]) -> &Step) -> Turn {
    let mut gestures = Vec::new();
    loop {
        let steps = session.steps();
        let step = pick(&steps);
        gestures.push(step.gesture.clone());
        session.play(&step.text).unwrap();
        if !session.in_turn() || session.result().is_some() {
            let text = session.history().last().unwrap().clone();
            return Turn { text, gestures };
        }
    }
}

/// What a person taps with.
#[derive(Clone, Copy, PartialEq)]
pub enum Hand {
    Mouse,
    Finger,
    Keyboard,
}

/// Plays the turn with this number on a page where it may be played.
pub async fn make(browser: &Browser, turn: &Turn, number: usize, hand: Hand) {
    for (i, gesture) in turn.gestures.iter().enumerate() {
        if i > 0 {
            // The first move of the turn must be on the board before the second is spelled.
            let stage = gesture[0].stage;
            let now = "document.querySelector('.stages .now small')?.textContent.toLowerCase()";
            browser.until(&format!("stage {stage}"), &format!("{now} === '{stage}'")).await;
        }
        for tap in gesture {
            match tap.cell {
                Some(cell) => tap_cell(browser, cell, hand).await,
                None => choose(browser, &tap.label, hand).await,
            }
        }
    }
    let played = format!("document.querySelector('.turns [data-ply=\"{number}\"]')");
    let asked = "document.querySelector('#prompt').textContent.startsWith('Play ')";
    browser.until(&format!("turn {number}, or a question"), &format!("{played} || {asked}")).await;
    if browser.value(&format!("Boolean({asked})")).await == json!(true) {
        press(browser, "#stage-play", hand).await;
    }
    seen(browser, turn, number).await;
}

/// Waits until a page shows the turn with this number.
pub async fn seen(browser: &Browser, turn: &Turn, number: usize) {
    let text = format!("document.querySelector('.turns [data-ply=\"{number}\"]')?.textContent");
    let expected = serde_json::to_string(&turn.text).unwrap();
    browser.until(&format!("turn {number}"), &format!("{text} === {expected}")).await;
}

async fn tap_cell(browser: &Browser, cell: usize, hand: Hand) {
    let css = format!(".cells button[data-cell=\"{cell}\"]");
    // Cells that may be tapped are marked: only then is the page ready for this tap.
    browser
        .until(&css, &format!("document.querySelector('{css}')?.matches('.grab, .target')"))
        .await;
    match hand {
        Hand::Keyboard => {
            walk(browser, cell).await;
            browser.keys(" ").await;
        }
        _ => press(browser, &css, hand).await,
    }
}

/// The page itself makes a choice without alternatives.
async fn choose(browser: &Browser, label: &str, hand: Hand) {
    let css = format!(".chips [data-choice=\"{label}\"]");
    if browser.value(&format!("Boolean(document.querySelector('{css}'))")).await == json!(true) {
        press(browser, &css, hand).await;
    }
}

async fn press(browser: &Browser, css: &str, hand: Hand) {
    match hand {
        Hand::Finger => browser.touch(css).await,
        Hand::Mouse => browser.click(css).await,
        Hand::Keyboard => {
            browser.value(&format!("document.querySelector('{css}').focus()")).await;
            browser.keys(" ").await;
        }
    }
}

/// Walks over the board with the arrow keys, from wherever the focus is.
async fn walk(browser: &Browser, cell: usize) {
    const RIGHT: char = '\u{E014}';
    const LEFT: char = '\u{E012}';
    const DOWN: char = '\u{E015}';
    const UP: char = '\u{E013}';
    let focus = "document.querySelector('.cells button[tabindex=\"0\"]').focus()";
    if browser.value("Boolean(document.activeElement?.dataset.cell)").await != json!(true) {
        browser.value(focus).await;
    }
    for _ in 0..40 {
        let goal = place(browser, &format!("'.cells button[data-cell=\"{cell}\"]'")).await;
        let here = place(browser, "':focus'").await;
        let way = match (goal.0 - here.0, goal.1 - here.1) {
            (_, y) if y > 3.0 => DOWN,
            (_, y) if y < -3.0 => UP,
            (x, _) if x > 3.0 => RIGHT,
            (x, _) if x < -3.0 => LEFT,
            _ => return,
        };
        browser.keys(&way.to_string()).await;
    }
    panic!("the arrow keys do not lead to cell {cell}");
}

async fn place(browser: &Browser, selector: &str) -> (f64, f64) {
    let corner = format!(
        "(r => [r.left, r.top])(document.querySelector({selector}).getBoundingClientRect())"
    );
    let value = browser.value(&corner).await;
    (value[0].as_f64().unwrap(), value[1].as_f64().unwrap())
}

/// The games that the program knows.
pub fn games() -> impl Iterator<Item = &'static str> {
    GAMES.iter().map(|entry| entry.info.id)
}
