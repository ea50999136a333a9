//! The state of the program on a terminal, and the messages that change it.

use super::editor::Editor;
use super::help::Topic;
use super::lessons::{Lessons, Pupil};
use super::library::Library;
use super::live::Live;
use super::look::{Graphics, Look};
use super::menu::Menu;
use super::page::Page;
use super::play::BoardScreen;
use super::puzzles::{Puzzles, Series};
use super::settings::Settings;
use super::setup::Setup;
use crate::config::Config;
use crate::online::{News, Opened};
use crate::saves::{Choices, Saves, Slot};
use crate::sitting::Sitting;
use crate::sitting::work::{Report, Worker};
use crate::tui::field::Field;
use engine::Entry;
use engine::puzzles::Puzzle;
use ratatui::crossterm::event::{Event, KeyCode};
use ratatui::layout::Rect;
use rules::text::Rgb;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

pub enum Message {
    /// From the keyboard or the mouse.
    Input(Event),
    /// The colour of the terminal's background.
    Background(Rgb),
    /// How the terminal shows pictures.
    Graphics(Graphics),
    /// From a thread that searches.
    Work(Report),
    Net(News),
    /// A game on a server that was asked for, or why there is none.
    Opened(Result<Box<Opened>, String>),
    /// The time given by [`App::next_tick`] has passed.
    Tick,
    /// The window has another size; nothing to do, as every message redraws everything.
    Resized,
    /// The terminal is gone, or a signal stops the program.
    End,
    /// Ctrl-Z, from the keyboard or as a signal.
    Suspend,
}

/// Context that every screen needs besides its own state.
pub struct Context {
    pub games: &'static [Entry],
    pub config: Config,
    pub look: Look,
    pub saves: Saves,
    pub choices: Choices,
    /// False after a damaged file was read: it must not be overwritten.
    pub remembers: bool,
    pub worker: Worker,
    /// Where a connection reports to; none in tests.
    pub net: Option<Sender<Message>>,
    /// When the present message arrived.
    pub now: Instant,
}

impl Context {
    pub fn remember(&self) -> Result<(), String> {
        if self.remembers { self.saves.remember(&self.choices) } else { Ok(()) }
    }
}

pub enum Screen {
    Menu(Menu),
    /// The options and players of a game.
    Setup(Box<Setup>),
    /// A position that is set up by hand.
    Editor(Box<Editor>),
    Library(Library),
    Lessons(Lessons),
    Puzzles(Puzzles),
    Settings(Settings),
    Play(Box<BoardScreen>),
}

impl Screen {
    /// The topic of the help.
    pub fn topic(&self) -> Topic {
        match self {
            Screen::Menu(_) | Screen::Lessons(_) | Screen::Puzzles(_) | Screen::Settings(_) => {
                Topic::Lists
            }
            Screen::Setup(_) => Topic::Form,
            Screen::Library(_) => Topic::Library,
            Screen::Editor(_) => Topic::Editor,
            Screen::Play(play) => play.topic(),
        }
    }

    /// The line of text that is being edited.
    pub fn field(&mut self) -> Option<&mut Field> {
        match self {
            Screen::Setup(setup) => setup.field(),
            Screen::Library(library) => library.field(),
            Screen::Play(play) => play.field(),
            Screen::Menu(_)
            | Screen::Editor(_)
            | Screen::Lessons(_)
            | Screen::Puzzles(_)
            | Screen::Settings(_) => None,
        }
    }
}

/// Where a key or a click leads.
pub enum Next {
    Stay,
    Menu,
    Setup(&'static Entry),
    /// The form for an invitation.
    Invite(&'static Entry),
    Library,
    File(PathBuf, Vec<Result<Sitting, String>>),
    OwnPuzzles(Vec<Puzzle>),
    Settings,
    /// The list of puzzles, with one of them selected or none.
    Puzzles(Option<Series>),
    Puzzle(Series),
    /// The list of lessons, with one of them selected or none.
    Lessons(Option<Pupil>),
    Lesson(Pupil),
    /// A game, and its file if it goes on.
    Play(Box<Sitting>, Option<Slot>),
    /// Another try at the turn on the screen.
    TryAgain,
    /// A board to try variations of the game on the screen.
    Explore,
    /// Sets up a position, beginning with that of the form or game on the screen.
    Edit,
    /// The form, with the position that was set up.
    Form,
    /// A board to analyse the position that was set up.
    Examine,
    /// Back to the game that this board was opened from.
    Back,
    Online(Box<Opened>),
    /// A page over the present screen.
    Page(Page),
    /// Puts a text on the clipboard.
    Copy(String),
    Suspend,
    Quit,
    /// Leaves a game although the server has not acknowledged everything.
    Abandon(Box<Next>),
}

impl Next {
    /// Whether the game on the screen is left for good.
    fn leaves_game(&self) -> bool {
        !matches!(
            self,
            Next::Stay
                | Next::TryAgain
                | Next::Explore
                | Next::Back
                | Next::Page(_)
                | Next::Copy(_)
                | Next::Suspend
        )
    }
}

/// The meaning of a click.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hit {
    /// A cell of the board, by its number.
    Cell(usize),
    Row(usize),
    /// One of the engine's lines.
    Line(usize),
    /// A choice that is not a cell, such as the parts of a stack.
    Choice(usize),
    /// The same as a key.
    Key(KeyCode),
}

/// The meanings of clicks, by area of the screen, and the board as a picture; filled in whenever the screen is drawn.
#[derive(Debug, Default)]
pub struct Hits(RefCell<Vec<(Rect, Hit)>>, RefCell<Option<Live>>);

impl Hits {
    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// Passes on a picture to be shown.
    pub fn show(&self, live: Live) {
        self.1.replace(Some(live));
    }

    /// The picture of the last frame.
    pub fn shown(&self) -> Option<Live> {
        self.1.take()
    }

    /// Adds an area on top of earlier ones.
    pub fn add(&self, area: Rect, hit: Hit) {
        self.0.borrow_mut().push((area, hit));
    }

    pub fn at(&self, column: u16, row: u16) -> Option<Hit> {
        let hits = self.0.borrow();
        hits.iter().rev().find(|(area, _)| area.contains((column, row).into())).map(|(_, hit)| *hit)
    }
}

pub struct App {
    pub context: Context,
    pub screen: Screen,
    /// A page over the screen.
    pub page: Option<Page>,
    pub hits: Hits,
    /// The cell on which the mouse button went down.
    pub pressed: Option<usize>,
    pub quit: bool,
    /// Turns and commands that the user left behind unacknowledged by the server.
    pub abandoned: Vec<String>,
    /// Whether the program is to be suspended, as by Ctrl-Z.
    pub suspend: bool,
    /// A text for the clipboard.
    pub copied: Option<String>,
}

impl App {
    pub fn new(context: Context, trouble: Option<String>) -> App {
        let screen = Screen::Menu(Menu::new(&context, trouble));
        let hits = Hits::default();
        App {
            context,
            screen,
            page: None,
            hits,
            pressed: None,
            quit: false,
            abandoned: Vec::new(),
            suspend: false,
            copied: None,
        }
    }

    /// Turns and commands of the game on the screen that the server has not acknowledged.
    pub fn unsent(&self) -> Vec<String> {
        match &self.screen {
            Screen::Play(play) => play.unsent(),
            _ => Vec::new(),
        }
    }

    /// Keeps what the server has not acknowledged until the game is joined again.
    pub fn put_off(&mut self) {
        if let Screen::Play(play) = &self.screen
            && let Err(trouble) = play.put_off(&self.context.saves)
        {
            self.abandoned.push(trouble);
        }
    }

    /// Goes there; asks first if the server has not acknowledged everything.
    pub fn go(&mut self, next: Next) {
        let next = match &mut self.screen {
            Screen::Play(play) if next.leaves_game() && !play.unsent().is_empty() => match next {
                Next::Abandon(_) => Some(next),
                next => {
                    self.page = None;
                    play.ask_to_leave(next)
                }
            },
            _ => Some(next),
        };
        match next {
            Some(Next::Abandon(next)) => {
                self.abandoned.extend(self.unsent());
                self.put_off();
                self.arrive(*next);
            }
            Some(next) => self.arrive(next),
            None => {}
        }
    }

    fn arrive(&mut self, next: Next) {
        let context = &mut self.context;
        match next {
            Next::Stay => {}
            Next::Menu => {
                let mut menu = Menu::new(context, None);
                menu.stand_at(&self.screen);
                self.screen = Screen::Menu(menu);
            }
            Next::Setup(entry) => match Setup::new(entry, context) {
                Ok(setup) => self.screen = Screen::Setup(Box::new(setup)),
                Err(trouble) => self.screen = Screen::Menu(Menu::new(context, Some(trouble))),
            },
            Next::Invite(entry) => {
                let before = match &self.screen {
                    Screen::Setup(setup) => Some(setup.as_ref()),
                    _ => None,
                };
                match Setup::inviting(entry, context, before) {
                    Ok(setup) => self.screen = Screen::Setup(Box::new(setup)),
                    Err(trouble) => self.screen = Screen::Menu(Menu::new(context, Some(trouble))),
                }
            }
            Next::File(path, games) => {
                self.screen = Screen::Library(Library::of_file(&path, games));
            }
            Next::OwnPuzzles(puzzles) => self.screen = Screen::Puzzles(Puzzles::of(&puzzles)),
            Next::Settings => self.screen = Screen::Settings(Settings::new()),
            Next::Library => self.screen = Screen::Library(Library::new(context)),
            Next::Puzzles(chosen) => {
                let puzzles = Puzzles::new(context);
                let puzzles = match &chosen {
                    Some(series) => puzzles.at(series),
                    None => puzzles,
                };
                self.screen = Screen::Puzzles(puzzles);
            }
            Next::Lessons(at) => self.screen = Screen::Lessons(Lessons::new(context, at)),
            Next::Lesson(pupil) => {
                if let Some(play) = BoardScreen::lesson(pupil, context) {
                    self.screen = Screen::Play(Box::new(play));
                }
            }
            Next::Puzzle(series) => {
                if let Some(play) = BoardScreen::puzzle(series, context) {
                    self.screen = Screen::Play(Box::new(play));
                }
            }
            Next::Play(sitting, slot) => {
                self.screen = Screen::Play(Box::new(BoardScreen::new(*sitting, slot, context)));
            }
            Next::TryAgain => self.replace_play(BoardScreen::try_turn_again),
            Next::Explore => self.replace_play(BoardScreen::explore),
            Next::Back => self.replace_play(BoardScreen::leave),
            Next::Edit | Next::Form | Next::Examine => self.edit(&next),
            Next::Online(opened) => {
                self.screen = Screen::Play(Box::new(BoardScreen::online(*opened, context)));
            }
            Next::Page(page) => self.page = Some(page),
            Next::Copy(text) => self.copied = Some(text),
            Next::Suspend => {
                if let Screen::Play(play) = &mut self.screen {
                    play.step_aside(context);
                }
                self.suspend = true;
            }
            Next::Quit => self.quit = true,
            Next::Abandon(next) => self.arrive(*next),
        }
    }

    /// Puts another board in the place of the one on the screen.
    fn replace_play(&mut self, replace: fn(Box<BoardScreen>, &mut Context) -> Box<BoardScreen>) {
        let menu = Screen::Settings(Settings::new());
        self.screen = match std::mem::replace(&mut self.screen, menu) {
            Screen::Play(play) => Screen::Play(replace(play, &mut self.context)),
            other => other,
        };
    }

    /// Goes to the editor, or from there to the form or to a board.
    fn edit(&mut self, next: &Next) {
        let menu = Screen::Settings(Settings::new());
        self.screen = match (std::mem::replace(&mut self.screen, menu), next) {
            (Screen::Setup(setup), Next::Edit) => Screen::Editor(Box::new(Editor::new(setup))),
            (Screen::Play(play), Next::Edit) => {
                match (Setup::new(play.sitting.entry, &self.context), play.bare_position()) {
                    (Ok(mut setup), Some(game)) => {
                        setup.set_position(game);
                        Screen::Editor(Box::new(Editor::new(Box::new(setup))))
                    }
                    _ => Screen::Play(play),
                }
            }
            (Screen::Editor(editor), Next::Form) => Screen::Setup(editor.into_setup()),
            (Screen::Editor(editor), Next::Examine) => {
                let sitting = editor.sitting();
                Screen::Play(Box::new(BoardScreen::explore_sitting(&sitting, &mut self.context)))
            }
            (other, _) => other,
        };
    }

    /// The title of the window.
    pub fn title(&self) -> String {
        match &self.screen {
            Screen::Play(play) => play.title(),
            _ => "Quadrille".into(),
        }
    }

    /// Whether to ring the bell: it has become the user's turn.
    pub fn take_call(&mut self) -> bool {
        let calls = match &mut self.screen {
            Screen::Play(play) => play.take_call(),
            _ => false,
        };
        calls && !self.context.choices.silent
    }

    /// How long until the screen changes by itself.
    pub fn next_tick(&self, now: Instant) -> Option<Duration> {
        match &self.screen {
            Screen::Play(play) => play.next_tick(now),
            _ => None,
        }
    }
}
