//! The main menu, with a picture of each board.

use super::app::{Hits, Next, Shared};
use super::board;
use super::help;
use super::page::Page;
use super::puzzles;
use super::view::{cut, keys, list, title, wrapped};
use crate::input;
use crate::saves::Kept;
use crate::table::Table;
use engine::Entry;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rules::Player;
use rules::diagram::Diagram;

/// What the list offers. A new entry is a variant here, a line in [`Menu::new`], and its label, picture
/// and effect below.
enum Item {
    Continue(Kept, Box<Table>),
    Game(&'static Entry),
    Puzzles(usize),
    Library(usize),
    Settings,
    Quit,
}

/// The name in letters of two lines, for windows with room for it.
const NAME: [&str; 3] = [
    "▟▀▙ █ █ ▟▀▙ █▀▙ █▀▙ ▀█▀ █   █   █▀▀",
    "█ █ █ █ █▀█ █ █ █▀▙  █  █   █   █▀ ",
    "▜▄▜▖▜▄▛ █ █ █▄▛ █ █ ▄█▄ █▄▄ █▄▄ █▄▄",
];

/// The main menu.
pub struct Menu {
    items: Vec<Item>,
    chosen: usize,
    trouble: Option<String>,
}

impl Item {
    fn label(&self) -> String {
        match self {
            Item::Continue(_, table) => format!("Continue {}", table.entry.info.name),
            Item::Game(entry) => entry.info.name.into(),
            Item::Puzzles(_) => "Find the win".into(),
            Item::Library(_) => "Games".into(),
            Item::Settings => "Settings".into(),
            Item::Quit => "Quit".into(),
        }
    }

    fn about(&self) -> String {
        match self {
            Item::Continue(_, table) => {
                let [one, two] = Player::BOTH.map(|player| table.full_name(player));
                format!("{one} against {two}, round {}", table.round())
            }
            Item::Game(entry) => entry.info.tagline.into(),
            Item::Puzzles(count) => {
                format!("{count} positions in which a single turn leads to a win")
            }
            Item::Library(0) => "all games that you play are kept here".into(),
            Item::Library(1) => "one game that was played, saved or left unfinished".into(),
            Item::Library(count) => {
                format!("{count} games that were played, saved or left unfinished")
            }
            Item::Settings => "colours, motion, proposals".into(),
            Item::Quit => "until the next time".into(),
        }
    }

    fn diagram(&self) -> Option<Diagram> {
        match self {
            Item::Continue(_, table) => Some(table.game.diagram()),
            Item::Game(entry) => {
                let sample = entry.info.samples.iter().find(|(name, _)| *name == "intermediate");
                let sample = sample.or(entry.info.samples.first())?;
                Some(input::sample(entry, sample.0).ok()?.diagram())
            }
            Item::Puzzles(_) | Item::Library(_) | Item::Settings | Item::Quit => None,
        }
    }
}

impl Menu {
    /// The menu, at the unfinished game if there is one, else at the last game.
    pub fn new(shared: &Shared, trouble: Option<String>) -> Menu {
        let (latest, damage) = shared.saves.latest();
        let trouble = trouble.or(damage);
        let goes_on = latest.map(|(kept, table)| Item::Continue(kept, Box::new(table)));
        let mut items: Vec<Item> = goes_on.into_iter().collect();
        let games = usize::from(!items.is_empty());
        items.extend(shared.games.iter().map(Item::Game));
        items.push(Item::Puzzles(puzzles::count()));
        items.push(Item::Library(shared.saves.count()));
        items.extend([Item::Settings, Item::Quit]);
        let last = shared.games.iter().position(|entry| entry.info.id == shared.choices.game);
        let chosen = if games > 0 { 0 } else { last.unwrap_or(0) };
        Menu { items, chosen, trouble }
    }

    pub fn key(&mut self, key: KeyEvent, shared: &Shared) -> Next {
        self.trouble = None;
        let last = self.items.len() - 1;
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => {
                self.chosen = self.chosen.checked_sub(1).unwrap_or(last)
            }
            KeyCode::Down | KeyCode::Char('j') => {
                self.chosen = if self.chosen < last { self.chosen + 1 } else { 0 };
            }
            KeyCode::Home => self.chosen = 0,
            KeyCode::End => self.chosen = last,
            KeyCode::Enter | KeyCode::Char(' ') | KeyCode::Right | KeyCode::Char('l') => {
                return self.enter(shared);
            }
            KeyCode::Char('?') | KeyCode::F(1) => {
                return Next::Page(Page::new("Keys", help::lines(&shared.look)));
            }
            KeyCode::Char('r') => {
                if let Some(Item::Game(entry)) = self.items.get(self.chosen) {
                    return Next::Page(Page::rules(entry, &shared.look));
                }
            }
            KeyCode::Char('q') | KeyCode::Esc => return Next::Quit,
            _ => {}
        }
        Next::Stay
    }

    /// A click on a row: the first selects it, the second opens it.
    pub fn click(&mut self, row: usize, shared: &Shared) -> Next {
        if self.chosen == row {
            return self.enter(shared);
        }
        self.chosen = row.min(self.items.len() - 1);
        Next::Stay
    }

    fn enter(&mut self, shared: &Shared) -> Next {
        match self.items.get(self.chosen) {
            Some(Item::Continue(kept, _)) => match shared.saves.claim(&kept.path) {
                Ok((slot, table)) => Next::Play(Box::new(table), Some(slot)),
                Err(trouble) => {
                    self.trouble = Some(trouble);
                    Next::Stay
                }
            },
            Some(Item::Settings) => Next::Settings,
            Some(Item::Game(entry)) => Next::Setup(entry),
            Some(Item::Puzzles(_)) => Next::Puzzles(None),
            Some(Item::Library(_)) => Next::Library,
            Some(Item::Quit) => Next::Quit,
            None => Next::Stay,
        }
    }

    /// The list on the left, the board of the selected game on the right.
    pub fn view(&self, shared: &Shared, frame: &mut Frame, hits: &Hits) {
        let look = &shared.look;
        let area = frame.area();
        let wide = area.width >= 76;
        let is_large = wide && area.height >= 28 && look.sign("u", "a") == "u";
        if is_large {
            for (y, line) in (1..).zip(NAME) {
                frame.buffer_mut().set_stringn(4, y, line, 40, look.accent());
            }
            title(frame, look, "", "games for two");
        } else {
            title(frame, look, "Quadrille", "games for two");
        }
        let top = if is_large { 6 } else { 3 };
        let rows = (self.items.len() as u16).min(area.height.saturating_sub(top + 3));
        let left = Rect::new(2, top, if wide { 28 } else { area.width - 4 }, rows);
        let item =
            |item: &Item| Line::from(Span::raw(format!("  {}", cut(&item.label(), 25, look))));
        let rows: Vec<_> = self.items.iter().map(item).collect();
        list(frame, look, left, (&rows, self.chosen), hits);
        let chosen = self.items.get(self.chosen);
        let about = chosen.map(Item::about).unwrap_or_default();
        let below = Rect::new(4, left.bottom() + 1, left.width - 4, area.height);
        let mut words: Vec<_> = wrapped(&about, usize::from(below.width))
            .into_iter()
            .map(|l| (l, look.soft()))
            .collect();
        if let Some(trouble) = &self.trouble {
            words.push((String::new(), look.soft()));
            words.extend(
                wrapped(trouble, usize::from(below.width)).into_iter().map(|l| (l, look.warning())),
            );
        }
        let bottom = area.height.saturating_sub(2);
        for (y, (words, style)) in (below.y..bottom).zip(words) {
            frame.buffer_mut().set_stringn(below.x, y, words, usize::from(below.width), style);
        }
        if let Some(diagram) = chosen.and_then(Item::diagram).filter(|_| wide) {
            let first = if is_large { 5 } else { 1 };
            let room =
                Rect::new(left.right() + 2, first, area.width - left.right() - 4, bottom - first);
            board::show(&diagram, look, room, frame.buffer_mut());
        }
        let row = Rect { y: area.height - 1, height: 1, ..area };
        let offers =
            [("↑ ↓", "choose"), ("Enter", "go"), ("r", "rules"), ("q", "quit"), ("?", "help")];
        keys(frame, look, row, &offers, hits);
    }
}
