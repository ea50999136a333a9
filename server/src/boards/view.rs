//! A position as a page shows it.

use crate::error::{Asked, Refusal};
use crate::position::Place;
use axum::Json;
use engine::{Session, Step};
use rules::diagram::{Diagram, Seat, Tap, Trace};
use rules::svg::{self, Style, Theme};
use rules::{Outcome, spoken};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Which position, and which way round.
#[derive(Debug, Deserialize)]
pub struct Asking {
    #[serde(flatten)]
    place: Place,
    #[serde(default)]
    flipped: bool,
}

/// A position, drawn, in words and with the ways to go on.
#[derive(Debug, Serialize)]
pub struct View {
    game: &'static str,
    options: Map<String, Value>,
    position: Value,
    text: String,
    turn: u8,
    over: bool,
    winner: Option<Outcome>,
    in_turn: bool,
    status: String,
    count: usize,
    round: usize,
    svg: String,
    size: [f64; 2],
    cells: Vec<Cell>,
    players: [Seat; 2],
    steps: Vec<Way>,
    turns: Vec<String>,
    last: Vec<Trace>,
    winning: Vec<usize>,
    seed: Value,
}

/// A cell: its name, its middle on the drawing, and what is to be said of it.
#[derive(Debug, Serialize)]
struct Cell {
    name: String,
    at: [f64; 2],
    says: String,
}

/// A way to go on.
#[derive(Debug, Serialize)]
struct Way {
    text: String,
    taps: Vec<Tap>,
    trace: Trace,
}

/// Answers `POST /api/view`.
pub async fn answer(Asked(asking): Asked<Asking>) -> Result<Json<View>, Refusal> {
    Ok(Json(View::new(asking.place.open()?.as_ref(), asking.flipped)))
}

impl View {
    /// The present position of a match.
    pub fn new(session: &dyn Session, flipped: bool) -> View {
        let diagram = session.diagram();
        let style = Style { theme: Theme::Page, flipped, ..Style::default() };
        let result = session.result();
        let steps: Vec<_> = if result.is_some() { Vec::new() } else { session.steps() };
        let turns = session.history();
        View {
            game: session.info().id,
            options: session.options(),
            position: session.position(),
            text: session.text(),
            turn: session.turn().number(),
            over: result.is_some(),
            winner: result,
            in_turn: session.in_turn() && result.is_none(),
            status: diagram.status.clone(),
            count: steps.len(),
            round: turns.len() / 2 + 1,
            svg: svg::svg(&diagram, &style),
            size: rounded(svg::plan(&diagram, &style).size),
            cells: cells(&diagram, &style),
            steps: steps.into_iter().map(way).collect(),
            turns,
            last: session.last_traces(),
            seed: json!({ "value": session.seed_value() }),
            winning: diagram.marks.winning,
            players: diagram.players,
        }
    }
}

fn way(Step { text, gesture, trace }: Step) -> Way {
    Way { text, taps: gesture, trace }
}

fn cells(diagram: &Diagram, style: &Style) -> Vec<Cell> {
    let places = svg::plan(diagram, style).cells;
    let cell = |(cell, at): (&rules::diagram::Cell, (f64, f64))| Cell {
        name: cell.name.clone(),
        at: rounded(at),
        says: spoken::cell(diagram, cell),
    };
    diagram.cells.iter().zip(places).map(cell).collect()
}

fn rounded((x, y): (f64, f64)) -> [f64; 2] {
    [x, y].map(|v| (v * 100.0).round() / 100.0)
}
