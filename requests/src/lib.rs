//! Everything one can ask of Quadrille without storing anything.
//!
//! A [`Request`] is a typed value with a form in JSON; it is answered once or, where the engine thinks, in
//! a stream. HTTP, the lines of `quadrille query`, a Worker in a page and Python are transports of the same
//! requests: whoever adds one adds it here, once. This crate starts no thread, reads no clock but the
//! engine's, and knows nothing of its transports; they hand it a [`Budget`], a [`Desk`] with engines and a
//! switch that ends it.
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
pub mod edit;
pub mod given;
pub mod lessons;
#[cfg(not(target_family = "wasm"))]
pub mod pages;
pub mod proofs;
pub mod puzzles;
pub mod query;
pub mod read;
mod refusal;
pub mod review;
pub mod think;
pub mod tree;
pub mod view;

pub use budget::{Budget, Effort};
pub use desk::Desk;
pub use given::{Given, game};
pub use refusal::{Kind, Refusal};

use engine::Stop;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The version whose answers these are.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Something that can be asked.
#[derive(Clone, Debug, PartialEq)]
pub enum Request {
    /// What the rules say of a position, and what a search finds.
    Query(query::Query),
    /// A position as a page shows it.
    View(view::View),
    /// A position changed by hand.
    Edit(edit::Edit),
    /// A record as a tree of turns.
    Tree(tree::RecordText),
    /// A tree of turns as a record.
    Record(tree::Tree),
    /// The games and levels.
    Catalogue,
    /// The rules page of a game.
    Rules(Rules),
    /// What one might play here.
    Hint(think::Search),
    /// The best lines, told as they are found.
    Analysis(think::Search),
    /// The turn of a computer's player.
    Turn(think::Turn),
    /// A game gone over, from its last position to its first.
    Review(review::Review),
    /// The lessons of a game.
    Lessons(lessons::Lessons),
    /// How a try at a lesson goes.
    Lesson(lessons::LessonTry),
    /// The puzzles of a game.
    Puzzles(puzzles::Puzzles),
    /// How a try at a puzzle goes.
    Puzzle(puzzles::Attempt),
    /// What is known of a game for certain.
    Results(Rules),
    /// What a certificate says of a position.
    Proof(Given),
}

/// Which game.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Rules {
    /// The game's id.
    pub game: String,
}

impl Rules {
    #[cfg(not(target_family = "wasm"))]
    fn answer(&self) -> Result<Answer, Refusal> {
        Ok(Answer::Rules { html: pages::rules(&self.game)? })
    }

    /// A program for a page is fetched before anything can be done; it leaves out what can be a file beside it.
    #[cfg(target_family = "wasm")]
    fn answer(&self) -> Result<Answer, Refusal> {
        Err(Refusal::not_there("the rules pages are files beside this program"))
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

/// What can be asked, by the name it has in JSON.
pub const ASKS: [&str; 17] = [
    "query",
    "view",
    "edit",
    "tree",
    "record",
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
    "proof",
];

impl Request {
    /// Reads a request of a kind from the fields of an object.
    pub fn read(ask: &str, fields: Map<String, Value>) -> Result<Request, Refusal> {
        Ok(match ask {
            "query" => {
                let (given, query) = about::<query::Query>(fields, &[&query::Query::FIELDS])?;
                Request::Query(query::Query { given, ..query })
            }
            "view" => {
                let (given, view) = about::<view::View>(fields, &[&view::View::FIELDS])?;
                Request::View(view::View { given, ..view })
            }
            "edit" => {
                let (given, edit) = about::<edit::Edit>(fields, &[&edit::Edit::FIELDS])?;
                Request::Edit(edit::Edit { given, ..edit })
            }
            "tree" => Request::Tree(read::fields(fields, &tree::RecordText::FIELDS)?),
            "record" => Request::Record(read::fields(fields, &tree::Tree::FIELDS)?),
            "catalogue" => {
                read::fields::<Map<String, Value>>(fields, &[])?;
                Request::Catalogue
            }
            "rules" | "results" => {
                let game = read::fields(fields, &["game"])?;
                if ask == "rules" { Request::Rules(game) } else { Request::Results(game) }
            }
            "proof" => Request::Proof(read::fields(fields, &given::FIELDS)?),
            "hint" => Request::Hint(search(fields)?),
            "analysis" => Request::Analysis(search(fields)?),
            "turn" => {
                let own = [&Effort::FIELDS[..], &think::Turn::FIELDS];
                read::known(&fields, &[&given::FIELDS[..], &own.concat()].concat())?;
                let mut fields = fields;
                let turn = read::take(&mut fields, &think::Turn::FIELDS);
                let search = search(fields)?;
                let turn: think::Turn = read::fields(turn, &think::Turn::FIELDS)?;
                Request::Turn(think::Turn { search, ..turn })
            }
            "review" => {
                let think::Search { given, effort } = search(fields)?;
                Request::Review(review::Review { given, effort })
            }
            "lessons" => Request::Lessons(read::fields(fields, &lessons::Lessons::FIELDS)?),
            "lesson" => Request::Lesson(read::fields(fields, &lessons::LessonTry::FIELDS)?),
            "puzzles" => Request::Puzzles(read::fields(fields, &puzzles::Puzzles::FIELDS)?),
            "puzzle" => Request::Puzzle(read::fields(fields, &puzzles::Attempt::FIELDS)?),
            _ => {
                let ask = rules::game::shorten(ask);
                let message = format!("`{ask}` is not known, expected one of {}", ASKS.join(", "));
                return Err(Refusal::not_understood(message).at("ask"));
            }
        })
    }

    /// Answers, once or several times.
    pub fn answer(
        self,
        desk: &mut Desk,
        budget: &Budget,
        stop: &Stop,
        tell: &mut dyn FnMut(Answer),
    ) -> Result<(), Refusal> {
        match self {
            Request::Query(query) => tell(Answer::Query(query.prepare(budget)?.answer(desk, stop))),
            Request::Hint(search) => tell(Answer::Hint(search.hint(budget)?.hint(desk, stop))),
            Request::Analysis(search) => {
                let search = search.analysis(budget)?;
                search.analyse(desk, stop, &mut |news| tell(Answer::Analysis(news)));
            }
            Request::Turn(turn) => {
                tell(Answer::Turn { turn: turn.prepare(budget)?.choose(desk, stop) });
            }
            Request::Review(review) => {
                let mut review = review.begin(budget)?;
                while let Some(judged) = review.step(desk, stop) {
                    tell(Answer::Review(judged));
                }
            }
            quick => tell(quick.answer_at_once(budget)?),
        }
        Ok(())
    }

    /// Answers a request that needs no engine.
    pub fn answer_at_once(self, budget: &Budget) -> Result<Answer, Refusal> {
        Ok(match self {
            Request::View(view) => Answer::Shown(Box::new(view.answer(budget)?)),
            Request::Edit(edit) => Answer::Shown(Box::new(edit.answer(budget)?)),
            Request::Tree(text) => Answer::Tree(text.answer()?),
            Request::Record(tree) => Answer::Record { record: tree.answer(budget)?.record },
            Request::Catalogue => Answer::Catalogue(catalogue::catalogue()),
            Request::Rules(rules) => rules.answer()?,
            Request::Lessons(lessons) => Answer::Lessons(lessons.answer()?),
            Request::Lesson(attempt) => Answer::Lesson(Box::new(attempt.answer()?)),
            Request::Puzzles(puzzles) => Answer::Puzzles(puzzles.answer()?),
            Request::Puzzle(attempt) => Answer::Puzzle(Box::new(attempt.answer()?)),
            Request::Results(of) => Answer::Known(proofs::results(&of.game)?),
            Request::Proof(given) => Answer::Known(proofs::follow(&given, budget)?),
            Request::Query(query) if query.search.is_none() => {
                // An engine without a table can still look a position up in a table of results.
                let answer = query.prepare(budget)?.answer(&mut Desk::new(0), &Stop::default());
                Answer::Query(answer)
            }
            Request::Query(_)
            | Request::Hint(_)
            | Request::Analysis(_)
            | Request::Turn(_)
            | Request::Review(_) => {
                return Err(Refusal::too_much("this needs an engine, and there is none here"));
            }
        })
    }
}

fn search(fields: Map<String, Value>) -> Result<think::Search, Refusal> {
    let (given, effort) = about(fields, &[&Effort::FIELDS])?;
    Ok(think::Search { given, effort })
}

/// Reads the position that a request is about apart from the rest, so that a fault in either is found at its
/// place.
fn about<T: DeserializeOwned>(
    fields: Map<String, Value>,
    own: &[&[&'static str]],
) -> Result<(Given, T), Refusal> {
    let (given, rest, known) = given_apart(fields, own)?;
    Ok((given, read::fields(rest, &known)?))
}

/// The position, the other fields, and all that are known.
type Apart = (Given, Map<String, Value>, Vec<&'static str>);

fn given_apart(mut fields: Map<String, Value>, own: &[&[&'static str]]) -> Result<Apart, Refusal> {
    let known = [&given::FIELDS[..], &own.concat()].concat();
    read::known(&fields, &known)?;
    let position = read::take(&mut fields, &given::FIELDS);
    Ok((read::fields(position, &given::FIELDS)?, fields, known))
}

/// Answers the text of a request whose kind stands in `ask`, a plain query if it is left out. Every
/// reply begins with the `id` of the request; one that is refused says `error`, `field` and `kind`.
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
            Some(_) => return Err(Refusal::not_understood("expected a text").at("ask")),
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
