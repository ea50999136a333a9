//! The screens without a terminal: keys in, frames out.

mod aids;
mod at_server;
mod behaviour;
mod colours;
mod explore;
mod frames;
mod mosaics;
mod own_keys;
mod pictures;
mod puzzles;

mod study;
mod whole;

use super::app::{App, Context, Message, Next, Screen};
use super::live::Shown;
use super::look::Depth;
use super::look::{Graphics, Look};
use super::play::BoardScreen;
use super::update::update;
use super::view::view;
use crate::saves::{Choices, Saves};
use crate::sitting::clock::Terms;
use crate::sitting::record::today;
use crate::sitting::work::{Found, Report, Worker};
use crate::sitting::{Sitting, seat};
use engine::{AnalysedLine, Analysis};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::style::{Color, Modifier};
use rules::Player;
use rules::text::Charset;
use std::cell::RefCell;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (140, 45);

/// A program whose threads are not heard, in a folder of its own.
struct Rig {
    app: App,
    folder: PathBuf,
    /// The folder itself, where it goes with the rig.
    own: Option<TempDir>,
    now: Instant,
    size: (u16, u16),
    /// What a terminal with pictures shows.
    shown: RefCell<Shown>,
}

impl Rig {
    fn new() -> Rig {
        let own = TempDir::new().unwrap();
        let mut rig = Rig::at(own.path().to_owned());
        rig.own = Some(own);
        rig
    }

    /// The program, started again in a folder.
    fn at(folder: PathBuf) -> Rig {
        let saves = Saves::open(Some(&folder)).unwrap();
        let choices = saves.choices();
        let trouble = choices.clone().err();
        let now = Instant::now();
        let context = Context {
            // A new game changes no picture of the menu.
            games: &engine::GAMES[..4],
            config: Default::default(),
            look: Look::default(),
            saves,
            remembers: trouble.is_none(),
            // Pictures show pieces that have arrived.
            choices: Choices { still: true, ..choices.unwrap_or_default() },
            worker: Worker::new(Some(1), |_| {}),
            net: None,
            now,
        };
        Rig {
            app: App::new(context, trouble),
            folder,
            own: None,
            now,
            size: SMALL,
            shown: RefCell::default(),
        }
    }

    /// A game between these players, after these turns.
    fn playing(game: &str, players: [&str; 2], turns: &str) -> Rig {
        let mut rig = Rig::new();
        rig.sit(game, players, turns, None);
        rig
    }

    fn sit(&mut self, game: &str, players: [&str; 2], turns: &str, clock: Option<&str>) {
        let entry = engine::find(game).unwrap();
        let game = (entry.start)(&Default::default()).unwrap();
        let seats = players.map(|code| seat::parse(code, game.as_ref()).unwrap());
        let terms = clock.map(|terms| Terms::parse(terms).unwrap());
        let mut sitting = Sitting::new(entry, game, seats.into(), terms);
        sitting.tend_clock(false, self.now);
        for turn in turns.split_whitespace() {
            sitting.play(turn, self.now).unwrap();
        }
        self.app.context.now = self.now;
        self.app.go(Next::Play(Box::new(sitting), None));
    }

    fn tell(&mut self, message: Message) {
        update(&mut self.app, message, self.now);
    }

    /// Lets time pass, and runs what is due.
    fn wait(&mut self, time: Duration) {
        self.now += time;
        self.tell(Message::Tick);
    }

    /// Presses keys: characters, and names such as `<Enter>`.
    fn keys(&mut self, keys: &str) -> &mut Rig {
        let mut rest = keys;
        while !rest.is_empty() {
            let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
            let code = match named {
                Some((name, after)) => {
                    rest = after;
                    match name {
                        "Enter" => KeyCode::Enter,
                        "Esc" => KeyCode::Esc,
                        "Tab" => KeyCode::Tab,
                        "Up" => KeyCode::Up,
                        "Down" => KeyCode::Down,
                        "Left" => KeyCode::Left,
                        "Right" => KeyCode::Right,
                        "Home" => KeyCode::Home,
                        "End" => KeyCode::End,
                        "PageDown" => KeyCode::PageDown,
                        "Backspace" => KeyCode::Backspace,
                        "Delete" => KeyCode::Delete,
                        other => panic!("no key {other}"),
                    }
                }
                None => {
                    let c = rest.chars().next().unwrap();
                    rest = &rest[c.len_utf8()..];
                    KeyCode::Char(c)
                }
            };
            self.tell(Message::Input(Event::Key(KeyEvent::new(code, KeyModifiers::NONE))));
        }
        self
    }

    fn press(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.tell(Message::Input(Event::Key(KeyEvent::new(code, modifiers))));
    }

    /// Clicks on the first place where the frame shows a text.
    fn click(&mut self, text: &str) {
        let frame = self.frame();
        let place = frame.lines().enumerate().find_map(|(y, line)| {
            let byte = line.find(text)?;
            Some((line[..byte].chars().count() as u16, y as u16))
        });
        let (x, y) = place.unwrap_or_else(|| panic!("no `{text}` in\n{frame}"));
        self.click_at(x, y);
    }

    fn click_at(&mut self, column: u16, row: u16) {
        let kind = MouseEventKind::Down(MouseButton::Left);
        let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        self.tell(Message::Input(Event::Mouse(mouse)));
    }

    /// Clicks on a cell.
    fn click_cell(&mut self, name: &str) {
        let (x, y) = self.place(name);
        self.click_at(x, y);
    }

    /// Moves the mouse to a cell with the button down, and lets it go there.
    fn drag_to(&mut self, name: &str) {
        let (column, row) = self.place(name);
        let kind = MouseEventKind::Up(MouseButton::Left);
        let mouse = MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE };
        self.tell(Message::Input(Event::Mouse(mouse)));
    }

    /// Where a cell is on the screen.
    fn place(&self, name: &str) -> (u16, u16) {
        let diagram = match &self.app.screen {
            Screen::Editor(editor) => editor.sitting().board.diagram(),
            _ => self.sitting().board.diagram(),
        };
        let cell = diagram.cells.iter().position(|c| c.name == name).unwrap();
        self.frame();
        let (width, height) = self.size;
        let mut all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let hit = Some(super::app::Hit::Cell(cell));
        all.find(|(x, y)| self.app.hits.at(*x, *y) == hit).unwrap()
    }

    /// The computer's thread reports; jobs are numbered from 1.
    fn report(&mut self, job: u64, found: Found) {
        self.tell(Message::Work(Report { job, found }));
    }

    /// The screen as text.
    fn frame(&self) -> String {
        self.draw(false)
    }

    /// The screen as text, and below it what is highlighted.
    fn picture(&mut self, size: (u16, u16)) -> String {
        self.size = size;
        self.draw(true)
    }

    fn draw(&self, with_marks: bool) -> String {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        terminal
            .draw(|frame| {
                view(&self.app, frame);
                let protocol = self.app.context.look.graphics().map(|own| own.protocol);
                let live = protocol.zip(self.app.hits.shown());
                self.shown.borrow_mut().update(live, frame.buffer_mut()).unwrap();
            })
            .unwrap();
        let buffer = terminal.backend().buffer();
        let (mut text, mut marks) = (String::new(), String::new());
        for y in 0..self.size.1 {
            let row: String = (0..self.size.0).map(|x| buffer[(x, y)].symbol()).collect();
            text += row.trim_end();
            text.push('\n');
            let is_marked = |x: &u16| {
                let cell = &buffer[(*x, y)];
                cell.modifier.contains(Modifier::REVERSED)
                    || matches!(cell.bg, Color::Indexed(79) | Color::Indexed(30))
            };
            let marked: Vec<u16> = (0..self.size.0).filter(is_marked).collect();
            if let (Some(first), true) = (marked.first(), with_marks) {
                let words: String = marked.iter().map(|x| buffer[(*x, y)].symbol()).collect();
                marks += &format!("highlighted at {first},{y}: {}\n", words.trim());
            }
        }
        (text + &marks).replace(&today(), "YYYY-MM-DD")
    }

    fn play(&self) -> &BoardScreen {
        match &self.app.screen {
            Screen::Play(play) => play,
            _ => panic!("no game:\n{}", self.frame()),
        }
    }

    fn sitting(&self) -> &Sitting {
        &self.play().sitting
    }

    fn history(&self) -> Vec<String> {
        self.sitting().board.history()
    }
}

/// A result that an engine might have found.
fn thought(lines: &[(&str, i32)]) -> Analysis {
    let line = |(turns, score): &(&str, i32)| AnalysedLine {
        turns: turns.split(' ').map(str::to_owned).collect(),
        score: *score,
        win_in: engine::score::win_in(*score),
        proof: None,
    };
    let lines = lines.iter().map(line).collect();
    let time = Duration::from_millis(500);
    Analysis { depth: 7, nodes: 123_456, time, lines, ..Analysis::default() }
}
