//! A position as a page shows it: drawn, in words, and with the ways to go on.

use crate::budget::Budget;
use crate::given::Given;
use crate::refusal::Refusal;
use engine::{Session, Step};
use rules::diagram::{Diagram, Seat, Tap, Trace};
use rules::svg::{self, Style, Theme};
use rules::{Outcome, spoken};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// Which position, and which way round.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct View {
    /// The position.
    #[serde(skip)]
    pub given: Given,
    /// Whether player 2 sits at the bottom.
    #[serde(default)]
    pub flipped: bool,
}

/// What a page needs to show a position and to let one play on.
#[derive(Clone, Debug, Serialize)]
pub struct Shown {
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
    cells: Vec<ShownCell>,
    players: [Seat; 2],
    steps: Vec<ShownStep>,
    turns: Vec<String>,
    last: Vec<Trace>,
    winning: Vec<usize>,
    seed: Value,
}

/// A cell: its name, its middle on the drawing, and what a screen reader says of it.
#[derive(Clone, Debug, Serialize)]
struct ShownCell {
    name: String,
    at: [f64; 2],
    says: String,
}

/// A way to go on: the move's text, the taps that spell it, what it does on the board, and whether nothing
/// of the turn is left after it.
#[derive(Clone, Debug, Serialize)]
struct ShownStep {
    text: String,
    taps: Vec<Tap>,
    trace: Trace,
    ends: bool,
}

impl View {
    /// The fields besides those of the position.
    pub const FIELDS: [&str; 1] = ["flipped"];

    /// The position as a page shows it.
    pub fn answer(&self, budget: &Budget) -> Result<Shown, Refusal> {
        Ok(Shown::of(self.given.open(budget)?.as_ref(), self.flipped))
    }
}

impl Shown {
    /// The present position of a match.
    pub fn of(session: &dyn Session, flipped: bool) -> Shown {
        let diagram = session.diagram();
        let style = Style { theme: Theme::Page, flipped, ..Style::default() };
        let plan = svg::plan(&diagram, &style);
        let result = session.result();
        let steps = if result.is_some() { Vec::new() } else { session.steps() };
        let turns = session.history();
        let mut next = session.boxed_clone();
        Shown {
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
            size: rounded(plan.size),
            cells: cells(&diagram, plan.cells),
            steps: steps.into_iter().map(|one| step(one, next.as_mut())).collect(),
            turns,
            last: session.last_traces(),
            seed: json!({ "value": session.seed_value() }),
            winning: diagram.marks.winning,
            players: diagram.players,
        }
    }
}

/// A step from the position of a match, which is the same again afterwards.
fn step(Step { text, gesture, trace }: Step, session: &mut dyn Session) -> ShownStep {
    let mut ends = false;
    if session.play(&text).is_ok() {
        ends = !session.in_turn() || session.outcome().is_some();
        session.undo();
    }
    ShownStep { text, taps: gesture, trace, ends }
}

fn cells(diagram: &Diagram, middles: Vec<(f64, f64)>) -> Vec<ShownCell> {
    let shown = |(cell, at): (&rules::diagram::DrawnCell, (f64, f64))| ShownCell {
        name: cell.name.clone(),
        at: rounded(at),
        says: spoken::cell(diagram, cell),
    };
    diagram.cells.iter().zip(middles).map(shown).collect()
}

fn rounded((x, y): (f64, f64)) -> [f64; 2] {
    [x, y].map(|v| (v * 100.0).round() / 100.0)
}
