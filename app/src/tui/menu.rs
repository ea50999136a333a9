//! The main menu, with a picture of each board.

use super::app::{Context, Hits, Next, Screen};
use super::board;
use super::lessons;
use super::list::List;
use super::page::Page;
use super::puzzles;
use super::view::{cut, keys, paragraphs, title};
use crate::saves::Kept;
use crate::shell::input;
use crate::sitting::Sitting;
use engine::Entry;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rules::Player;
use rules::diagram::Diagram;

/// The items of the list. A new one is a variant here, a line in [`Menu::new`], and its label, picture and effect
/// below.
enum Item {
    Continue(Kept, Box<Sitting>),
    Game(&'static Entry),
    /// The form for an invitation, which begins with this game.
    Invite(&'static Entry),
    Lessons(usize),
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

pub struct Menu {
    items: Vec<Item>,
    list: List,
    trouble: Option<String>,
}

impl Item {
    fn label(&self) -> String {
        match self {
            Item::Continue(_, sitting) => format!("Continue {}", sitting.entry.info.name),
            Item::Game(entry) => entry.info.name.into(),
            Item::Invite(_) => "Invite somebody".into(),
            Item::Lessons(_) => "Learn the rules".into(),
            Item::Puzzles(_) => "Find the win".into(),
            Item::Library(_) => "Games".into(),
            Item::Settings => "Settings".into(),
            Item::Quit => "Quit".into(),
        }
    }

    fn about(&self) -> String {
        match self {
            Item::Continue(_, sitting) => {
                let [one, two] = Player::BOTH.map(|player| sitting.full_name(player));
                format!("{one} against {two}, round {}", sitting.round())
            }
            Item::Game(entry) => entry.info.tagline.into(),
            Item::Invite(_) => "a game on a server, for somebody with a link".into(),
            Item::Lessons(count) => format!("{count} lessons of one turn each"),
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
            Item::Continue(_, sitting) => Some(sitting.board.diagram()),
            Item::Game(entry) => {
                let sample = entry.info.samples.iter().find(|(name, _)| *name == "intermediate");
                let sample = sample.or(entry.info.samples.first())?;
                Some(input::sample(entry, sample.0).ok()?.diagram())
            }
            Item::Invite(_)
            | Item::Lessons(_)
            | Item::Puzzles(_)
            | Item::Library(_)
            | Item::Settings
            | Item::Quit => None,
        }
    }
}

impl Menu {
    /// The menu, at the unfinished game if there is one, else at the last game.
    pub fn new(context: &Context, trouble: Option<String>) -> Menu {
        let (latest, damage) = context.saves.latest();
        let trouble = trouble.or(damage);
        let goes_on = latest.map(|(kept, sitting)| Item::Continue(kept, Box::new(sitting)));
        let mut items: Vec<Item> = goes_on.into_iter().collect();
        let games = usize::from(!items.is_empty());
        items.extend(context.games.iter().map(Item::Game));
        let last = context.games.iter().position(|entry| entry.info.id == context.choices.game);
        items.extend(context.games.get(last.unwrap_or(0)).map(Item::Invite));
        items.push(Item::Lessons(lessons::count()));
        items.push(Item::Puzzles(puzzles::count()));
        items.push(Item::Library(context.saves.all().len()));
        items.extend([Item::Settings, Item::Quit]);
        let chosen = if games > 0 { 0 } else { last.unwrap_or(0) };
        Menu { items, list: List::ring(chosen), trouble }
    }

    /// Chooses the item that led to a screen.
    pub fn stand_at(&mut self, screen: &Screen) {
        let is_origin = |item: &Item| match (item, screen) {
            (Item::Invite(_), Screen::Setup(setup)) => setup.invitation.is_some(),
            (Item::Game(entry), Screen::Setup(setup)) => {
                setup.invitation.is_none() && entry.info.id == setup.entry.info.id
            }
            (Item::Lessons(_), Screen::Lessons(_))
            | (Item::Puzzles(_), Screen::Puzzles(_))
            | (Item::Library(_), Screen::Library(_))
            | (Item::Settings, Screen::Settings(_)) => true,
            _ => false,
        };
        if let Some(at) = self.items.iter().position(is_origin) {
            self.list.chosen = at;
        }
    }

    pub fn key(&mut self, key: KeyEvent, context: &Context) -> Next {
        self.trouble = None;
        match key.code {
            KeyCode::Enter | KeyCode::Char(' ') | KeyCode::Right | KeyCode::Char('l') => {
                return self.enter(context);
            }
            KeyCode::Char('r') => {
                if let Some(Item::Game(entry)) = self.items.get(self.list.chosen) {
                    return Next::Page(Page::rules(entry, &context.look));
                }
            }
            KeyCode::Char('q') | KeyCode::Esc => return Next::Quit,
            code => drop(self.list.key(code, self.items.len())),
        }
        Next::Stay
    }

    /// A click on a row: the first selects it, the second opens it.
    pub fn click(&mut self, row: usize, context: &Context) -> Next {
        match self.list.click(row, self.items.len()) {
            true => self.enter(context),
            false => Next::Stay,
        }
    }

    fn enter(&mut self, context: &Context) -> Next {
        match self.items.get(self.list.chosen) {
            Some(Item::Continue(kept, _)) => match context.saves.claim(kept) {
                Ok((sitting, slot)) => Next::Play(Box::new(sitting), slot),
                Err(trouble) => {
                    self.trouble = Some(trouble);
                    Next::Stay
                }
            },
            Some(Item::Settings) => Next::Settings,
            Some(Item::Game(entry)) => Next::Setup(entry),
            Some(Item::Invite(entry)) => Next::Invite(entry),
            Some(Item::Lessons(_)) => Next::Lessons(None),
            Some(Item::Puzzles(_)) => Next::Puzzles(None),
            Some(Item::Library(_)) => Next::Library,
            Some(Item::Quit) => Next::Quit,
            None => Next::Stay,
        }
    }

    /// The list on the left, the board of the selected game on the right.
    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
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
        let row = |i: usize| {
            Line::from(Span::raw(format!("  {}", cut(&self.items[i].label(), 25, look))))
        };
        self.list.draw((self.items.len(), row), look, left, frame, hits);
        let chosen = self.items.get(self.list.chosen);
        let about = chosen.map(Item::about).unwrap_or_default();
        let mut words = vec![(about, look.soft())];
        if let Some(trouble) = &self.trouble {
            words.extend([(String::new(), look.soft()), (trouble.clone(), look.warning())]);
        }
        let (top, bottom) = (left.bottom() + 1, area.height.saturating_sub(2));
        let below = Rect::new(4, top, left.width - 4, bottom.saturating_sub(top));
        paragraphs(frame, below, &words);
        if let Some(diagram) = chosen.and_then(Item::diagram).filter(|_| wide) {
            let first = if is_large { 5 } else { 1 };
            let room =
                Rect::new(left.right() + 2, first, area.width - left.right() - 4, bottom - first);
            board::show(&diagram, look, room, frame.buffer_mut(), hits);
        }
        let offers =
            [("↑ ↓", "choose"), ("Enter", "go"), ("r", "rules"), ("q", "quit"), ("?", "help")];
        keys(frame, context, &offers, hits);
    }
}
