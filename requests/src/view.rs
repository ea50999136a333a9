//! A position ready to be displayed: drawn, described, and with its legal moves.

use crate::budget::Budget;
use crate::given::Given;
use engine::{Session, Step};
use rules::diagram::{Diagram, Seat, Tap, Trace};
use rules::svg::{self, Style, Theme};
use rules::{ByPlayer, Outcome, spoken};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use table::Refusal;

/// A position and its orientation.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct View {
    /// The position.
    #[serde(skip)]
    pub given: Given,
    /// Whether player 2 sits at the bottom.
    #[serde(default)]
    pub flipped: bool,
}

/// Everything a page needs to show a position and let somebody play on.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Shown {
    game: &'static str,
    options: Map<String, Value>,
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Position"))]
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
    players: ByPlayer<Seat>,
    steps: Vec<ShownStep>,
    turns: Vec<String>,
    last: Vec<Trace>,
    /// What the last turn did, in words; null before the first.
    said: Option<String>,
    winning: Vec<usize>,
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::SeedValue"))]
    seed: Value,
}

/// A cell: its name, its centre in the drawing, and how a screen reader describes it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ShownCell {
    name: String,
    at: [f64; 2],
    says: String,
}

/// A legal move: its text, the taps that enter it, its effect on the board, and whether it completes the turn.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct ShownStep {
    text: String,
    taps: Vec<Tap>,
    trace: Trace,
    ends: bool,
}

impl View {
    /// The fields of this request apart from those of the position.
    pub const FIELDS: [&str; 1] = ["flipped"];

    /// Prepares the position for display.
    pub fn answer(&self, budget: &Budget) -> Result<Shown, Refusal> {
        Ok(Shown::of(self.given.open(budget)?.as_ref(), self.flipped))
    }
}

impl Shown {
    /// Prepares the current position of a session.
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
            said: session.last_effect(),
            seed: json!({ "value": session.seed_value() }),
            winning: diagram.marks.winning,
            players: diagram.players,
        }
    }
}

/// Tries the move on the session to see whether it completes the turn, then takes it back.
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
