//! The pause menu.

use super::Play;
use crate::table::Sitter;
use crate::tui::app::{Hits, Next, Shared};
use crate::tui::page::Page;
use crate::tui::view::list;
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear};

/// What the pause menu offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    Resume,
    Save,
    Rules,
    Resign,
    /// On a server: offer a draw, ask to take a turn back, and answer what is offered.
    Draw,
    AskBack,
    Accept,
    Decline,
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
            Offer::Rules => "Rules",
            Offer::Resign => "Resign",
            Offer::Draw => "Offer a draw",
            Offer::AskBack => "Ask to take back",
            Offer::Accept => "Accept the offer",
            Offer::Decline => "Decline the offer",
            Offer::ReallyResign => "Yes, resign",
            Offer::Stay => "Stay",
            Offer::Abandon => "Leave without it",
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
#[derive(Clone, Debug)]
pub struct Dialog {
    offers: Vec<Offer>,
    chosen: usize,
}

impl Dialog {
    /// What can be done with a puzzle.
    fn of_puzzle(highlight: Offer) -> Dialog {
        let offers = vec![Offer::Resume, Offer::Again, Offer::Rules, Offer::Puzzles, Offer::Exit];
        let chosen = offers.iter().position(|offer| *offer == highlight).unwrap_or(0);
        Dialog { offers, chosen }
    }

    /// What can be done with a board on which everything can be tried.
    fn of_board(highlight: Offer) -> Dialog {
        let offers = vec![Offer::Resume, Offer::Save, Offer::Rules, Offer::Menu, Offer::Exit];
        let chosen = offers.iter().position(|offer| *offer == highlight).unwrap_or(0);
        Dialog { offers, chosen }
    }

    /// What can be done with a game on a server.
    fn of_server(is_over: bool, plays: bool, has_offer: bool) -> Dialog {
        let mut offers = vec![Offer::Resume];
        if has_offer {
            offers.extend([Offer::Accept, Offer::Decline]);
        }
        match (plays, is_over) {
            (true, false) => offers.extend([Offer::Draw, Offer::AskBack, Offer::Resign]),
            (true, true) => offers.push(Offer::Rematch),
            (false, _) => {}
        }
        offers.extend([Offer::Save, Offer::Rules, Offer::Menu, Offer::Exit]);
        Dialog { offers, chosen: 0 }
    }

    /// Whether to resign after all.
    fn of_resignation() -> Dialog {
        Dialog { offers: vec![Offer::Resume, Offer::ReallyResign], chosen: 0 }
    }

    /// Whether to leave before the server has everything.
    pub(super) fn of_leaving() -> Dialog {
        Dialog { offers: vec![Offer::Stay, Offer::Abandon], chosen: 0 }
    }

    /// What can be done with a running or finished game; one offer is highlighted.
    pub fn new(is_over: bool, has_person: bool, highlight: Offer) -> Dialog {
        let mut offers = vec![Offer::Resume, Offer::Save, Offer::Rules];
        match is_over {
            true => offers.extend([Offer::Rematch, Offer::Swap]),
            false if has_person => offers.push(Offer::Resign),
            false => {}
        }
        offers.extend([Offer::Menu, Offer::Exit]);
        let chosen = offers.iter().position(|offer| *offer == highlight).unwrap_or(0);
        Dialog { offers, chosen }
    }

    /// Moves the highlight, or says what was chosen.
    fn key(&mut self, code: KeyCode) -> Option<Offer> {
        let last = self.offers.len() - 1;
        match code {
            KeyCode::Up | KeyCode::Char('k') => {
                self.chosen = self.chosen.checked_sub(1).unwrap_or(last)
            }
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => {
                self.chosen = if self.chosen < last { self.chosen + 1 } else { 0 };
            }
            KeyCode::Home => self.chosen = 0,
            KeyCode::End => self.chosen = last,
            KeyCode::Enter | KeyCode::Char(' ') => return self.offers.get(self.chosen).copied(),
            KeyCode::Esc | KeyCode::Char('p') => return Some(Offer::Resume),
            KeyCode::Char('q') => return Some(Offer::Exit),
            KeyCode::Char('s') => return Some(Offer::Save),
            KeyCode::Char('m') => return Some(Offer::Menu),
            _ => {}
        }
        None
    }
}

impl Play {
    /// Opens the pause menu.
    pub(super) fn pause(&mut self, highlight: Offer, shared: &mut Shared) {
        let is_over = self.table.result().is_some();
        let has_person = self.table.person().is_some();
        let plays = self.table.sitters.iter().any(Sitter::is_person);
        self.dialog = Some(match self.task {
            None if self.is_online() => {
                Dialog::of_server(is_over, plays, self.open_offer().is_some())
            }
            Some(_) => Dialog::of_puzzle(highlight),
            None if self.is_exploring() => Dialog::of_board(highlight),
            None => Dialog::new(is_over, has_person, highlight),
        });
        self.tend_clock(shared.now);
    }

    /// Pauses a game with a clock, which must not run while the program is suspended.
    pub fn step_aside(&mut self, shared: &mut Shared) {
        if self.table.clock.is_some() && self.table.result().is_none() {
            self.pause(Offer::Resume, shared);
        }
    }

    pub(super) fn dialog_key(&mut self, code: KeyCode, shared: &mut Shared) -> Next {
        let offer = self.dialog.as_mut().and_then(|dialog| dialog.key(code));
        offer.map_or(Next::Stay, |offer| self.take(offer, shared))
    }

    /// A click on a row of the pause menu.
    pub(super) fn dialog_click(&mut self, row: usize, shared: &mut Shared) -> Next {
        let offer = self.dialog.as_ref().and_then(|dialog| dialog.offers.get(row).copied());
        offer.map_or(Next::Stay, |offer| self.take(offer, shared))
    }

    fn take(&mut self, offer: Offer, shared: &mut Shared) -> Next {
        if self.leaving.is_some() {
            return self.answer_leaving(offer);
        }
        self.dialog = None;
        self.tend_clock(shared.now);
        match offer {
            Offer::Resume | Offer::Stay | Offer::Abandon => self.tick(shared),
            Offer::Save => self.ask_name(shared),
            Offer::Rules => return Next::Page(Page::rules(self.table.entry, &shared.look)),
            Offer::Resign => {
                self.dialog = Some(Dialog::of_resignation());
                self.tend_clock(shared.now);
            }
            Offer::ReallyResign if self.is_online() => self.send_word("resign"),
            Offer::ReallyResign => {
                if let Some(player) = self.table.person() {
                    self.table.take_back_part();
                    self.table.resign(player);
                    self.refresh(shared);
                }
            }
            Offer::Again => return self.try_again(),
            Offer::Draw => self.send_word("offer-draw"),
            Offer::AskBack => self.send_word("undo"),
            Offer::Accept => self.send_word("accept"),
            Offer::Decline => self.send_word("decline"),
            Offer::Rematch if self.is_online() => self.next_online(shared),
            Offer::Rematch => return Next::Play(Box::new(self.table.rematch(false)), None),
            Offer::Swap => return Next::Play(Box::new(self.table.rematch(true)), None),
            Offer::Puzzles => {
                let series = self.task.as_ref().map(|task| task.series.clone());
                return Next::Puzzles(series);
            }
            Offer::Menu if self.task.is_some() => return Next::Puzzles(None),
            Offer::Menu => return Next::Menu,
            Offer::Exit => return Next::Quit,
        }
        Next::Stay
    }

    /// The same puzzle from its start.
    fn try_again(&self) -> Next {
        self.task.as_ref().map_or(Next::Stay, |task| Next::Puzzle(task.series.clone()))
    }

    /// Draws the pause menu in the middle.
    pub(super) fn view_dialog(
        &self,
        dialog: &Dialog,
        shared: &Shared,
        frame: &mut Frame,
        hits: &Hits,
    ) {
        let look = &shared.look;
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
            _ if self.is_exploring() => " Variations ",
            _ if self.table.result().is_some() => " The game is over ",
            // The clock of a server does not wait.
            _ if self.is_online() => " Menu ",
            _ => " Paused ",
        };
        let title = Line::styled(title, look.strong());
        frame.render_widget(border.border_style(look.soft()).title(title), place);
        let row = |offer: &Offer| Line::from(Span::raw(format!("  {}", offer.label())));
        let rows: Vec<_> = dialog.offers.iter().map(row).collect();
        let inside = Rect::new(x + 1, y + 1, width - 2, height - 2).intersection(area);
        hits.clear();
        list(frame, look, inside, (&rows, dialog.chosen), hits);
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
