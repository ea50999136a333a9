//! A turn that is chosen while the other side thinks (a premove), and played as soon as it is legal.

use super::BoardScreen;
use super::mode::Mode;
use crate::tui::app::Context;
use engine::{Session, Step};
use rules::Player;
use rules::edit::Edit;
use table::premove::Premove;

impl BoardScreen {
    /// Who may choose a turn ahead: the only person here, while the other side is to move.
    pub(super) fn premover(&self) -> Option<Player> {
        let mut people = Player::BOTH.into_iter().filter(|player| self.sitting.is_person(*player));
        let (person, other) = (people.next()?, people.next());
        let waits = self.sitting.mover() == Some(person.other()) && !self.sitting.board.in_turn();
        let may = waits && other.is_none() && self.past.is_none();
        (may && matches!(self.mode, Mode::Game(_))).then_some(person)
    }

    /// The board as it would be if the person were to move.
    fn board_ahead(&self) -> Option<Box<dyn Session>> {
        self.sitting.board.edited(Edit::Turn(self.premover()?)).ok()
    }

    /// The board that a typed move is read on.
    pub(super) fn board_to_type_on(&self) -> Box<dyn Session> {
        self.board_ahead().unwrap_or_else(|| self.sitting.board.boxed_clone())
    }

    fn begin_ahead(&mut self) -> Option<&mut Premove> {
        if self.ahead.is_none() {
            let board = self.board_ahead()?;
            let mover = board.turn();
            let ends = |step: &Step| {
                let mut next = board.boxed_clone();
                next.play(&step.text).is_ok() && (next.turn() != mover || next.outcome().is_some())
            };
            let ahead = Premove::new(board.steps(), ends);
            self.ahead = (!ahead.steps.is_empty()).then_some(ahead);
        }
        self.ahead.as_mut()
    }

    /// Chooses a turn for later by its cells, or takes it back; returns whether that is what a tap means now.
    pub(super) fn tap_ahead(&mut self, cell: usize) -> bool {
        let Some(ahead) = self.begin_ahead() else { return false };
        ahead.tap(cell);
        self.say_ahead();
        true
    }

    /// Chooses a turn for later by its text.
    pub(super) fn type_ahead(&mut self, text: &str) {
        let known = self.begin_ahead().is_some_and(|ahead| {
            let known = ahead.steps.iter().find(|step| step.text.eq_ignore_ascii_case(text.trim()));
            ahead.chosen = known.map(|step| step.text.clone());
            ahead.chosen.is_some()
        });
        match known {
            true => self.say_ahead(),
            false => self.warn("only a whole turn of one or two cells is chosen ahead"),
        }
    }

    fn say_ahead(&mut self) {
        let Some(ahead) = &self.ahead else { return };
        let words = match (&ahead.chosen, ahead.spelling.taps.is_empty()) {
            (Some(turn), _) => {
                format!("{turn} is played as soon as it is legal: Esc takes it back")
            }
            (None, false) => "where to, on your next turn?".into(),
            (None, true) => {
                self.ahead = None;
                return self.note = None;
            }
        };
        self.say(words);
    }

    /// Takes back what was chosen ahead, and returns whether there was anything.
    pub(super) fn forget_ahead(&mut self) -> bool {
        self.ahead.take().is_some()
    }

    /// Plays what was chosen ahead if it is its turn now.
    pub(super) fn play_ahead(&mut self, context: &mut Context) {
        if self.sitting.person().is_none() {
            return;
        }
        let Some(ahead) = self.ahead.take() else { return };
        match (ahead.due(&self.sitting.board.steps()), &ahead.chosen) {
            (Some(turn), _) => drop(self.play(turn, context)),
            (None, Some(turn)) => self.say(format!("{turn} cannot be played any more")),
            (None, None) => {}
        }
    }

    /// The cells of what is chosen ahead: the one that was tapped, and the way of the whole turn.
    pub(super) fn marks_ahead(&self) -> (Option<usize>, Option<(usize, usize)>) {
        let Some(ahead) = &self.ahead else { return (None, None) };
        let tapped = ahead.spelling.taps.first().and_then(|tap| tap.cell);
        let chosen = ahead.steps.iter().find(|step| Some(&step.text) == ahead.chosen.as_ref());
        let way =
            chosen.and_then(|step| Some((step.gesture.first()?.cell?, step.gesture.last()?.cell?)));
        (tapped, way)
    }
}
