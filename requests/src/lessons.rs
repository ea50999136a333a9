//! The rules of a game as lessons; each asks for one turn on the board.

use crate::given::{game, play};
use crate::view::Shown;
use engine::{Entry, Session, Who};
use rules::lesson::{Goal, Lesson};
use rules::{Outcome, Player, spoken};
use serde::{Deserialize, Serialize};
use serde_json::Map;
use table::Refusal;

/// The lessons of a game, in order.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonList {
    game: &'static str,
    lessons: Vec<LessonEntry>,
}

/// A lesson as it appears in the list.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct LessonEntry {
    number: usize,
    title: &'static str,
    task: &'static str,
    position: &'static str,
    /// The starting position of the small game at the end of the lesson; the learner is player 1.
    game: &'static str,
    /// Who plays the other side.
    against: Who,
    /// What that player tends to overlook, to complete "Your opponent often overlooks".
    overlooks: &'static str,
}

/// Lists the lessons of a game.
pub fn list(id: &str) -> Result<LessonList, Refusal> {
    let entry = game(id)?;
    let info = entry.info;
    let row = |(lesson, number): (&'static Lesson, usize)| {
        Ok(LessonEntry {
            number,
            title: lesson.title,
            task: lesson.task,
            position: lesson.position,
            game: lesson.game,
            against: against(lesson, open(entry, lesson.game)?.as_ref()),
            overlooks: lesson.overlooks,
        })
    };
    let lessons: Result<_, Refusal> = info.lessons.iter().zip(1..).map(row).collect();
    Ok(LessonList { game: info.id, lessons: lessons? })
}

/// The opponent in the small game of a lesson.
pub fn against(lesson: &Lesson, game: &dyn Session) -> Who {
    let found = Who::parse(lesson.against, game).ok().flatten();
    found.unwrap_or(Who::Level { level: 1 })
}

/// An attempt at a lesson.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonTry {
    /// The game's id.
    pub game: String,
    /// The number of the lesson, from 1.
    pub number: usize,
    /// The moves played; the turn may be incomplete.
    #[serde(default)]
    pub turns: Vec<String>,
    /// Whether to reveal a turn that solves the lesson.
    #[serde(default)]
    pub answer: bool,
}

/// The lesson and how the attempt is going.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LessonShown {
    number: usize,
    of: usize,
    title: &'static str,
    task: &'static str,
    progress: Progress,
    view: Shown,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<&'static str>,
}

/// How an attempt stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "LessonProgress"))]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// No whole turn has been played.
    Begins,
    /// The task is done.
    Done,
    /// Another turn was played.
    Missed,
}

/// How an attempt at a lesson stands.
pub fn progress(lesson: &Lesson, session: &dyn Session) -> Progress {
    let unfinished =
        session.turns_played() == 0 || (session.in_turn() && session.outcome().is_none());
    match unfinished {
        true => Progress::Begins,
        false if is_done(lesson.goal, session.first_player(), session) => Progress::Done,
        false => Progress::Missed,
    }
}

impl LessonTry {
    /// The fields of this request.
    pub const FIELDS: [&str; 4] = ["game", "number", "turns", "answer"];

    /// Checks the attempt.
    pub fn answer(&self) -> Result<LessonShown, Refusal> {
        let entry = game(&self.game)?;
        let lessons = entry.info.lessons;
        let found = self.number.checked_sub(1).and_then(|i| lessons.get(i));
        let lesson = found.ok_or_else(|| {
            let message = format!("the lessons are 1 to {}, got {}", lessons.len(), self.number);
            Refusal::not_there(message).at("number")
        })?;
        let mut session = open(entry, lesson.position)?;
        play(session.as_mut(), "turns", &self.turns)?;
        Ok(LessonShown {
            number: self.number,
            of: lessons.len(),
            title: lesson.title,
            task: lesson.task,
            progress: progress(lesson, session.as_ref()),
            view: Shown::of(session.as_ref(), false),
            answer: self.answer.then_some(lesson.answer),
        })
    }
}

/// Opens the position of a lesson or a puzzle.
pub(crate) fn open(entry: &Entry, position: &str) -> Result<Box<dyn Session>, Refusal> {
    (entry.from_text)(position, &Map::new())
        .map_err(|error| Refusal::against(error.message).at("number"))
}

fn is_done(goal: Goal, player: Player, session: &dyn Session) -> bool {
    match goal {
        Goal::Win => session.result() == Some(Outcome::Win(player)),
        Goal::Safe => session.result().is_none() && !wins_at_once(session),
        Goal::Off(count) => {
            let traces = session.last_traces();
            let left = traces.iter().flat_map(|trace| &trace.travels).filter(|t| t.to.is_none());
            left.count() >= count
        }
        Goal::Holds(cells) => {
            let diagram = session.diagram();
            cells.iter().all(|(name, words)| {
                let cell = diagram.cells.iter().find(|cell| cell.name == *name);
                cell.is_some_and(|cell| spoken::cell(&diagram, cell).contains(words))
            })
        }
    }
}

/// Whether some turn of the player to move wins.
pub(crate) fn wins_at_once(session: &dyn Session) -> bool {
    let won = Some(Outcome::Win(session.turn()));
    session.children().into_iter().any(|child| child.outcome == won)
}

#[cfg(test)]
mod tests;
