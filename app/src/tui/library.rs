//! All games of the user: unfinished, finished and saved ones, and those of a file.

use super::app::{Context, Hits, Next};
use super::board;
use super::list::List;
use super::look::Look;
use super::view::{cut, keys, paragraphs, title};
use crate::output::columns::width;
use crate::saves::{self, Kept, Shelf};
use crate::sitting::Sitting;
use crate::tui::field::Field;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use rules::{Outcome, Player};
use std::cell::OnceCell;
use std::path::Path;

const SHELVES: [(&str, Option<Shelf>); 4] = [
    ("all", None),
    ("unfinished", Some(Shelf::Unfinished)),
    ("finished", Some(Shelf::Finished)),
    ("saved", Some(Shelf::Saved)),
];

/// A game of the list.
struct Row {
    /// Its file; none for one of several games in a file of the user's.
    kept: Option<Kept>,
    /// Read on first use: there may be thousands.
    game: OnceCell<Result<Sitting, String>>,
    /// The searchable text, computed on first use.
    words: OnceCell<String>,
}

pub struct Library {
    rows: Vec<Row>,
    /// The name of the file, if these are the games of one.
    file: Option<String>,
    shelf: usize,
    /// The search, and whether it is being typed.
    search: Field,
    searching: bool,
    list: List,
    /// Whether the selected game is about to be deleted.
    deleting: bool,
    trouble: Option<String>,
}

impl Row {
    fn game(&self) -> &Result<Sitting, String> {
        let read = || match &self.kept {
            Some(kept) => saves::read(&kept.path),
            None => Err("it has been opened".into()),
        };
        self.game.get_or_init(read)
    }

    /// The text to search: the tags of its record or, without a file, a summary of the game.
    fn words(&self) -> &str {
        self.words.get_or_init(|| {
            let words = match (&self.kept, self.game.get()) {
                (Some(kept), _) => format!("{} {}", kept.name(), saves::about(&kept.path)),
                (None, Some(Ok(game))) => {
                    format!("{} {} {}", game.entry.info.name, players(game), ending(game))
                }
                (None, Some(Err(why))) => why.clone(),
                (None, None) => String::new(),
            };
            words.to_lowercase()
        })
    }
}

impl Library {
    /// All games in the user's folder, also those that cannot be read.
    pub fn new(context: &Context) -> Library {
        let row = |kept| Row { kept: Some(kept), game: OnceCell::new(), words: OnceCell::new() };
        Library::of(context.saves.all().into_iter().map(row))
    }

    /// The games of a file that holds several.
    pub fn of_file(path: &Path, games: Vec<Result<Sitting, String>>) -> Library {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let row = |game| Row { kept: None, game: OnceCell::from(game), words: OnceCell::new() };
        Library { file: name, ..Library::of(games.into_iter().map(row)) }
    }

    fn of(rows: impl Iterator<Item = Row>) -> Library {
        Library {
            rows: rows.collect(),
            file: None,
            shelf: 0,
            search: no_search(),
            searching: false,
            list: List::long(0),
            deleting: false,
            trouble: None,
        }
    }

    /// The numbers of the rows that are listed.
    fn listed(&self) -> Vec<usize> {
        let shelf = SHELVES[self.shelf].1;
        let wanted: Vec<_> = self.search.text().split_whitespace().map(str::to_lowercase).collect();
        let fits = |row: &Row| {
            let on_shelf = shelf.is_none() || row.kept.as_ref().map(|kept| kept.shelf) == shelf;
            on_shelf && wanted.iter().all(|word| row.words().contains(word.as_str()))
        };
        (0..self.rows.len()).filter(|i| self.rows.get(*i).is_some_and(fits)).collect()
    }

    fn row(&self) -> Option<&Row> {
        self.rows.get(*self.listed().get(self.list.chosen)?)
    }

    pub fn key(&mut self, key: KeyEvent, context: &Context) -> Next {
        self.trouble = None;
        if std::mem::take(&mut self.deleting) {
            if key.code == KeyCode::Char('y') {
                self.delete(context);
            }
            return Next::Stay;
        }
        if self.searching {
            return self.search_key(key);
        }
        match key.code {
            KeyCode::Right | KeyCode::Tab => self.show_shelf(1),
            KeyCode::Left | KeyCode::BackTab => self.show_shelf(SHELVES.len() - 1),
            KeyCode::Char('/') => self.searching = true,
            KeyCode::Enter | KeyCode::Char(' ') => return self.enter(context),
            KeyCode::Char('x') | KeyCode::Delete => {
                self.deleting = self.row().is_some_and(|row| row.kept.is_some());
            }
            KeyCode::Esc if !self.search.text().is_empty() => self.search = no_search(),
            KeyCode::Char('q') | KeyCode::Esc => return Next::Menu,
            code => drop(self.list.key(code, self.listed().len())),
        }
        Next::Stay
    }

    /// The line of text that is being edited.
    pub fn field(&mut self) -> Option<&mut Field> {
        self.searching.then_some(&mut self.search)
    }

    /// Pastes into the search if one is being typed, and returns whether it did.
    pub fn paste(&mut self, text: &str) -> bool {
        if self.searching {
            self.search.paste(text);
            self.list.chosen = 0;
        }
        self.searching
    }

    fn search_key(&mut self, key: KeyEvent) -> Next {
        match key.code {
            KeyCode::Esc => (self.search, self.searching) = (no_search(), false),
            KeyCode::Enter | KeyCode::Down | KeyCode::Tab => self.searching = false,
            _ => drop(self.search.key(key)),
        }
        self.list.chosen = 0;
        Next::Stay
    }

    fn show_shelf(&mut self, step: usize) {
        if self.file.is_none() {
            self.shelf = (self.shelf + step) % SHELVES.len();
            self.list.chosen = 0;
        }
    }

    /// A click on a row: the first selects it, the second opens it.
    pub fn click(&mut self, row: usize, context: &Context) -> Next {
        self.searching = false;
        match self.list.click(row, self.listed().len()) {
            true => self.enter(context),
            false => Next::Stay,
        }
    }

    fn enter(&mut self, context: &Context) -> Next {
        let Some(number) = self.listed().get(self.list.chosen).copied() else { return Next::Stay };
        let opened = match self.rows.get(number) {
            Some(row) if row.game().is_err() => return Next::Stay,
            Some(Row { kept: Some(kept), .. }) => context.saves.claim(kept),
            Some(_) => match self.rows.remove(number).game.into_inner() {
                Some(game) => game.map(|game| (game, None)),
                None => return Next::Stay,
            },
            None => return Next::Stay,
        };
        match opened {
            Ok((game, slot)) => Next::Play(Box::new(game), slot),
            Err(trouble) => {
                self.trouble = Some(trouble);
                Next::Stay
            }
        }
    }

    fn delete(&mut self, context: &Context) {
        let Some(number) = self.listed().get(self.list.chosen).copied() else { return };
        let Some(kept) = self.rows.get(number).and_then(|row| row.kept.clone()) else { return };
        match context.saves.delete(&kept) {
            Ok(()) => {
                self.rows.remove(number);
                self.list.chosen = self.list.chosen.min(self.listed().len().saturating_sub(1));
            }
            Err(trouble) => self.trouble = Some(trouble),
        }
    }

    /// The list on the left, the position of the selected game on the right.
    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        let listed = self.listed();
        let heading = self.file.as_ref().map_or("Games", String::as_str);
        let count = match listed.len() {
            1 => "1 game".to_owned(),
            count => format!("{count} games"),
        };
        title(frame, look, heading, &count);
        let wide = area.width >= 76;
        let columns = if wide { 34.max(area.width * 2 / 5) } else { area.width - 4 };
        self.view_shelves(look, frame, columns);
        let left = Rect::new(2, 3, columns, area.height.saturating_sub(11));
        let line = |i: usize| self.line(&self.rows[listed[i]], look, columns);
        self.list.draw((listed.len(), line), look, left, frame, hits);
        if let Some(Ok(game)) = self.row().filter(|_| wide).map(Row::game) {
            let room = Rect::new(left.right() + 1, 1, area.width - columns - 4, area.height - 3);
            board::show(&game.board.diagram(), look, room, frame.buffer_mut(), hits);
        }
        let top = left.bottom() + 1;
        let below = Rect { y: top, height: (area.height - 1).saturating_sub(top), ..left };
        paragraphs(frame, below, &self.words(look));
        let usual = [
            ("↑ ↓", "choose"),
            ("Enter", "open"),
            ("/", "search"),
            ("x", "delete"),
            ("← →", "which"),
            ("Esc", "back"),
            ("?", "help"),
        ];
        let question = [("y", "delete it for good"), ("Esc", "keep it")];
        let typed = [("Enter", "done"), ("Esc", "all games")];
        let offers = match (self.deleting, self.searching) {
            (true, _) => &question[..],
            (_, true) => &typed[..],
            _ => &usual[..],
        };
        keys(frame, context, offers, hits);
    }

    /// Which games are listed, and what is searched for.
    fn view_shelves(&self, look: &Look, frame: &mut Frame, columns: u16) {
        let mut spans = Vec::new();
        if self.searching || !self.search.text().is_empty() {
            let cursor = if self.searching { look.sign("▏", "_") } else { "" };
            let text = format!(" / {}", self.search.with_cursor(cursor));
            spans.push(Span::styled(text, look.accent()));
        } else if self.file.is_none() {
            for (i, (name, _)) in SHELVES.iter().enumerate() {
                let style = if i == self.shelf { look.chosen() } else { look.soft() };
                spans.push(Span::styled(format!(" {name} "), style));
            }
        }
        frame.buffer_mut().set_line(2, 1, &Line::from(spans), columns);
    }

    fn line(&self, row: &Row, look: &Look, columns: u16) -> Line<'static> {
        let sign = match (&row.kept, row.game()) {
            (_, Err(_)) => "!",
            (Some(Kept { shelf: Shelf::Unfinished, .. }), _) => look.sign("…", "~"),
            (Some(Kept { shelf: Shelf::Saved, .. }), _) => look.sign("◆", "s"),
            _ => " ",
        };
        let room = usize::from(columns).saturating_sub(4);
        let words = match (row.game(), &row.kept) {
            (Ok(game), Some(kept)) if kept.shelf == Shelf::Saved => {
                format!("{}  {}", kept.name(), game.entry.info.name)
            }
            (Ok(game), _) => {
                let (name, end) = (game.entry.info.name, ending(game));
                let players = cut(&players(game), room.saturating_sub(width(name) + 8), look);
                format!("{name}  {players}  {end}")
            }
            (Err(_), Some(kept)) => kept.name(),
            (Err(_), None) => "not a game".into(),
        };
        Line::from(Span::raw(format!(" {sign} {}", cut(&words, room, look))))
    }

    /// A few lines about the selected game.
    fn words(&self, look: &Look) -> Vec<(String, Style)> {
        let mut words = match self.row().map(|row| (row, row.game())) {
            Some((row, Ok(game))) => {
                about(row.kept.as_ref(), game).into_iter().map(|line| (line, look.soft())).collect()
            }
            Some((_, Err(why))) => {
                vec![(format!("damaged, left as it is: {why}"), look.warning())]
            }
            None if self.search.text().is_empty() && self.shelf == 0 => {
                vec![("Every game that you play is kept here.".into(), look.soft())]
            }
            None => vec![("No game matches.".into(), look.soft())],
        };
        words.extend(self.trouble.iter().map(|trouble| (trouble.clone(), look.warning())));
        words
    }
}

fn no_search() -> Field {
    Field::new("", |text| text.chars().count() <= 40)
}

fn players(game: &Sitting) -> String {
    let [one, two] = Player::BOTH.map(|player| game.name(player));
    format!("{one} - {two}")
}

/// How a game ended, as records write it.
fn ending(game: &Sitting) -> &'static str {
    match game.result() {
        Some(Outcome::Win(Player::One)) => "1-0",
        Some(Outcome::Win(Player::Two)) => "0-1",
        Some(Outcome::Draw) => "draw",
        None => "",
    }
}

fn about(kept: Option<&Kept>, game: &Sitting) -> Vec<String> {
    let turns = match game.board.turns_played() {
        1 => "1 turn".to_owned(),
        turns => format!("{turns} turns"),
    };
    let state = game.diagram().status;
    let file = kept.map(|kept| match kept.shelf {
        Shelf::Unfinished => format!("left unfinished: {}", kept.name()),
        Shelf::Finished | Shelf::Saved => kept.name(),
    });
    [game.heading(), format!("{turns}, {state}")].into_iter().chain(file).collect()
}
