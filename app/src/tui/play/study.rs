//! Going over a game: what every position was worth, the turns that gave something away, and another try at
//! them without seeing the answer.

use super::panel::Pen;
use super::{Play, Shown};
use crate::table::work::Job;
use crate::table::{Sitter, Table};
use crate::tui::app::{Hit, Hits, Next, Shared};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use requests::review::Judged;
use rules::text::{Ink, Paper};

/// How many lines the graph has.
const LINES: usize = 3;
/// The steps of a character that is filled from below.
const STEPS: [&str; 8] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇"];
/// What may be given away in another try, in hundredths of a piece.
const SLACK: i32 = 50;

/// A game that is gone over.
pub struct Study {
    pub(super) job: Job,
    /// What each position was worth, by the number of turns before it.
    judged: Vec<Option<Judged>>,
    is_done: bool,
}

/// Another try at a turn that gave something away.
pub struct Retry {
    /// The game that is gone over.
    pub(super) back: Box<Play>,
    /// How many turns lie before the try.
    at: usize,
    judged: Judged,
}

impl Study {
    /// Takes in what a position was worth.
    pub(super) fn hear(&mut self, judged: Judged) {
        let ply = judged.ply;
        if let Some(own) = self.judged.get_mut(ply) {
            *own = Some(judged);
        }
    }

    pub(super) fn end(&mut self) {
        self.is_done = true;
    }

    /// The mistake that a turn was.
    fn mistake(&self, ply: usize) -> Option<&Judged> {
        self.judged.get(ply)?.as_ref().filter(|judged| judged.mistake.is_some())
    }
}

impl Play {
    /// Goes over the game, or to the next mistake if that is done already.
    pub(super) fn go_over(&mut self, shared: &mut Shared) {
        let played = self.table.game.turns_played();
        if self.is_exploring() {
            return self.say("Esc returns to the game: there m goes over it");
        }
        if self.plays_online() || self.task.is_some() || self.retry.is_some() {
            return self.say("a game is gone over when it has ended");
        }
        if played == 0 {
            return self.say("nothing has been played yet");
        }
        if self.study.as_ref().is_none_or(|study| study.judged.len() != played + 1) {
            let job = shared.worker.review(self.table.game.as_ref());
            let judged = vec![None; played + 1];
            self.study = Some(Study { job, judged, is_done: false });
            return self.say("going over the game, from its end: m goes to the mistakes");
        }
        let Some(study) = &self.study else { return };
        let at = self.review.unwrap_or(played);
        let behind = (at + 1..=played).chain(0..=at);
        match behind.into_iter().find(|ply| study.mistake(*ply).is_some()) {
            Some(ply) => {
                self.look_back(Some(ply));
                self.look_on(shared);
            }
            None if study.is_done => self.say("no turn gave anything away"),
            None => self.say("no mistake has been found yet"),
        }
    }

    /// The turn on the screen once more, without the answer.
    pub fn try_turn_again(self: Box<Self>, shared: &mut Shared) -> Result<Play, Box<Play>> {
        let at = self.review.unwrap_or(self.table.game.turns_played());
        let judged = self.study.as_ref().and_then(|study| study.mistake(at)).cloned();
        let (Some(judged), Some(before)) = (judged, at.checked_sub(1)) else { return Err(self) };
        let mut game = self.table.game.boxed_clone();
        game.rewind(before);
        let sitters = self.table.sitters.clone().map(|sitter| Sitter::person(&sitter.name));
        let table = Table::new(self.table.entry, game, sitters, None);
        let mut play = Play::bare(table, None, shared);
        play.shown = Shown { flipped: self.shown.flipped, ..play.shown };
        play.shown.bar = false;
        play.retry = Some(Retry { back: self, at: before, judged });
        play.refresh(shared);
        Ok(play)
    }

    /// Back to the game that is gone over, if this is a try at one of its turns.
    pub(super) fn leave_retry(&mut self) -> Option<Next> {
        self.retry.take().map(|retry| Next::Resume(retry.back))
    }

    /// How the try went, in words, and whether it was no better.
    pub(super) fn retry_prompt(&self) -> Option<(String, bool)> {
        let retry = self.retry.as_ref()?;
        let history = self.table.game.history();
        let Some(turn) = history.get(retry.at).filter(|_| !self.table.game.in_turn()) else {
            let words = "Find a better turn than the one that was played; Esc returns to the game.";
            return self.picker.is_idle().then(|| (words.into(), false));
        };
        if retry.judged.best.first() == Some(turn) {
            return Some(("Right: that is what the engine would play. Esc returns.".into(), false));
        }
        let mover = self.table.game.turn();
        let sign = |score: i32| if mover == rules::Player::One { score } else { -score };
        let value = match self.table.game.result() {
            Some(outcome) if outcome.winner() == Some(mover.other()) => {
                return Some(("Right: that wins. Esc returns.".into(), false));
            }
            Some(_) => 0,
            None => {
                match self.watch.as_ref().and_then(|watch| watch.view.as_ref()?.lines.first()) {
                    Some(line) if self.watch.as_ref().is_some_and(|watch| watch.is_done) => {
                        sign(line.score)
                    }
                    _ => return Some(("The engine looks at it…".into(), false)),
                }
            }
        };
        // All values are player 1's here: what was lost is the difference as the one who moved sees it.
        let before = retry.judged.score + sign(-retry.judged.loss.unwrap_or(0));
        let lost = sign(value - before);
        Some(match lost <= SLACK {
            true => ("Good: that gives nothing away. Esc returns.".into(), false),
            false => ("That gives something away, too: u takes it back, Esc returns.".into(), true),
        })
    }

    /// The graph of a game that is gone over, and what is said of the turn on the screen.
    pub(super) fn view_study(&self, pen: &mut Pen<'_, '_>, hits: &Hits) {
        let Some(study) = &self.study else { return };
        let look = pen.look;
        let width = pen.width().min(study.judged.len().max(1) * 2);
        let plies = study.judged.len();
        let at = self.review.unwrap_or(plies.saturating_sub(1));
        let ply_of =
            |column: usize| column * plies.saturating_sub(1) / width.saturating_sub(1).max(1);
        let [one, two] = self.game().diagram().players.map(|seat| seat.tint);
        let style = look.glyph(Ink::Body(one), Paper::Piece(two), false);
        for line in (0..LINES).rev() {
            let mut spans = Vec::new();
            for column in 0..width {
                let ply = ply_of(column);
                let judged = study.judged.get(ply).and_then(Option::as_ref);
                let Some(judged) = judged else {
                    spans.push(Span::styled(
                        if line == 0 { look.sign("·", ".") } else { " " },
                        look.soft(),
                    ));
                    continue;
                };
                let share = f64::from(judged.bar) / 1000.0;
                let filled = (share * (8 * LINES) as f64).round() as usize;
                let sign = match filled.saturating_sub(8 * line) {
                    8.. => look.sign("█", "#"),
                    steps if look.sign("u", "a") == "a" => {
                        if steps > 3 {
                            "#"
                        } else {
                            "."
                        }
                    }
                    steps => STEPS[steps],
                };
                let style = if ply == at { look.accent() } else { style };
                spans.push(Span::styled(sign, style));
            }
            let Some(y) = pen.line(Line::from(spans)) else { return };
            for column in 0..width {
                let place = Rect::new(pen.area.x + column as u16, y, 1, 1);
                hits.add(place, Hit::Row(ply_of(column)));
            }
        }
        let words = match study.judged.get(at).and_then(Option::as_ref) {
            _ if !study.is_done => "going over the game".to_owned(),
            Some(Judged { mistake: Some(mistake), loss, .. }) => {
                let lost = match loss.unwrap_or(0) {
                    0..2_000 => format!(", {:.2} given away", f64::from(loss.unwrap_or(0)) / 100.0),
                    _ => String::new(),
                };
                format!("{mistake}{lost}; x tries again")
            }
            _ => {
                let count =
                    study.judged.iter().flatten().filter(|own| own.mistake.is_some()).count();
                format!(
                    "{count} {}; m goes to the next",
                    if count == 1 { "mistake" } else { "mistakes" }
                )
            }
        };
        pen.words(&words, look.accent());
        pen.gap();
    }
}
