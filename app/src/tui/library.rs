//! All games of the user: unfinished, finished and saved ones, and those of a file.

use super::app::{Hits, Next, Shared};
use super::board;
use super::help;
use super::look::Look;
use super::page::Page;
use super::view::{cut, keys, list, title, wrapped};
use crate::columns::width;
use crate::saves::{self, Kept, Shelf};
use crate::table::Table;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use rules::{Outcome, Player};
use std::path::Path;

/// Which games are listed.
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
    table: Result<Table, String>,
    /// What can be searched for.
    words: String,
}

/// The list of games.
pub struct Library {
    rows: Vec<Row>,
    /// The name of the file, if these are the games of one.
    file: Option<String>,
    shelf: usize,
    /// What is searched for, and whether it is being typed.
    search: String,
    searching: bool,
    chosen: usize,
    /// Whether the selected game is about to be deleted.
    deleting: bool,
    trouble: Option<String>,
}

impl Row {
    fn new(kept: Option<Kept>, table: Result<Table, String>) -> Row {
        let words = match (&table, &kept) {
            (Ok(table), kept) => {
                let name = kept.as_ref().map(Kept::name).unwrap_or_default();
                format!("{} {} {} {name}", table.entry.info.name, players(table), ending(table))
            }
            (Err(_), Some(kept)) => kept.name(),
            (Err(why), None) => why.clone(),
        };
        Row { kept, table, words: words.to_lowercase() }
    }
}

impl Library {
    /// All games in the user's folder, also those that cannot be read.
    pub fn new(shared: &Shared) -> Library {
        let shelves = [Shelf::Unfinished, Shelf::Saved, Shelf::Finished].into_iter();
        let kept = shelves.flat_map(|shelf| shared.saves.list(shelf));
        Library::of(kept.map(|kept| {
            let table = saves::read(&kept.path);
            Row::new(Some(kept), table)
        }))
    }

    /// The games of a file that holds several.
    pub fn of_file(path: &Path, games: Vec<Result<Table, String>>) -> Library {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        Library { file: name, ..Library::of(games.into_iter().map(|table| Row::new(None, table))) }
    }

    fn of(rows: impl Iterator<Item = Row>) -> Library {
        Library {
            rows: rows.collect(),
            file: None,
            shelf: 0,
            search: String::new(),
            searching: false,
            chosen: 0,
            deleting: false,
            trouble: None,
        }
    }

    /// The numbers of the rows that are listed.
    fn listed(&self) -> Vec<usize> {
        let shelf = SHELVES[self.shelf].1;
        let wanted: Vec<_> = self.search.split_whitespace().map(str::to_lowercase).collect();
        let fits = |row: &Row| {
            let on_shelf = shelf.is_none() || row.kept.as_ref().map(|kept| kept.shelf) == shelf;
            on_shelf && wanted.iter().all(|word| row.words.contains(word.as_str()))
        };
        (0..self.rows.len()).filter(|i| self.rows.get(*i).is_some_and(fits)).collect()
    }

    fn row(&self) -> Option<&Row> {
        self.rows.get(*self.listed().get(self.chosen)?)
    }

    pub fn key(&mut self, key: KeyEvent, shared: &Shared) -> Next {
        let last = self.listed().len().saturating_sub(1);
        self.trouble = None;
        if std::mem::take(&mut self.deleting) {
            if key.code == KeyCode::Char('y') {
                self.delete(shared);
            }
            return Next::Stay;
        }
        if self.searching {
            return self.search_key(key.code);
        }
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.chosen = (self.chosen + 1).min(last),
            KeyCode::PageUp => self.chosen = self.chosen.saturating_sub(10),
            KeyCode::PageDown => self.chosen = (self.chosen + 10).min(last),
            KeyCode::Home => self.chosen = 0,
            KeyCode::End => self.chosen = last,
            KeyCode::Right | KeyCode::Tab => self.show_shelf(1),
            KeyCode::Left | KeyCode::BackTab => self.show_shelf(SHELVES.len() - 1),
            KeyCode::Char('/') => self.searching = true,
            KeyCode::Enter | KeyCode::Char(' ') => return self.enter(shared),
            KeyCode::Char('x') | KeyCode::Delete => {
                self.deleting = self.row().is_some_and(|row| row.kept.is_some());
            }
            KeyCode::Char('?') | KeyCode::F(1) => {
                return Next::Page(Page::new("Keys", help::lines(&shared.look)));
            }
            KeyCode::Esc if !self.search.is_empty() => self.search.clear(),
            KeyCode::Char('q') | KeyCode::Esc => return Next::Menu,
            _ => {}
        }
        Next::Stay
    }

    fn search_key(&mut self, code: KeyCode) -> Next {
        match code {
            KeyCode::Char(c) if !c.is_control() && self.search.chars().count() < 40 => {
                self.search.push(c);
            }
            KeyCode::Backspace => drop(self.search.pop()),
            KeyCode::Esc => (self.search, self.searching) = (String::new(), false),
            KeyCode::Enter | KeyCode::Down | KeyCode::Tab => self.searching = false,
            _ => {}
        }
        self.chosen = 0;
        Next::Stay
    }

    fn show_shelf(&mut self, step: usize) {
        if self.file.is_none() {
            self.shelf = (self.shelf + step) % SHELVES.len();
            self.chosen = 0;
        }
    }

    /// A click on a row: the first selects it, the second opens it.
    pub fn click(&mut self, row: usize, shared: &Shared) -> Next {
        self.searching = false;
        if self.chosen == row {
            return self.enter(shared);
        }
        self.chosen = row.min(self.listed().len().saturating_sub(1));
        Next::Stay
    }

    fn enter(&mut self, shared: &Shared) -> Next {
        let Some(row) = self.row() else { return Next::Stay };
        let unfinished = row.kept.as_ref().filter(|kept| kept.shelf == Shelf::Unfinished);
        if let (Some(kept), Ok(_)) = (unfinished, &row.table) {
            return match shared.saves.claim(&kept.path) {
                Ok((slot, table)) => Next::Play(Box::new(table), Some(slot)),
                Err(trouble) => {
                    self.trouble = Some(trouble);
                    Next::Stay
                }
            };
        }
        let Some(number) = self.listed().get(self.chosen).copied() else { return Next::Stay };
        if row.table.is_err() {
            return Next::Stay;
        }
        match self.rows.remove(number).table {
            Ok(table) => Next::Play(Box::new(table), None),
            Err(_) => Next::Stay,
        }
    }

    fn delete(&mut self, shared: &Shared) {
        let Some(number) = self.listed().get(self.chosen).copied() else { return };
        let Some(kept) = self.rows.get(number).and_then(|row| row.kept.clone()) else { return };
        let deleted = match kept.shelf {
            // One that is open elsewhere would be written again.
            Shelf::Unfinished => shared.saves.claim_to_delete(&kept.path),
            Shelf::Saved | Shelf::Finished => shared.saves.delete(&kept.path),
        };
        match deleted {
            Ok(()) => {
                self.rows.remove(number);
                self.chosen = self.chosen.min(self.listed().len().saturating_sub(1));
            }
            Err(trouble) => self.trouble = Some(trouble),
        }
    }

    /// The list on the left, the position of the selected game on the right.
    pub fn view(&self, shared: &Shared, frame: &mut Frame, hits: &Hits) {
        let look = &shared.look;
        let area = frame.area();
        let listed = self.listed();
        let heading = self.file.as_ref().map_or("Games", String::as_str);
        let count = match listed.len() {
            1 => "1 game".to_owned(),
            count => format!("{count} games"),
        };
        title(frame, look, heading, &count);
        let wide = area.width >= 76;
        let columns = if wide { 40.max(area.width * 2 / 5) } else { area.width - 4 };
        self.view_shelves(look, frame, columns);
        let left = Rect::new(2, 3, columns, area.height.saturating_sub(11));
        let line = |i: &usize| self.rows.get(*i).map(|row| self.line(row, look, columns));
        let rows: Vec<_> = listed.iter().filter_map(line).collect();
        list(frame, look, left, (&rows, self.chosen), hits);
        if let Some(Row { table: Ok(table), .. }) = self.row().filter(|_| wide) {
            let room = Rect::new(left.right() + 1, 1, area.width - columns - 4, area.height - 3);
            board::show(&table.game.diagram(), look, room, frame.buffer_mut());
        }
        let lines = self.words(look).into_iter().flat_map(|(text, style)| {
            wrapped(&text, usize::from(columns)).into_iter().map(move |line| (line, style))
        });
        for (y, (line, style)) in (left.bottom() + 1..area.height - 1).zip(lines) {
            frame.buffer_mut().set_stringn(left.x, y, line, usize::from(columns), style);
        }
        let row = Rect { y: area.height - 1, height: 1, ..area };
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
        keys(frame, look, row, offers, hits);
    }

    /// Which games are listed, and what is searched for.
    fn view_shelves(&self, look: &Look, frame: &mut Frame, columns: u16) {
        let mut spans = Vec::new();
        if self.searching || !self.search.is_empty() {
            let cursor = if self.searching { look.sign("▏", "_") } else { "" };
            spans.push(Span::styled(format!(" / {}{cursor}", self.search), look.accent()));
        } else if self.file.is_none() {
            for (i, (name, _)) in SHELVES.iter().enumerate() {
                let style = if i == self.shelf { look.chosen() } else { look.soft() };
                spans.extend([Span::styled(format!(" {name} "), style), Span::raw(" ")]);
            }
        }
        frame.buffer_mut().set_line(2, 1, &Line::from(spans), columns);
    }

    fn line(&self, row: &Row, look: &Look, columns: u16) -> Line<'static> {
        let sign = match (&row.kept, &row.table) {
            (_, Err(_)) => "!",
            (Some(Kept { shelf: Shelf::Unfinished, .. }), _) => look.sign("…", "~"),
            (Some(Kept { shelf: Shelf::Saved, .. }), _) => look.sign("◆", "s"),
            _ => " ",
        };
        let room = usize::from(columns).saturating_sub(4);
        let words = match (&row.table, &row.kept) {
            (Ok(table), Some(kept)) if kept.shelf == Shelf::Saved => {
                format!("{}  {}", kept.name(), table.entry.info.name)
            }
            (Ok(table), _) => {
                let (name, end) = (table.entry.info.name, ending(table));
                let players = cut(&players(table), room.saturating_sub(width(name) + 8), look);
                format!("{name}  {players}  {end}")
            }
            (Err(_), Some(kept)) => kept.name(),
            (Err(_), None) => "not a game".into(),
        };
        Line::from(Span::raw(format!(" {sign} {}", cut(&words, room, look))))
    }

    /// A few lines about the selected game.
    fn words(&self, look: &Look) -> Vec<(String, Style)> {
        let mut words = match self.row() {
            Some(Row { kept, table: Ok(table), .. }) => {
                about(kept.as_ref(), table).into_iter().map(|line| (line, look.soft())).collect()
            }
            Some(Row { table: Err(why), .. }) => {
                vec![(format!("damaged, left as it is: {why}"), look.warning())]
            }
            None if self.search.is_empty() && self.shelf == 0 => {
                vec![("Every game that you play is kept here.".into(), look.soft())]
            }
            None => vec![("No game is like this.".into(), look.soft())],
        };
        words.extend(self.trouble.iter().map(|trouble| (trouble.clone(), look.warning())));
        words
    }
}

fn players(table: &Table) -> String {
    let [one, two] = Player::BOTH.map(|player| table.name(player));
    format!("{one} - {two}")
}

/// How a game ended, as records write it.
fn ending(table: &Table) -> &'static str {
    match table.result() {
        Some(Outcome::Win(Player::One)) => "1-0",
        Some(Outcome::Win(Player::Two)) => "0-1",
        Some(Outcome::Draw) => "draw",
        None => "…",
    }
}

fn about(kept: Option<&Kept>, table: &Table) -> Vec<String> {
    let [one, two] = Player::BOTH.map(|player| table.full_name(player));
    let turns = match table.game.turns_played() {
        1 => "1 turn".to_owned(),
        turns => format!("{turns} turns"),
    };
    let state = table.diagram(&*table.game).status;
    let players = format!("{}: {one} against {two}", table.entry.info.name);
    let file = kept.map(|kept| match kept.shelf {
        Shelf::Unfinished => format!("left unfinished: {}", kept.name()),
        Shelf::Finished | Shelf::Saved => kept.name(),
    });
    [players, format!("{turns}, {state}")].into_iter().chain(file).collect()
}
