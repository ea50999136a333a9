//! What the engine finds: a hint, an analysis that tells what it finds on the way, a computer's turn.

use crate::budget::{Budget, Effort};
use crate::desk::Desk;
use crate::given::Given;
use crate::refusal::Refusal;
use engine::who::Who;
use engine::{AnalysedLine, Analysis, Entry, Limits, Session, Stop};
use rules::random::Random;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How long the engine looks for a hint, an analysis goes on and the strongest level thinks, when nothing
/// is said.
const HINT: Duration = Duration::from_millis(700);
const ANALYSIS: Duration = Duration::from_secs(10);
const TURN: Duration = Duration::from_millis(1_500);

/// What a search has found so far.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Found {
    /// How many moves deep it has looked.
    pub depth: u32,
    /// How many positions it has looked at.
    pub nodes: u64,
    /// How long it took.
    pub time_ms: u64,
    /// The best lines, the best one first; none when the game is over.
    pub lines: Vec<FoundLine>,
}

/// A line of whole turns, and what it is worth to the player to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FoundLine {
    /// The turns.
    pub turns: Vec<String>,
    /// Hundredths of a piece or so.
    pub score: i32,
    /// Turns of the winner until a proven win, negative when it is a loss.
    pub win_in: Option<i32>,
    /// How much of an evaluation bar belongs to the player to move, in thousandths.
    pub bar: u16,
}

/// The thousandths of an evaluation bar that belong to whom the score is worth that much.
pub(crate) fn bar(entry: &Entry, score: i32) -> u16 {
    ((entry.bar)(score) * 1000.0).round() as u16
}

impl Found {
    fn of(entry: &Entry, view: &Analysis) -> Found {
        let line = |line: &AnalysedLine| FoundLine {
            turns: line.turns.clone(),
            score: line.score,
            win_in: line.win_in,
            bar: bar(entry, line.score),
        };
        Found {
            depth: view.depth,
            nodes: view.nodes,
            time_ms: view.time.as_millis() as u64,
            lines: view.lines.iter().map(line).collect(),
        }
    }
}

/// Searches with an empty table, so that the same request gets the same answer; nothing if the game is
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

/// Searches with what the engine remembers.
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

/// The match of a request to the engine, whose game must go on.
fn open(given: &Given, budget: &Budget) -> Result<Box<dyn Session>, Refusal> {
    let session = given.open_for_engine(budget)?;
    match session.outcome() {
        Some(_) => Err(Refusal::against("the game is over in this position").at("turns")),
        None => Ok(session),
    }
}

/// A request for the engine: a position and how much to search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Search {
    /// The position, whose game must go on.
    pub given: Given,
    /// How much to search.
    pub effort: Effort,
}

/// What one might play here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Hint {
    /// The best player of the original program, where there is one.
    pub seed: Option<SeedHint>,
    /// The engine's turn.
    pub engine: Option<EngineHint>,
}

/// The turns that a player of the original program draws from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeedHint {
    name: &'static str,
    turns: Vec<String>,
}

/// The engine's turn and what it is worth to the player to move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EngineHint {
    turn: Option<String>,
    score: i32,
    win_in: Option<i32>,
}

/// News of an analysis; the last has `done`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct News {
    /// What was found so far.
    #[serde(flatten)]
    pub found: Found,
    /// Whether the analysis has ended.
    pub done: bool,
}

impl Search {
    /// Refuses what cannot be searched, before anything is queued.
    pub fn prepare(&self, budget: &Budget, usual: Duration) -> Result<Prepared, Refusal> {
        let limits = self.effort.limits(budget, usual)?;
        Ok(Prepared { session: open(&self.given, budget)?, limits })
    }

    /// A hint that is ready to be looked for.
    pub fn hint(&self, budget: &Budget) -> Result<Prepared, Refusal> {
        self.prepare(budget, HINT)
    }

    /// An analysis that is ready to begin.
    pub fn analysis(&self, budget: &Budget) -> Result<Prepared, Refusal> {
        self.prepare(budget, ANALYSIS)
    }
}

/// A search that may begin: the position has been opened, and the limits are within the budget.
pub struct Prepared {
    session: Box<dyn Session>,
    limits: Limits,
}

impl Prepared {
    /// What the original's best player and the engine would play.
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
        });
        Hint { seed, engine }
    }

    /// Tells what is found on the way, and at last what was found.
    pub fn analyse(&self, desk: &mut Desk, stop: &Stop, tell: &mut dyn FnMut(News)) {
        let session = self.session.as_ref();
        let news = &mut |found| tell(News { found, done: false });
        if let Some(found) = search(desk, session, &self.limits, stop, news) {
            tell(News { found, done: true });
        }
    }
}

/// A computer's turn that is asked for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Turn {
    /// The position, and what the strongest level may spend.
    #[serde(skip)]
    pub search: Search,
    /// Who is to move: `{"kind":"level","level":5}` or `{"kind":"seed","player":"hard"}`.
    pub player: Who,
    /// Another seed gives other turns, where the player has a choice or errs.
    #[serde(default)]
    pub seed: u64,
}

impl Turn {
    /// The fields besides those of a search.
    pub const FIELDS: [&str; 2] = ["player", "seed"];

    /// A turn that is ready to be looked for.
    pub fn prepare(&self, budget: &Budget) -> Result<PreparedTurn, Refusal> {
        let search = self.search.prepare(budget, TURN)?;
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

/// A turn that may be looked for.
pub struct PreparedTurn {
    search: Prepared,
    player: Who,
    seed: u64,
}

impl PreparedTurn {
    /// The turn; none if it was stopped before there was one.
    pub fn choose(&self, desk: &mut Desk, stop: &Stop) -> Option<String> {
        let session = self.search.session.as_ref();
        let entry = engine::find(session.info().id)?;
        desk.thinker(entry).forget();
        let bounds = (&self.search.limits, stop);
        let mut random = Random::new(self.seed);
        self.player.choose(session, || desk.thinker(entry), bounds, &mut random, &mut |_| {})
    }
}
