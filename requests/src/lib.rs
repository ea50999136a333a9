//! Everything that can be asked of Quadrille without storing anything.
//!
//! A [`Request`] is a typed value with a JSON form. It gets one answer or, for searches, a stream of them. HTTP, the
//! lines of `quadrille query`, a Web Worker and Python are transports for the same requests, so a new request is added
//! here, once. This crate spawns no threads, reads no clock except through the engine, and knows nothing about its
//! transports: they pass in a [`Budget`], a [`Desk`] of engines, and a stop flag.
//!
//! ```
//! use requests::{Budget, Desk, Request};
//!
//! let request = r#"{"game":"gekitai","moves":["c4"],"want":["text"]}"#;
//! let mut replies = Vec::new();
//! requests::reply(request.as_bytes(), &mut Desk::new(1), &Budget::OWN, &Default::default(), &mut |reply| {
//!     replies.push(reply.to_string());
//! });
//! assert_eq!(
//!     replies,
//!     [r#"{"id":null,"turn":2,"over":false,"winner":null,"text":"6/6/6/2x3/6/6 2"}"#]
//! );
//! ```

mod budget;
pub mod catalogue;
mod desk;
#[cfg(not(target_family = "wasm"))]
pub mod documents;
pub mod edit;
pub mod given;
pub mod lessons;
#[cfg(not(target_family = "wasm"))]
pub mod pages;
pub mod proofs;
pub mod puzzles;
pub mod query;
pub mod read;
pub mod review;
#[cfg(feature = "schema")]
pub mod schema;
pub mod seated;
pub mod think;
pub mod tree;
pub mod view;
pub mod why;
mod work;

pub use budget::{Budget, Effort};
pub use desk::Desk;
pub use given::{Given, game};
pub use table::{Kind, Refusal};
pub use work::{Ready, Work};

use engine::Stop;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version of this crate, reported with answers.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// A request in typed form.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// Facts about a position, and optionally a search.
    Query(query::Query),
    /// A position, ready to be displayed.
    View(view::View),
    /// A position edited by hand.
    Edit(edit::Edit),
    /// Converts a record to a tree of turns.
    Tree(tree::RecordText),
    /// Converts a tree of turns to a record.
    Record(tree::Tree),
    /// Edits a tree of turns.
    Branch(tree::Branch),
    /// Applies a command to a game that the caller stores.
    Table(seated::Seated),
    /// The games and levels.
    Catalogue,
    /// The rules page of a game.
    Rules(GameId),
    /// A suggested turn.
    Hint(think::Search),
    /// The principal variations, streamed as they are found.
    Analysis(think::Search),
    /// A turn by a computer player.
    Turn(think::Turn),
    /// A whole game reviewed, from the last position to the first.
    Review(think::Search),
    /// The lessons of a game.
    Lessons(GameId),
    /// An attempt at a lesson.
    Lesson(lessons::LessonTry),
    /// The puzzles of a game.
    Puzzles(puzzles::Which),
    /// An attempt at a puzzle.
    Puzzle(puzzles::Attempt),
    /// The solved positions of a game.
    Results(GameId),
    /// The atlas of a game.
    Atlas(GameId),
    /// What a certificate says about a position.
    Proof(Given),
}

/// Names a game and nothing else.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GameId {
    /// The game's id.
    pub game: String,
}

impl GameId {
    #[cfg(not(target_family = "wasm"))]
    fn rules(&self) -> Result<Answer, Refusal> {
        Ok(Answer::Rules { html: pages::rules(&self.game)? })
    }

    /// Pages wait for the WebAssembly module to download, so it leaves out the rules pages: they are served as files.
    #[cfg(target_family = "wasm")]
    fn rules(&self) -> Result<Answer, Refusal> {
        Err(Refusal::not_there("the rules pages are not part of this build; fetch them as files"))
    }
}

/// One answer to a request.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
#[allow(missing_docs)]
pub enum Answer {
    Query(query::Reply),
    Shown(Box<view::Shown>),
    Tree(tree::Tree),
    Record { record: String },
    Branched(tree::Branched),
    Table(seated::Moved),
    Catalogue(&'static Value),
    Rules { html: String },
    Hint(think::Hint),
    Analysis(think::News),
    Turn { turn: Option<String> },
    Review(review::Judged),
    Lessons(lessons::LessonList),
    Lesson(Box<lessons::LessonShown>),
    Puzzles(puzzles::PuzzleList),
    Puzzle(Box<puzzles::AttemptShown>),
    Known(Value),
}

/// The names of all requests in JSON.
pub const ASKS: [&str; 20] = [
    "query",
    "view",
    "edit",
    "tree",
    "record",
    "branch",
    "table",
    "catalogue",
    "rules",
    "hint",
    "analysis",
    "turn",
    "review",
    "lessons",
    "lesson",
    "puzzles",
    "puzzle",
    "results",
    "atlas",
    "proof",
];

impl Request {
    /// Reads the request called `ask` from the fields of a JSON object.
    pub fn read(ask: &str, fields: Map<String, Value>) -> Result<Request, Refusal> {
        Ok(match ask {
            "query" => {
                let (given, query) = about::<query::Query>(fields, &query::Query::FIELDS)?;
                Request::Query(query::Query { given, ..query })
            }
            "view" => {
                let (given, view) = about::<view::View>(fields, &view::View::FIELDS)?;
                Request::View(view::View { given, ..view })
            }
            "edit" => {
                let (given, edit) = about::<edit::Edit>(fields, &edit::Edit::FIELDS)?;
                Request::Edit(edit::Edit { given, ..edit })
            }
            "tree" => Request::Tree(read::fields(fields, &tree::RecordText::FIELDS)?),
            "record" => Request::Record(read::fields(fields, &tree::Tree::FIELDS)?),
            "branch" => Request::Branch(read::fields(fields, &tree::Branch::FIELDS)?),
            "table" => Request::Table(read::fields(fields, &seated::Seated::FIELDS)?),
            "catalogue" => {
                read::fields::<Map<String, Value>>(fields, &[])?;
                Request::Catalogue
            }
            "rules" => Request::Rules(read::fields(fields, &["game"])?),
            "results" => Request::Results(read::fields(fields, &["game"])?),
            "atlas" => Request::Atlas(read::fields(fields, &["game"])?),
            "proof" => Request::Proof(read::fields(fields, &given::FIELDS)?),
            "hint" => Request::Hint(search(fields)?),
            "analysis" => Request::Analysis(search(fields)?),
            "turn" => {
                let all = [&given::FIELDS[..], &Effort::FIELDS, &think::Turn::FIELDS];
                read::known(&fields, &all.concat())?;
                let mut fields = fields;
                let turn = read::take(&mut fields, &think::Turn::FIELDS);
                let search = search(fields)?;
                let turn: think::Turn = read::fields(turn, &think::Turn::FIELDS)?;
                Request::Turn(think::Turn { search, ..turn })
            }
            "review" => Request::Review(search(fields)?),
            "lessons" => Request::Lessons(read::fields(fields, &["game"])?),
            "lesson" => Request::Lesson(read::fields(fields, &lessons::LessonTry::FIELDS)?),
            "puzzles" => Request::Puzzles(read::fields(fields, &puzzles::Which::FIELDS)?),
            "puzzle" => Request::Puzzle(read::fields(fields, &puzzles::Attempt::FIELDS)?),
            _ => {
                let ask = rules::game::shorten(ask);
                let message = format!("`{ask}` is not known, expected one of {}", ASKS.join(", "));
                return Err(Refusal::not_understood(message).at("ask"));
            }
        })
    }

    /// Answers the request, calling `tell` once or, for streamed answers, several times.
    pub fn answer(
        self,
        desk: &mut Desk,
        budget: &Budget,
        stop: &Stop,
        tell: &mut dyn FnMut(Answer),
    ) -> Result<(), Refusal> {
        match self.prepare(budget)? {
            Ready::Work(mut work) => while work.step(desk, stop, tell) {},
            Ready::Quick(quick) => tell(quick.answer_at_once(budget)?),
        }
        Ok(())
    }

    /// Answers a request that needs no search.
    pub fn answer_at_once(self, budget: &Budget) -> Result<Answer, Refusal> {
        Ok(match self {
            Request::View(view) => Answer::Shown(Box::new(view.answer(budget)?)),
            Request::Edit(edit) => Answer::Shown(Box::new(edit.answer(budget)?)),
            Request::Tree(text) => Answer::Tree(text.answer()?),
            Request::Record(tree) => Answer::Record { record: tree.answer(budget)?.record },
            Request::Branch(branch) => Answer::Branched(branch.answer(budget)?),
            Request::Table(seated) => Answer::Table(seated.answer(budget)?),
            Request::Catalogue => Answer::Catalogue(catalogue::catalogue()),
            Request::Rules(game) => game.rules()?,
            Request::Lessons(game) => Answer::Lessons(lessons::list(&game.game)?),
            Request::Lesson(attempt) => Answer::Lesson(Box::new(attempt.answer()?)),
            Request::Puzzles(which) => Answer::Puzzles(which.answer()?),
            Request::Puzzle(attempt) => Answer::Puzzle(Box::new(attempt.answer()?)),
            Request::Results(game) => Answer::Known(proofs::results(&game.game)?),
            Request::Atlas(game) => Answer::Known(proofs::atlas(&game.game)?),
            Request::Proof(given) => Answer::Known(proofs::follow(&given, budget)?),
            Request::Query(query) if query.search.is_none() => {
                // Even without a transposition table the engine can probe the endgame tables.
                let answer = query.prepare(budget)?.answer(&mut Desk::new(0), &Stop::default());
                Answer::Query(answer)
            }
            Request::Query(_)
            | Request::Hint(_)
            | Request::Analysis(_)
            | Request::Turn(_)
            | Request::Review(_) => {
                return Err(Refusal::too_much("this needs an engine, and none is available here"));
            }
        })
    }
}

fn search(fields: Map<String, Value>) -> Result<think::Search, Refusal> {
    let (given, effort) = about(fields, &Effort::FIELDS)?;
    Ok(think::Search { given, effort })
}

/// Reads the position separately from the other fields, so that an error names the right field.
fn about<T: DeserializeOwned>(
    fields: Map<String, Value>,
    own: &[&str],
) -> Result<(Given, T), Refusal> {
    let (given, rest) = given_apart(fields, own)?;
    Ok((given, read::fields(rest, own)?))
}

/// The position and the remaining fields. Not generic, so that it is compiled only once: pages download this code.
fn given_apart(
    mut fields: Map<String, Value>,
    own: &[&str],
) -> Result<(Given, Map<String, Value>), Refusal> {
    read::known(&fields, &[&given::FIELDS, own].concat())?;
    let position = read::take(&mut fields, &given::FIELDS);
    Ok((read::fields(position, &given::FIELDS)?, fields))
}

/// Answers a request given as JSON text. `ask` names the kind of request and defaults to `query`. Every reply starts
/// with the request's `id`; a refusal has `error`, `field` and `kind`.
pub fn reply(
    text: &[u8],
    desk: &mut Desk,
    budget: &Budget,
    stop: &Stop,
    tell: &mut dyn FnMut(Value),
) {
    let mut id = Value::Null;
    let outcome = read::json::<Value>(text).and_then(|request| {
        let Value::Object(mut fields) = request else {
            return Err(Refusal::not_understood("expected an object"));
        };
        id = fields.shift_remove("id").unwrap_or_default();
        let ask = match fields.shift_remove("ask") {
            None | Some(Value::Null) => "query".to_owned(),
            Some(Value::String(ask)) => ask,
            Some(_) => return Err(Refusal::not_understood("expected a string").at("ask")),
        };
        Request::read(&ask, fields)?.answer(desk, budget, stop, &mut |answer| {
            tell(with_id(&id, serde_json::to_value(answer).unwrap_or_default()));
        })
    });
    if let Err(refusal) = outcome {
        tell(with_id(&id, serde_json::to_value(refusal).unwrap_or_default()));
    }
}

fn with_id(id: &Value, answer: Value) -> Value {
    let mut reply = Map::new();
    reply.insert("id".into(), id.clone());
    if let Value::Object(fields) = answer {
        reply.extend(fields);
    }
    Value::Object(reply)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_found_at_its_place_in_every_request() {
        let faults = [
            (r#"{"game":"gekitai","moves":["c4",5]}"#, "moves[1]"),
            (r#"{"game":"gekitai","want":[1]}"#, "want[0]"),
            (r#"{"game":7}"#, "game"),
            (r#"{"game":"gekitai","options":5}"#, "options"),
            (r#"{"game":"gekitai","search":{"depth":0}}"#, "search.depth"),
            (r#"{"game":"gekitai","search":{"dept":1}}"#, "search.dept"),
            (r#"{"ask":"view","game":"gekitai","turns":[{}]}"#, "turns[0]"),
            (r#"{"ask":"view","game":"gekitai","flipped":1}"#, "flipped"),
            (r#"{"ask":"edit","game":"gekitai","edit":{"cell":-1,"brush":"x"}}"#, "edit.cell"),
            (r#"{"ask":"hint","game":"gekitai","nodes":"many"}"#, "nodes"),
            (r#"{"ask":"turn","game":"gekitai","player":{"kind":"cat"}}"#, "player.kind"),
            (
                r#"{"ask":"turn","game":"gekitai","player":{"kind":"level","level":0}}"#,
                "player.level",
            ),
            (r#"{"ask":"review","game":"gekitai","turns":["a1","a1"]}"#, "turns[1]"),
            (r#"{"ask":"record","game":"gekitai","nodes":[{"turn":1}]}"#, "nodes[0].turn"),
            (r#"{"ask":"dance"}"#, "ask"),
        ];
        for (text, field) in faults {
            let mut told = Vec::new();
            let stop = Stop::default();
            let mut desk = Desk::new(1);
            reply(text.as_bytes(), &mut desk, &Budget::OWN, &stop, &mut |reply| told.push(reply));
            assert_eq!(told.len(), 1, "{text}");
            assert_eq!(told[0]["field"], field, "{text}: {}", told[0]);
        }
    }
}
