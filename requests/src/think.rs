//! Engine searches: hints, streamed analyses, and computer players' turns.

use crate::budget::{Budget, Effort};
use crate::desk::Desk;
use crate::given::Given;
use engine::who::Who;
use engine::{AnalysedLine, Analysis, Entry, Limits, Session, Stop};
use rules::random::Random;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use table::Refusal;

/// The time of a hint whose request sets no limit.
pub const HINT: Duration = Duration::from_millis(700);

/// The time of an analysis whose request sets no limit.
pub const ANALYSIS: Duration = Duration::from_secs(10);

/// The time of the last level's turn whose request sets no limit.
pub const TURN: Duration = Duration::from_millis(1_500);

/// The result of a search so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Found {
    /// The completed depth, in moves.
    pub depth: u32,
    /// Nodes searched.
    pub nodes: u64,
    /// Time spent, in milliseconds.
    pub time_ms: u64,
    /// The principal variations, best first; empty if the game is over.
    pub lines: Vec<FoundLine>,
}

/// A principal variation of whole turns, scored from the point of view of the player to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FoundLine {
    /// The turns.
    pub turns: Vec<String>,
    /// The score, roughly in hundredths of a piece.
    pub score: i32,
    /// The winner's turns until a proven win; negative for a loss.
    pub win_in: Option<i32>,
    /// The share of the evaluation bar of the player to move, in thousandths.
    pub bar: u16,
    /// The certificate that proves the value, if one does; without `win_in`, nobody can force a win.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<&'static str>,
}

/// Converts a score to that side's share of an evaluation bar, in thousandths.
pub(crate) fn bar(entry: &Entry, score: i32) -> u16 {
    ((entry.bar)(score) * 1000.0).round() as u16
}

impl Found {
    /// The result of an analysis so far.
    pub fn of(entry: &Entry, view: &Analysis) -> Found {
        let line = |line: &AnalysedLine| FoundLine {
            turns: line.turns.clone(),
            score: line.score,
            win_in: line.win_in,
            bar: bar(entry, line.score),
            proof: line.proof,
        };
        Found {
            depth: view.depth,
            nodes: view.nodes,
            time_ms: view.time.as_millis() as u64,
            lines: view.lines.iter().map(line).collect(),
        }
    }
}

/// Searches with an empty transposition table, so that the same request gets the same answer; none if the game is
/// over.
pub(crate) fn search(
    desk: &mut Desk,
    session: &dyn Session,
    limits: &Limits,
    stop: &Stop,
    news: &mut dyn FnMut(Found),
) -> Option<Found> {
    let entry = engine::find(session.info().id)?;
    desk.thinker(entry).forget();
    search_on(desk, session, limits, stop, news)
}

/// Searches with the transposition table as it is.
pub(crate) fn search_on(
    desk: &mut Desk,
    session: &dyn Session,
    limits: &Limits,
    stop: &Stop,
    news: &mut dyn FnMut(Found),
) -> Option<Found> {
    let entry = engine::find(session.info().id)?;
    let tell = &mut |view: &Analysis| news(Found::of(entry, view));
    let view = desk.thinker(entry).think(session, limits, stop, tell)?;
    Some(Found::of(entry, &view))
}

/// Opens the position; refused if the game is over.
fn open(given: &Given, budget: &Budget, proofs: bool) -> Result<Box<dyn Session>, Refusal> {
    let session = given.open_for_engine(budget, proofs)?;
    match session.outcome() {
        Some(_) => Err(Refusal::against("the game is over in this position").at("turns")),
        None => Ok(session),
    }
}

/// A position and how much to search it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search {
    /// The position; its game must not be over.
    pub given: Given,
    /// How much to search.
    pub effort: Effort,
}

/// Suggested turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Hint {
    /// The suggestion of the original program's best player, if there is one.
    pub seed: Option<SeedHint>,
    /// The engine's suggestion.
    pub engine: Option<EngineHint>,
}

/// The turns among which a player of the original program chooses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SeedHint {
    name: &'static str,
    turns: Vec<String>,
}

/// The engine's turn, scored from the point of view of the player to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EngineHint {
    turn: Option<String>,
    score: i32,
    win_in: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proof: Option<&'static str>,
}

/// An update of a running analysis; the last one has `done`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct News {
    /// The result so far.
    #[serde(flatten)]
    pub found: Found,
    /// Whether the analysis has ended.
    pub done: bool,
}

impl Search {
    /// Validates the search before it is queued.
    fn prepare(&self, budget: &Budget, usual: Duration, proofs: bool) -> Result<Prepared, Refusal> {
        let limits = self.effort.limits(budget, usual)?;
        Ok(Prepared { session: open(&self.given, budget, proofs)?, limits })
    }

    /// Validates a request for a hint.
    pub fn hint(&self, budget: &Budget) -> Result<Prepared, Refusal> {
        self.prepare(budget, HINT, true)
    }

    /// Validates a request for an analysis.
    pub fn analysis(&self, budget: &Budget) -> Result<Prepared, Refusal> {
        self.prepare(budget, ANALYSIS, true)
    }
}

/// A validated search: the position is open and the limits are within the budget.
pub struct Prepared {
    session: Box<dyn Session>,
    limits: Limits,
}

impl Prepared {
    /// What the original program's best player and the engine would play.
    pub fn hint(&self, desk: &mut Desk, stop: &Stop) -> Hint {
        let session = self.session.as_ref();
        let players = session.seed_players();
        let seed = session.seed_best().pop().map(|(id, turns)| {
            let name = players.iter().find(|own| own.id == id).map_or("", |own| own.name);
            SeedHint { name, turns }
        });
        let found = search(desk, session, &self.limits, stop, &mut |_| {});
        let line = found.and_then(|found| found.lines.into_iter().next());
        let engine = line.map(|line| EngineHint {
            turn: line.turns.into_iter().next(),
            score: line.score,
            win_in: line.win_in,
            proof: line.proof,
        });
        Hint { seed, engine }
    }

    /// Searches, reporting intermediate results and finally the result.
    pub fn analyse(&self, desk: &mut Desk, stop: &Stop, tell: &mut dyn FnMut(News)) {
        let session = self.session.as_ref();
        let news = &mut |found| tell(News { found, done: false });
        if let Some(found) = search(desk, session, &self.limits, stop, news) {
            tell(News { found, done: true });
        }
    }
}

/// A request for a computer player's turn.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Turn {
    /// The position, and the budget of the strongest level.
    #[serde(skip)]
    pub search: Search,
    /// The player: `{"kind":"level","level":5}` or `{"kind":"seed","player":"hard"}`.
    pub player: Who,
    /// The random seed, for players that choose among turns or make deliberate mistakes.
    #[serde(default)]
    pub seed: u64,
}

impl Turn {
    /// The fields of this request apart from those of a search.
    pub const FIELDS: [&str; 2] = ["player", "seed"];

    /// Validates the request.
    pub fn prepare(&self, budget: &Budget) -> Result<PreparedTurn, Refusal> {
        // Only the last level uses certificates.
        let proofs = self.player.level().is_some_and(|level| level.is_limited_by_time());
        let search = self.search.prepare(budget, TURN, proofs)?;
        let session = search.session.as_ref();
        let player = self.player.clone().in_game(session).map_err(|unknown| {
            Refusal::against(unknown.message).at(unknown.field).within("player")
        })?;
        if !player.is_computer() {
            let message = "expected a player of the program: level or seed";
            return Err(Refusal::against(message).at("player.kind"));
        }
        Ok(PreparedTurn { search, player, seed: self.seed })
    }
}

/// A validated request for a turn.
pub struct PreparedTurn {
    search: Prepared,
    player: Who,
    seed: u64,
}

impl PreparedTurn {
    /// Chooses the turn; none if stopped before one was found.
    pub fn choose(&self, desk: &mut Desk, stop: &Stop) -> Option<String> {
        let session = self.search.session.as_ref();
        let entry = engine::find(session.info().id)?;
        desk.thinker(entry).forget();
        let bounds = (&self.search.limits, stop);
        let mut random = Random::new(self.seed);
        self.player.choose(session, || desk.thinker(entry), bounds, &mut random, &mut |_| {})
    }
}
