//! A lesson on the board: a task for one turn, and then a small game.

use super::BoardScreen;
use super::mode::Mode;
use crate::sitting::{Sitting, seat};
use crate::tui::app::{Context, Next};
use crate::tui::lessons::Pupil;
use requests::lessons::{Progress, against, progress};

impl BoardScreen {
    /// A board with the position of a lesson; `None` if it cannot be read.
    pub fn lesson(pupil: Pupil, context: &mut Context) -> Option<BoardScreen> {
        let sitting = Sitting::new(pupil.entry, pupil.open()?, seat::people(), None);
        context.choices.game = pupil.entry.info.id.into();
        let mut play = BoardScreen::bare(sitting, Mode::Lesson(pupil), context);
        play.refresh(context);
        Some(play)
    }

    fn lesson_progress(&self) -> Option<Progress> {
        let lesson = self.mode.pupil()?.lesson()?;
        Some(progress(lesson, self.sitting.board.as_ref()))
    }

    /// The lesson's task or comment, and whether the turn missed the task; `None` without a lesson.
    pub(super) fn lesson_prompt(&self) -> Option<(String, bool)> {
        let pupil = self.mode.pupil().filter(|_| self.past.is_none())?;
        let lesson = pupil.lesson()?;
        Some(match self.lesson_progress()? {
            Progress::Begins if self.picker.is_idle() && !self.sitting.board.in_turn() => {
                (lesson.task.to_owned(), false)
            }
            Progress::Begins => return None,
            Progress::Missed => ("Not this time: u takes it back, h shows a turn.".into(), true),
            Progress::Done if pupil.next().is_some() => {
                ("Right. o plays a small game from here, n goes to the next lesson.".into(), false)
            }
            Progress::Done => {
                ("Right. That was the last lesson: o plays a small game from here.".into(), false)
            }
        })
    }

    /// Shows a turn that solves the lesson.
    pub(super) fn show_answer(&mut self, context: &mut Context) {
        let Some(lesson) = self.mode.pupil().and_then(|pupil| pupil.lesson()) else { return };
        while self.sitting.undo(context.now) {}
        self.refresh(context);
        self.say(format!("for example {}", lesson.answer));
    }

    /// The next lesson, or the list after the last one.
    pub(super) fn next_lesson(&self) -> Next {
        match self.mode.pupil() {
            Some(pupil) => pupil.next().map_or(Next::Lessons(Some(pupil)), Next::Lesson),
            None => Next::Stay,
        }
    }

    /// The small game that ends the lesson, against a player that makes the mistake it is about.
    pub(super) fn small_game(&mut self) -> Next {
        let Some(pupil) = self.mode.pupil() else { return Next::Stay };
        let Some(lesson) = pupil.lesson() else { return Next::Stay };
        let game = (pupil.entry.from_text)(lesson.game, &Default::default());
        let Ok(game) = game else { return Next::Stay };
        let mut seats = seat::people();
        seats[game.turn().other()].who = against(lesson, game.as_ref());
        Next::Play(Box::new(Sitting::new(pupil.entry, game, seats, None)), None)
    }
}
