//! Facts about a position, each only if asked for, and optionally a search.

use crate::budget::{Budget, Effort};
use crate::desk::Desk;
use crate::given::Given;
use crate::think::{Found, search};
use engine::session::Child;
use engine::{Entry, Limits, Session, Stop, Thinker};
use rules::Outcome;
use rules::game::shorten;
use rules::svg;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::time::Duration;
use table::Refusal;

/// The search time if the request sets no limit.
pub const TIME: Duration = Duration::from_secs(1);

/// A question about a position.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default)]
pub struct Query {
    /// The position.
    #[serde(skip)]
    pub given: Given,
    /// What to report besides the player to move and the winner: some of [`WANTS`].
    pub want: Option<Vec<String>>,
    /// The search limits, if a search is wanted.
    #[cfg_attr(feature = "schema", schemars(with = "Option<Effort>"))]
    pub search: Option<Map<String, Value>>,
}

/// The facts that can be asked for.
pub const WANTS: [&str; 8] =
    ["turns", "children", "position", "text", "svg", "seed", "seed_best", "exact"];

/// The reply; the requested facts come in the order they were asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Reply {
    /// The player to move, or the one who would be if the game were not over.
    pub turn: u8,
    /// Whether the game is over.
    pub over: bool,
    /// 1, 2, `"draw"` or null.
    pub winner: Option<Outcome>,
    /// The requested facts, by name.
    #[cfg_attr(feature = "schema", schemars(with = "crate::schema::Wanted"))]
    #[serde(flatten)]
    pub wanted: Map<String, Value>,
    /// What the search found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<Found>,
}

impl Query {
    /// The fields of this request apart from those of the position.
    pub const FIELDS: [&str; 2] = ["want", "search"];

    /// Validates the query before anything is searched.
    pub fn prepare(&self, budget: &Budget) -> Result<Prepared, Refusal> {
        let wanted = self.want.clone().unwrap_or_default();
        if let Some((i, want)) =
            wanted.iter().enumerate().find(|(_, want)| !WANTS.contains(&want.as_str()))
        {
            let known = WANTS.join(", ");
            let message = format!("`{}` is not known, expected one of {known}", shorten(want));
            return Err(Refusal::against(message).at(format!("want[{i}]")));
        }
        let (entry, limits) = (self.given.entry()?, self.limits(budget)?);
        let session = match limits {
            Some(_) => self.given.open_for_engine(budget, true)?,
            None => self.given.open(budget)?,
        };
        Ok(Prepared { entry, session, wanted, limits })
    }

    fn limits(&self, budget: &Budget) -> Result<Option<Limits>, Refusal> {
        let Some(search) = &self.search else { return Ok(None) };
        let effort: Effort = crate::read::fields(search.clone(), &Effort::FIELDS)
            .map_err(|refusal| refusal.within("search"))?;
        let limits = effort.limits(budget, TIME).map_err(|refusal| refusal.within("search"))?;
        Ok(Some(limits))
    }
}

/// A validated query.
pub struct Prepared {
    entry: &'static Entry,
    session: Box<dyn Session>,
    wanted: Vec<String>,
    limits: Option<Limits>,
}

impl Prepared {
    /// Answers the query. A search starts with an empty transposition table, so the same query gets the same answer.
    pub fn answer(&self, desk: &mut Desk, stop: &Stop) -> Reply {
        let session = self.session.as_ref();
        let thinker = desk.thinker(self.entry);
        let named = |want: &String| Some((want.clone(), fact(session, want, thinker)?));
        let wanted = self.wanted.iter().filter_map(named).collect();
        let search = self
            .limits
            .as_ref()
            .map(|limits| search(desk, session, limits, stop, &mut |_| {}).unwrap_or_default());
        Reply {
            turn: session.turn().number(),
            over: session.outcome().is_some(),
            winner: session.outcome(),
            wanted,
            search,
        }
    }
}

fn fact(session: &dyn Session, want: &str, thinker: &dyn Thinker) -> Option<Value> {
    Some(match want {
        "exact" => exact(session, thinker),
        "turns" => session.turns().into(),
        "children" => session.children().into_iter().map(child).collect(),
        "position" => session.position(),
        "text" => session.text().into(),
        "svg" => svg::svg(&session.diagram(), &svg::Style::default()).into(),
        "seed" => json!({ "value": session.seed_value() }),
        "seed_best" => {
            let best = session.seed_best().into_iter();
            Value::Object(best.map(|(id, turns)| (id, turns.into())).collect())
        }
        _ => return None,
    })
}

/// The winner and the number of turns to the end, if the endgame tables have the position.
fn exact(session: &dyn Session, thinker: &dyn Thinker) -> Value {
    match thinker.exact(session) {
        None => Value::Null,
        Some(None) => json!({ "winner": "draw", "turns": null }),
        Some(Some((turns, player))) => json!({ "winner": player.number(), "turns": turns }),
    }
}

fn child(child: Child) -> Value {
    json!({
        "turn": child.turn,
        "position": child.position,
        "over": child.outcome.is_some(),
        "winner": child.outcome,
    })
}
