//! The rules of a game as lessons; each asks for one turn on the board.

use crate::given::{game, play};
use crate::view::Shown;
use engine::{Entry, Session};
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
    /// Where the small game begins that ends the lesson.
    game: &'static str,
}

/// Lists the lessons of a game.
pub fn list(id: &str) -> Result<LessonList, Refusal> {
    let info = game(id)?.info;
    let row = |(lesson, number): (&Lesson, usize)| LessonEntry {
        number,
        title: lesson.title,
        task: lesson.task,
        position: lesson.position,
        game: lesson.game,
    };
    Ok(LessonList { game: info.id, lessons: info.lessons.iter().zip(1..).map(row).collect() })
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

/// Whether nothing was played yet, the task was done, or something else was played.
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
mod tests {
    use super::*;
    use engine::{GAMES, Limits, Stop};
    use rules::random::Random;

    fn attempt(game: &str, number: usize, turns: Vec<String>) -> LessonShown {
        LessonTry { game: game.into(), number, turns, answer: false }.answer().unwrap()
    }

    #[test]
    fn every_lesson_is_done_by_its_answer_and_not_by_everything() {
        for entry in GAMES {
            for (i, lesson) in entry.info.lessons.iter().enumerate() {
                let (game, number) = (entry.info.id, i + 1);
                let name = format!("{game} {number}");
                assert_eq!(attempt(game, number, vec![]).progress, Progress::Begins, "{name}");
                let done = attempt(game, number, vec![lesson.answer.into()]);
                assert_eq!(done.progress, Progress::Done, "{name}");
                let turns = open(entry, lesson.position).unwrap().turns();
                let missed =
                    turns.into_iter().map(|turn| attempt(game, number, vec![turn]).progress);
                assert!(missed.into_iter().any(|one| one == Progress::Missed), "{name}");
            }
        }
    }

    #[test]
    fn a_game_has_a_handful_or_none() {
        for entry in GAMES {
            assert!(matches!(entry.info.lessons.len(), 0 | 6..=10), "{}", entry.info.id);
        }
    }

    /// Whether the player to move wins the small game of a lesson against the weakest level.
    fn is_won(entry: &'static Entry, position: &str, seed: u64) -> bool {
        let mut session = open(entry, position).unwrap();
        let learner = session.turn();
        let (mut strong, mut weak) = ((entry.thinker)(1), (entry.thinker)(1));
        let mut random = Random::new(seed);
        for _ in 0..60 {
            if let Some(result) = session.result() {
                return result == Outcome::Win(learner);
            }
            let (limits, stop) = (Limits::nodes(2_000), Stop::default());
            let turn = match session.turn() == learner {
                true => strong.turn(session.as_ref(), &limits, &stop),
                false => {
                    let level = engine::levels::find(1).unwrap();
                    let bounds = (&limits, &stop);
                    weak.level_think(session.as_ref(), level, bounds, &mut random, &mut |_| {})
                }
            };
            session.play(&turn.unwrap()).unwrap();
        }
        false
    }

    #[test]
    fn the_small_game_of_every_lesson_can_be_won_and_is_not_won_yet() {
        for entry in GAMES {
            for lesson in entry.info.lessons {
                let name = format!("{}: {}", entry.info.id, lesson.title);
                let session = open(entry, lesson.game).unwrap();
                assert_eq!(session.turn(), Player::One, "{name}");
                let won = (0..4).filter(|seed| is_won(entry, lesson.game, *seed)).count();
                assert!(won >= 3, "{name}: won {won} of 4");
            }
        }
    }
}
