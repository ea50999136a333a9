//! The state of the program on a terminal, and the messages that change it.

use super::library::Library;
use super::look::Look;
use super::menu::Menu;
use super::page::Page;
use super::play::Play;
use super::puzzles::{Puzzles, Series};
use super::setup::Setup;
use crate::saves::{Choices, Saves};
use crate::table::Table;
use crate::table::work::{Report, Worker};
use engine::Entry;
use ratatui::crossterm::event::{Event, KeyCode};
use ratatui::layout::Rect;
use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What the program is told.
#[derive(Debug)]
pub enum Message {
    /// Keys, the mouse, a new size.
    Input(Event),
    /// The computer has something to tell.
    Work(Report),
    /// The time that was asked for has come.
    Tick,
    /// The window has another size; everything is drawn anew after every message.
    Resized,
    /// The terminal is gone or the program is asked to end.
    End,
    /// The program is asked to step aside for a while.
    Suspend,
}

/// What all screens share.
pub struct Shared {
    /// The games on the menu.
    pub games: &'static [Entry],
    /// What the terminal can show.
    pub look: Look,
    /// Saved games.
    pub saves: Saves,
    /// The last choices.
    pub choices: Choices,
    /// Whether choices are to be remembered: not over a damaged file.
    pub remembers: bool,
    /// The computer's threads.
    pub worker: Worker,
    /// The time of the message that is being dealt with.
    pub now: Instant,
}

impl Shared {
    /// Remembers the choices; that it fails is no reason to stop a game.
    pub fn remember(&self) -> Result<(), String> {
        if self.remembers { self.saves.remember(&self.choices) } else { Ok(()) }
    }
}

/// What the whole terminal shows.
pub enum Screen {
    /// The list of games.
    Menu(Menu),
    /// Options and players of a game.
    Setup(Box<Setup>),
    /// The saved games.
    Library(Library),
    /// The puzzles.
    Puzzles(Puzzles),
    /// A game.
    Play(Box<Play>),
}

/// Where a key leads.
pub enum Next {
    /// Nowhere else.
    Stay,
    /// To the list of games.
    Menu,
    /// To the options of a game.
    Setup(&'static Entry),
    /// To the saved games.
    Library,
    /// To the puzzles, one of which may be chosen.
    Puzzles(Option<Series>),
    /// To a puzzle.
    Puzzle(Series),
    /// To a game, which may have a file already.
    Play(Box<Table>, Option<PathBuf>),
    /// To a page over the present screen.
    Page(Page),
    /// Out of the program for a while.
    Suspend,
    /// Out of the program.
    Quit,
}

/// What a click means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A cell of the board.
    Cell(usize),
    /// A row of a list.
    Row(usize),
    /// One of the choices of a staged turn.
    Choice(usize),
    /// The same as a key.
    Key(KeyCode),
}

/// Where on the screen a click means what; filled whenever the screen is drawn.
#[derive(Debug, Default)]
pub struct Hits(RefCell<Vec<(Rect, Hit)>>);

impl Hits {
    /// Forgets everything.
    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// Gives a place a meaning, over the ones it had.
    pub fn add(&self, area: Rect, hit: Hit) {
        self.0.borrow_mut().push((area, hit));
    }

    /// What a click there means.
    pub fn at(&self, column: u16, row: u16) -> Option<Hit> {
        let hits = self.0.borrow();
        hits.iter().rev().find(|(area, _)| area.contains((column, row).into())).map(|(_, hit)| *hit)
    }
}

/// The whole state.
pub struct App {
    /// What all screens share.
    pub shared: Shared,
    /// What the terminal shows.
    pub screen: Screen,
    /// A page over it.
    pub page: Option<Page>,
    /// What clicks mean.
    pub hits: Hits,
    /// The cell on which the button of the mouse went down.
    pub pressed: Option<usize>,
    /// Whether the program is to end.
    pub quit: bool,
    /// Whether it is to step aside.
    pub suspend: bool,
}

impl App {
    /// The list of games.
    pub fn new(shared: Shared, trouble: Option<String>) -> App {
        let screen = Screen::Menu(Menu::new(&shared, trouble));
        let hits = Hits::default();
        App { shared, screen, page: None, hits, pressed: None, quit: false, suspend: false }
    }

    /// Goes where a key leads.
    pub fn go(&mut self, next: Next) {
        let shared = &mut self.shared;
        match next {
            Next::Stay => {}
            Next::Menu => self.screen = Screen::Menu(Menu::new(shared, None)),
            Next::Setup(entry) => match Setup::new(entry, shared) {
                Ok(setup) => self.screen = Screen::Setup(Box::new(setup)),
                Err(trouble) => self.screen = Screen::Menu(Menu::new(shared, Some(trouble))),
            },
            Next::Library => self.screen = Screen::Library(Library::new(shared)),
            Next::Puzzles(chosen) => {
                let puzzles = Puzzles::new(shared);
                let puzzles = match &chosen {
                    Some(series) => puzzles.at(series),
                    None => puzzles,
                };
                self.screen = Screen::Puzzles(puzzles);
            }
            Next::Puzzle(series) => {
                if let Some(play) = Play::puzzle(series, shared) {
                    self.screen = Screen::Play(Box::new(play));
                }
            }
            Next::Play(table, slot) => {
                self.screen = Screen::Play(Box::new(Play::new(*table, slot, shared)));
            }
            Next::Page(page) => self.page = Some(page),
            Next::Suspend => {
                if let Screen::Play(play) = &mut self.screen {
                    play.step_aside(shared);
                }
                self.suspend = true;
            }
            Next::Quit => self.quit = true,
        }
    }

    /// When the screen changes by itself, if it does.
    pub fn next_tick(&self, now: Instant) -> Option<Duration> {
        match &self.screen {
            Screen::Play(play) => play.next_tick(now),
            _ => None,
        }
    }
}
