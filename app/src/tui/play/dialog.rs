//! The pause menu.

use super::BoardScreen;
use crate::online;
use crate::tui::app::{Context, Hits, Next};
use crate::tui::list::List;
use crate::tui::page::Page;
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear};
use table::referee;
use table::words::GREETINGS;

/// The offers of the pause menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    Resume,
    Save,
    /// The record of the game goes to the clipboard.
    Copy,
    /// The link for the other player goes there.
    CopyLink,
    Rules,
    Resign,
    /// On a server: end the game before both have moved; nobody wins.
    CallOff,
    /// On a server: offer a draw, ask to take a turn back, and answer what is offered.
    Draw,
    AskBack,
    Accept,
    Decline,
    /// On a server: the fixed words that players say to each other, one of them by its number, and whether those of
    /// the other side are shown.
    Greetings,
    Greet(usize),
    Mute,
    Unmute,
    /// Resign after all, asked a second time.
    ReallyResign,
    /// Stay until the server has acknowledged what was played, or leave without that.
    Stay,
    Abandon,
    /// The same puzzle from its start.
    Again,
    Rematch,
    /// A rematch with the sides changed.
    Swap,
    /// The list of puzzles.
    Puzzles,
    Menu,
    Exit,
}

impl Offer {
    const fn label(self) -> &'static str {
        match self {
            Offer::Resume => "Resume",
            Offer::Save => "Save",
            Offer::Copy => "Copy the game",
            Offer::CopyLink => "Copy the invitation",
            Offer::Rules => "Rules",
            Offer::Resign => "Resign",
            Offer::CallOff => "Call the game off",
            Offer::Draw => "Offer a draw",
            Offer::AskBack => "Ask to take back",
            Offer::Accept => "Accept the offer",
            Offer::Decline => "Decline the offer",
            Offer::Greetings => "Say something, mute",
            Offer::Greet(which) => GREETINGS[which].1,
            Offer::Mute => "Mute the other side",
            Offer::Unmute => "Hear the other side",
            Offer::ReallyResign => "Yes, resign",
            Offer::Stay => "Stay",
            Offer::Abandon => "Leave, send it next time",
            Offer::Again => "Try again",
            Offer::Rematch => "Rematch",
            Offer::Swap => "Rematch, sides changed",
            Offer::Puzzles => "Other puzzles",
            Offer::Menu => "Main menu",
            Offer::Exit => "Exit",
        }
    }
}

/// The menu over a game.
pub struct Dialog {
    offers: Vec<Offer>,
    list: List,
    /// Where the user wants to go although the server has not acknowledged everything, if that is the question.
    pub(super) leaving: Option<Box<Next>>,
}

impl Dialog {
    fn new(offers: Vec<Offer>, highlight: Offer) -> Dialog {
        let chosen = offers.iter().position(|offer| *offer == highlight).unwrap_or(0);
        Dialog { offers, list: List::ring(chosen), leaving: None }
    }

    /// Whether to leave before the server has everything.
    pub(super) fn of_leaving(next: Next) -> Dialog {
        let dialog = Dialog::new(vec![Offer::Stay, Offer::Abandon], Offer::Stay);
        Dialog { leaving: Some(Box::new(next)), ..dialog }
    }

    pub(super) fn asks_to_leave(&self) -> bool {
        self.leaving.is_some()
    }

    /// Moves the highlight, or returns what was chosen.
    fn key(&mut self, code: KeyCode) -> Option<Offer> {
        match code {
            KeyCode::Enter | KeyCode::Char(' ') => self.offers.get(self.list.chosen).copied(),
            KeyCode::Esc | KeyCode::Char('p') => Some(Offer::Resume),
            KeyCode::Char('q') => Some(Offer::Exit),
            KeyCode::Char('s') => Some(Offer::Save),
            KeyCode::Char('m') => Some(Offer::Menu),
            code => {
                self.list.key(code, self.offers.len());
                None
            }
        }
    }
}

impl BoardScreen {
    pub(super) fn pause(&mut self, highlight: Offer, context: &mut Context) {
        self.ask(self.offers_now(), highlight, context);
    }

    fn ask(&mut self, offers: Vec<Offer>, highlight: Offer, context: &mut Context) {
        self.dialog = Some(Dialog::new(offers, highlight));
        self.tend_clock(context.now);
    }

    /// The offers for the game, puzzle or board on the screen.
    fn offers_now(&self) -> Vec<Offer> {
        if self.mode.task().is_some() {
            return vec![Offer::Resume, Offer::Again, Offer::Rules, Offer::Puzzles, Offer::Exit];
        }
        if self.mode.pupil().is_some() {
            return vec![Offer::Resume, Offer::Rules, Offer::Menu, Offer::Exit];
        }
        let is_over = self.sitting.result().is_some();
        let mut offers = vec![Offer::Resume];
        if online::open_offer(&self.sitting).is_some() && self.is_online() {
            offers.extend([Offer::Accept, Offer::Decline]);
        }
        offers.extend(self.invitation().map(|_| Offer::CopyLink));
        if self.is_online() && !self.sitting.looks_on() {
            match is_over {
                true => offers.push(Offer::Rematch),
                false if referee::can_abort(&self.sitting.state) => offers.push(Offer::CallOff),
                false => offers.extend([Offer::Draw, Offer::AskBack, Offer::Resign]),
            }
        }
        offers.extend(self.is_online().then_some(Offer::Greetings));
        offers.extend([Offer::Save, Offer::Copy, Offer::Rules]);
        if !self.is_online() && !self.is_exploring() {
            match is_over {
                true => offers.extend([Offer::Rematch, Offer::Swap]),
                false => offers.extend(self.sitting.person().map(|_| Offer::Resign)),
            }
        }
        offers.extend([Offer::Menu, Offer::Exit]);
        offers
    }

    /// The greetings, and whether to hear the other player's; watchers have none to say.
    fn greetings(&self) -> Vec<Offer> {
        let words = if self.sitting.looks_on() { 0 } else { GREETINGS.len() };
        let words = (0..words).map(Offer::Greet);
        let mute = if self.is_muted() { Offer::Unmute } else { Offer::Mute };
        words.chain([mute, Offer::Resume]).collect()
    }

    /// Pauses a game with a clock, which must not run while the program is suspended.
    pub fn step_aside(&mut self, context: &mut Context) {
        let runs = self.sitting.state.course.clock.is_some() && self.sitting.result().is_none();
        if runs && self.dialog.is_none() {
            self.pause(Offer::Resume, context);
        }
    }

    pub(super) fn dialog_key(&mut self, code: KeyCode, context: &mut Context) -> Next {
        let offer = self.dialog.as_mut().and_then(|dialog| dialog.key(code));
        offer.map_or(Next::Stay, |offer| self.take(offer, context))
    }

    pub(super) fn dialog_click(&mut self, row: usize, context: &mut Context) -> Next {
        let offer = self.dialog.as_ref().and_then(|dialog| dialog.offers.get(row).copied());
        offer.map_or(Next::Stay, |offer| self.take(offer, context))
    }

    fn take(&mut self, offer: Offer, context: &mut Context) -> Next {
        if self.dialog.as_ref().is_some_and(Dialog::asks_to_leave) {
            return self.answer_leaving(offer);
        }
        self.dialog = None;
        self.tend_clock(context.now);
        match offer {
            Offer::Resume | Offer::Stay | Offer::Abandon => self.tick(context),
            Offer::Save => self.ask_name(context),
            Offer::Copy => {
                self.say("the game is copied");
                return Next::Copy(self.record(context).to_string());
            }
            Offer::CopyLink => return self.copy_invitation(),
            Offer::Rules => return Next::Page(Page::rules(self.sitting.entry, &context.look)),
            Offer::Resign => {
                self.ask(vec![Offer::Resume, Offer::ReallyResign], Offer::Resume, context);
            }
            Offer::ReallyResign if self.is_online() => self.send_word("resign"),
            Offer::ReallyResign => {
                if let Some(player) = self.sitting.person() {
                    self.sitting.resign(player, context.now);
                    self.refresh(context);
                }
            }
            Offer::Again => {
                let series = self.mode.task().map(|task| task.series.clone());
                return series.map_or(Next::Stay, Next::Puzzle);
            }
            Offer::CallOff => self.send_word("abort"),
            Offer::Draw => self.send_word("offer-draw"),
            Offer::AskBack => {
                self.forget_ahead();
                self.send_word("undo");
            }
            Offer::Accept => self.send_word("accept"),
            Offer::Decline => self.send_word("decline"),
            Offer::Greetings => {
                let offers = self.greetings();
                self.ask(offers, Offer::Greet(0), context);
            }
            Offer::Greet(which) => self.greet(GREETINGS[which]),
            Offer::Mute | Offer::Unmute => self.mute(),
            Offer::Rematch if self.is_online() => self.next_online(context),
            Offer::Rematch => return Next::Play(Box::new(self.sitting.rematch(false)), None),
            Offer::Swap => return Next::Play(Box::new(self.sitting.rematch(true)), None),
            Offer::Puzzles => {
                let series = self.mode.task().map(|task| task.series.clone());
                return Next::Puzzles(series);
            }
            Offer::Menu if self.mode.task().is_some() => return Next::Puzzles(None),
            Offer::Menu if self.mode.pupil().is_some() => return Next::Lessons(self.mode.pupil()),
            Offer::Menu => return Next::Menu,
            Offer::Exit => return Next::Quit,
        }
        Next::Stay
    }

    pub(super) fn view_dialog(
        &self,
        dialog: &Dialog,
        context: &Context,
        frame: &mut Frame,
        hits: &Hits,
    ) {
        let look = &context.look;
        let (width, height) = (30, dialog.offers.len() as u16 + 2);
        let area = frame.area();
        let x = area.width.saturating_sub(width) / 2;
        let y = area.height.saturating_sub(height) / 2;
        let place = Rect::new(x, y, width, height).intersection(area);
        frame.render_widget(Clear, place);
        let border = match look.sign("u", "a") {
            "u" => Block::bordered().border_type(ratatui::widgets::BorderType::Rounded),
            _ => Block::bordered().border_set(ASCII),
        };
        let title = match dialog.offers.last() {
            Some(Offer::ReallyResign) => " Give the game up? ",
            Some(Offer::Abandon) => " Not acknowledged yet ",
            Some(Offer::Resume) => " Say ",
            _ if self.is_exploring() => " Variations ",
            _ if self.sitting.result().is_some() => " The game is over ",
            // The clock of a server does not wait.
            _ if self.is_online() => " Menu ",
            _ => " Paused ",
        };
        let title = Line::styled(title, look.strong());
        frame.render_widget(border.border_style(look.soft()).title(title), place);
        let row = |i: usize| Line::from(Span::raw(format!("  {}", dialog.offers[i].label())));
        let inside = Rect::new(x + 1, y + 1, width - 2, height - 2).intersection(area);
        hits.clear();
        dialog.list.draw((dialog.offers.len(), row), look, inside, frame, hits);
    }
}

/// A frame without box-drawing characters.
const ASCII: ratatui::symbols::border::Set = ratatui::symbols::border::Set {
    top_left: "+",
    top_right: "+",
    bottom_left: "+",
    bottom_right: "+",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};
