//! An attempt at a puzzle: finding the win against an engine that resists.

use super::mode::Mode;
use super::{BoardScreen, Hint};
use crate::sitting::Sitting;
use crate::tui::app::Context;
use crate::tui::puzzles::{Series, task_words};
use requests::puzzles::{Progress, progress};

pub struct Task {
    /// The puzzle, among those of its game.
    pub series: Series,
    /// Whether a hint, the bar or an analysis was looked at before it was solved.
    helped: bool,
}

impl Task {
    pub(super) fn state(&self, sitting: &Sitting) -> Progress {
        let board = sitting.board.as_ref();
        let puzzle = self.series.puzzle();
        puzzle.map_or(Progress::Begins, |puzzle| progress(puzzle, board.first_player(), board))
    }
}

impl BoardScreen {
    /// A game that begins with a puzzle; `None` if the puzzle cannot be read.
    pub fn puzzle(series: Series, context: &mut Context) -> Option<BoardScreen> {
        let sitting = Sitting::attempt(series.entry, series.puzzle()?)?;
        context.choices.game = series.entry.info.id.into();
        let mode = Mode::Puzzle(Task { series, helped: false });
        let mut play = BoardScreen::bare(sitting, mode, context);
        play.shown.bar = false;
        play.refresh(context);
        Some(play)
    }

    /// Notes that a puzzle is being solved with help, if help is on the screen.
    pub(super) fn note_help(&mut self) {
        if self.shown.hint != Hint::None || self.shown.bar || self.shown.analysis {
            self.note_seen_answer();
        }
    }

    /// Notes that a puzzle is being solved with help.
    pub(super) fn note_seen_answer(&mut self) {
        if let Mode::Puzzle(task) = &mut self.mode
            && task.state(&self.sitting) != Progress::Solved
        {
            task.helped = true;
        }
    }

    /// Remembers a puzzle that is solved without help.
    pub(super) fn note_solved(&mut self, context: &mut Context) {
        let is_solved =
            |task: &&Task| !task.helped && task.state(&self.sitting) == Progress::Solved;
        let Some(task) = self.mode.task().filter(is_solved) else {
            return;
        };
        if let Some(puzzle) = task.series.puzzle()
            && context.choices.solve(puzzle)
            && let Err(trouble) = context.remember()
        {
            self.warn(trouble);
        }
    }

    /// The state of the attempt in words, and whether it has failed; `None` without a puzzle.
    pub(super) fn task_prompt(&self) -> Option<(String, bool)> {
        let task = self.mode.task().filter(|_| self.past.is_none())?;
        let puzzle = task.series.puzzle()?;
        let turns = puzzle.turns;
        Some(match task.state(&self.sitting) {
            Progress::Begins if self.picker.is_idle() && !self.sitting.board.in_turn() => {
                (task_words(puzzle, self.sitting.board.start().as_ref()), false)
            }
            Progress::Begins => return None,
            Progress::Right if self.sitting.computer().is_some() => {
                ("Right. Now the reply.".into(), false)
            }
            Progress::Right => (format!("Right so far: win in {turns} turns in all."), false),
            Progress::Wrong => {
                (format!("That does not win in {turns} turns: u takes it back."), true)
            }
            Progress::Late => (format!("It can be won in {turns} turns: u takes back."), true),
            Progress::Solved if task.helped => (
                "Solved with help, so it stays on the list. n shows the next puzzle.".into(),
                false,
            ),
            Progress::Solved => ("Solved! n shows the next puzzle.".into(), false),
        })
    }
}
