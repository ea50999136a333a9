//! Reviewing a game: the value of every position, the turns that gave something away, and another try at them without
//! seeing the answer.

use super::mode::Mode;
use super::panel::Pen;
use super::{BoardScreen, Shown};
use crate::sitting::work::Job;
use crate::sitting::{Sitting, seat};
use crate::tui::app::{Context, Hit, Hits};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use requests::review::Judged;

/// How many lines the graph has.
const LINES: usize = 3;
/// The steps of a character that is filled from below.
const STEPS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];
/// How much worse another try may be, in hundredths of a piece.
const SLACK: i32 = 50;

/// A game that is being reviewed.
pub struct Study {
    pub(super) job: Job,
    /// The turns that are judged.
    turns: Vec<String>,
    /// The value of each position, by the number of turns before it.
    judged: Vec<Option<Judged>>,
    is_done: bool,
}

/// Another try at a turn that gave something away.
pub struct Retry {
    /// How many turns lie before the try.
    at: usize,
    judged: Judged,
}

impl Study {
    pub(super) fn hear(&mut self, judged: Judged) {
        let ply = judged.ply;
        if let Some(own) = self.judged.get_mut(ply) {
            *own = Some(judged);
        }
    }

    pub(super) fn end(&mut self) {
        self.is_done = true;
    }

    /// Forgets the judgements of turns that have been taken back.
    pub(super) fn keep(&mut self, turns: &[String]) {
        let same = self.turns.iter().zip(turns).take_while(|(own, turn)| own == turn).count();
        self.turns.truncate(same);
        self.judged.truncate(same + 1);
    }

    /// The judgement of a turn, if it was a mistake.
    fn mistake(&self, ply: usize) -> Option<&Judged> {
        self.judged.get(ply)?.as_ref().filter(|judged| judged.mistake.is_some())
    }
}

impl BoardScreen {
    /// The sign after a turn, by how much it gave away.
    pub(super) fn sign_of(&self, ply: usize) -> &'static str {
        let mistake = self.mode.study().and_then(|study| study.mistake(ply)?.mistake);
        match mistake {
            Some("blunder") => "??",
            Some("mistake") => "?",
            Some(_) => "?!",
            None => "",
        }
    }

    /// The turn that should have been played instead of one that gave something away, while that is shown.
    pub(super) fn better_than(&self, ply: usize) -> Option<&str> {
        let study = self.mode.study().filter(|_| self.shown.better)?;
        study.mistake(ply)?.best.first().map(String::as_str)
    }

    /// Who has played a turn.
    pub(super) fn colour_of(&self, ply: usize) -> &'static str {
        let first = self.sitting.board.first_player();
        self.sitting.colour(if ply % 2 == 1 { first } else { first.other() })
    }

    /// Reviews the game, or goes to the next mistake if that is done already.
    pub(super) fn go_over(&mut self, context: &mut Context) {
        let played = self.sitting.board.turns_played();
        if self.is_exploring() {
            return self.say("Esc returns to the game: there m reviews it");
        }
        let is_online = self.sitting.is_played_online();
        let Mode::Game(game) = &mut self.mode else {
            return self.say("you can review a game once it has ended");
        };
        if is_online {
            return self.say("you can review a game once it has ended");
        }
        if played == 0 {
            return self.say("nothing has been played yet");
        }
        let Some(study) = game.study.as_ref().filter(|study| study.judged.len() == played + 1)
        else {
            let job = context.worker.review(self.sitting.board.as_ref());
            let (turns, judged) = (self.sitting.board.history(), vec![None; played + 1]);
            game.study = Some(Study { job, turns, judged, is_done: false });
            return self.say("reviewing the game, from its end: m goes to the mistakes");
        };
        let at = self.past.as_ref().map_or(played, |past| past.turns_played());
        let behind = (at + 1..=played).chain(0..=at);
        match behind.into_iter().find(|ply| study.mistake(*ply).is_some()) {
            Some(ply) => {
                self.look_back(Some(ply));
                self.look_on(context);
            }
            None if study.is_done => self.say("no turn gave anything away"),
            None => self.say("no mistake has been found yet"),
        }
    }

    /// Another try at the turn on the screen, without the answer; this game if it was no mistake.
    pub fn try_turn_again(self: Box<Self>, context: &mut Context) -> Box<BoardScreen> {
        let at = self.review().unwrap_or(self.sitting.board.turns_played());
        let judged = self.mode.study().and_then(|study| study.mistake(at)).cloned();
        let (Some(judged), Some(before)) = (judged, at.checked_sub(1)) else { return self };
        let mut game = self.sitting.board.boxed_clone();
        game.rewind(before);
        let names = self.sitting.seats().each_ref().map(|seat| seat.name.as_deref());
        let seats = names.map(|name| seat::person(name.unwrap_or_default()));
        let sitting = Sitting::new(self.sitting.entry, game, seats, None);
        let flipped = self.shown.flipped;
        let mode = Mode::Retry(Retry { at: before, judged });
        let mut play = BoardScreen::bare(sitting, mode, context);
        play.back = Some(self);
        play.shown = Shown { flipped, bar: false, ..play.shown };
        play.refresh(context);
        Box::new(play)
    }

    /// A sentence about the try, and whether it was no better.
    pub(super) fn retry_prompt(&self) -> Option<(String, bool)> {
        let Mode::Retry(retry) = &self.mode else { return None };
        let history = self.sitting.board.history();
        let Some(turn) = history.get(retry.at).filter(|_| !self.sitting.board.in_turn()) else {
            let words = "Find a better turn than the one that was played; Esc returns to the game.";
            return self.picker.is_idle().then(|| (words.into(), false));
        };
        if retry.judged.best.first() == Some(turn) {
            return Some(("Right: that is what the engine would play. Esc returns.".into(), false));
        }
        let mover = self.sitting.board.turn();
        let sign = |score: i32| if mover == rules::Player::One { score } else { -score };
        let value = match self.sitting.board.result() {
            Some(outcome) if outcome.winner() == Some(mover.other()) => {
                return Some(("Right: that wins. Esc returns.".into(), false));
            }
            Some(_) => 0,
            None => {
                let is_done = self.opinion.watch.as_ref().is_some_and(|watch| watch.is_done);
                match self.opinion.lines().first().filter(|_| is_done) {
                    Some(line) => sign(line.score),
                    None => return Some(("The engine looks at it…".into(), false)),
                }
            }
        };
        // All values are player 1's; the loss is the difference from the point of view of the player who moved.
        let before = retry.judged.score + sign(-retry.judged.loss.unwrap_or(0));
        let lost = sign(value - before);
        Some(match lost <= SLACK {
            true => ("Good: that gives nothing away. Esc returns.".into(), false),
            false => ("That gives something away, too: u takes it back, Esc returns.".into(), true),
        })
    }

    /// The graph of a reviewed game, and the comment on the turn on the screen.
    pub(super) fn view_study(&self, pen: &mut Pen<'_, '_>, hits: &Hits) {
        let Some(study) = self.mode.study() else { return };
        let look = pen.look;
        let width = pen.width().min(study.judged.len().max(1) * 2);
        let plies = study.judged.len();
        let at = self.review().unwrap_or(plies.saturating_sub(1));
        let ply_of =
            |column: usize| column * plies.saturating_sub(1) / width.saturating_sub(1).max(1);
        let [one, two] = *self.game().diagram().players.map(|seat| seat.tint);
        let style = Style { fg: look.piece(one).bg, bg: look.piece(two).bg, ..Style::new() };
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
                let steps = filled.saturating_sub(8 * line).min(8);
                let sign = look.sign(STEPS[steps], if steps > 3 { "#" } else { "." });
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
            _ if !study.is_done => "reviewing the game".to_owned(),
            Some(Judged { mistake: Some(mistake), loss, .. }) => {
                let lost = match loss.unwrap_or(0) {
                    0..2_000 => format!(", {:.2} given away", f64::from(loss.unwrap_or(0)) / 100.0),
                    _ => String::new(),
                };
                format!("{mistake}{lost}; x tries again, b shows better turns")
            }
            _ => {
                let count =
                    study.judged.iter().flatten().filter(|own| own.mistake.is_some()).count();
                match count {
                    0 => "no mistakes".to_owned(),
                    1 => "1 mistake; m goes to the next".to_owned(),
                    _ => format!("{count} mistakes; m goes to the next"),
                }
            }
        };
        pen.words(&words, look.accent());
        pen.gap();
    }
}
