//! The state of the program on a terminal, and the messages that change it.

use super::library::Library;
use super::look::Look;
use super::menu::Menu;
use super::page::Page;
use super::play::Play;
use super::puzzles::{Puzzles, Series};
use super::settings::Settings;
use super::setup::Setup;
use crate::online::{News, Opened};
use crate::saves::{Choices, Saves, Slot};
use crate::table::Table;
use crate::table::work::{Report, Worker};
use engine::Entry;
use engine::puzzles::Puzzle;
use ratatui::crossterm::event::{Event, KeyCode};
use ratatui::layout::Rect;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

#[derive(Debug)]
pub enum Message {
    /// From the keyboard or the mouse.
    Input(Event),
    /// From a thread of the computer.
    Work(Report),
    /// From the connection to a server.
    Net(News),
    /// The time given by [`App::next_tick`] has passed.
    Tick,
    /// The window has another size. Every message redraws everything.
    Resized,
    /// The terminal is gone, or a signal ends the program.
    End,
    /// Ctrl-Z, from the keyboard or as a signal.
    Suspend,
}

/// What all screens share.
pub struct Shared {
    /// The games on the menu.
    pub games: &'static [Entry],
    pub look: Look,
    pub saves: Saves,
    pub choices: Choices,
    /// Whether choices are written: not over a damaged file.
    pub remembers: bool,
    pub worker: Worker,
    /// Where a connection reports to; none in tests.
    pub net: Option<Sender<Message>>,
    /// When the present message arrived.
    pub now: Instant,
}

impl Shared {
    /// Writes the choices to disk.
    pub fn remember(&self) -> Result<(), String> {
        if self.remembers { self.saves.remember(&self.choices) } else { Ok(()) }
    }
}

pub enum Screen {
    Menu(Menu),
    /// The options and players of a game.
    Setup(Box<Setup>),
    Library(Library),
    Puzzles(Puzzles),
    Settings(Settings),
    Play(Box<Play>),
}

/// Where a key or a click leads.
pub enum Next {
    Stay,
    Menu,
    Setup(&'static Entry),
    Library,
    /// The games of a file.
    File(PathBuf, Vec<Result<Table, String>>),
    /// Puzzles of a file.
    OwnPuzzles(Vec<Puzzle>),
    Settings,
    /// The list of puzzles, with one of them selected or none.
    Puzzles(Option<Series>),
    Puzzle(Series),
    /// A game, and its file if it goes on.
    Play(Box<Table>, Option<Slot>),
    /// Another try at the turn on the screen.
    TryAgain,
    /// Back to a game.
    Resume(Box<Play>),
    /// A game on a server.
    Online(Box<Opened>),
    /// A page over the present screen.
    Page(Page),
    Suspend,
    Quit,
}

/// What a click means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A cell of the board, by its number.
    Cell(usize),
    /// A row of a list.
    Row(usize),
    /// A choice that no cell stands for, such as the parts of a stack.
    Choice(usize),
    /// The same as a key.
    Key(KeyCode),
}

/// What a click means, by area of the screen; filled in whenever the screen is drawn.
#[derive(Debug, Default)]
pub struct Hits(RefCell<Vec<(Rect, Hit)>>);

impl Hits {
    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// Gives an area a meaning, on top of earlier ones.
    pub fn add(&self, area: Rect, hit: Hit) {
        self.0.borrow_mut().push((area, hit));
    }

    pub fn at(&self, column: u16, row: u16) -> Option<Hit> {
        let hits = self.0.borrow();
        hits.iter().rev().find(|(area, _)| area.contains((column, row).into())).map(|(_, hit)| *hit)
    }
}

pub struct App {
    pub shared: Shared,
    pub screen: Screen,
    /// A page over the screen.
    pub page: Option<Page>,
    pub hits: Hits,
    /// The cell on which the mouse button went down.
    pub pressed: Option<usize>,
    pub quit: bool,
    /// Whether the program is to be suspended, as by Ctrl-Z.
    pub suspend: bool,
}

impl App {
    pub fn new(shared: Shared, trouble: Option<String>) -> App {
        let screen = Screen::Menu(Menu::new(&shared, trouble));
        let hits = Hits::default();
        App { shared, screen, page: None, hits, pressed: None, quit: false, suspend: false }
    }

    pub fn go(&mut self, next: Next) {
        let shared = &mut self.shared;
        match next {
            Next::Stay => {}
            Next::Menu => self.screen = Screen::Menu(Menu::new(shared, None)),
            Next::Setup(entry) => match Setup::new(entry, shared) {
                Ok(setup) => self.screen = Screen::Setup(Box::new(setup)),
                Err(trouble) => self.screen = Screen::Menu(Menu::new(shared, Some(trouble))),
            },
            Next::File(path, games) => {
                self.screen = Screen::Library(Library::of_file(&path, games));
            }
            Next::OwnPuzzles(puzzles) => self.screen = Screen::Puzzles(Puzzles::of(&puzzles)),
            Next::Settings => self.screen = Screen::Settings(Settings::default()),
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
            Next::TryAgain => self.try_again(),
            Next::Resume(play) => self.screen = Screen::Play(play),
            Next::Online(opened) => {
                self.screen = Screen::Play(Box::new(Play::online(*opened, shared)));
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

    /// Puts another try at a turn in the place of the game that is gone over.
    fn try_again(&mut self) {
        let menu = Screen::Settings(Settings::default());
        match std::mem::replace(&mut self.screen, menu) {
            Screen::Play(play) => {
                let tried = play.try_turn_again(&mut self.shared);
                self.screen = Screen::Play(tried.map_or_else(|play| play, Box::new));
            }
            other => self.screen = other,
        }
    }

    /// How long until the screen changes by itself, if it does.
    pub fn next_tick(&self, now: Instant) -> Option<Duration> {
        match &self.screen {
            Screen::Play(play) => play.next_tick(now),
            _ => None,
        }
    }
}
