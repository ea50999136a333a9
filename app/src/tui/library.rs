//! The saved and the unfinished games.

use super::app::{Hits, Next, Shared};
use super::board;
use super::look::Look;
use super::view::{cut, keys, list, title, wrapped};
use crate::saves::{self, Kept, Shelf};
use crate::table::Table;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use rules::Player;

/// The list of saved games.
pub struct Library {
    games: Vec<(Kept, Result<Table, String>)>,
    chosen: usize,
    /// Whether the selected game is about to be deleted.
    deleting: bool,
    trouble: Option<String>,
}

impl Library {
    /// All games in the user's folder, also those that cannot be read.
    pub fn new(shared: &Shared) -> Library {
        let shelves = [Shelf::Unfinished, Shelf::Saved].into_iter();
        let kept = shelves.flat_map(|shelf| shared.saves.list(shelf));
        let read = |kept: Kept| {
            let table = saves::read(&kept.path);
            (kept, table)
        };
        Library { games: kept.map(read).collect(), chosen: 0, deleting: false, trouble: None }
    }

    pub fn key(&mut self, key: KeyEvent, shared: &Shared) -> Next {
        let last = self.games.len().saturating_sub(1);
        if std::mem::take(&mut self.deleting) {
            if key.code == KeyCode::Char('y') {
                self.delete(shared);
            }
            return Next::Stay;
        }
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.chosen = (self.chosen + 1).min(last),
            KeyCode::PageUp => self.chosen = self.chosen.saturating_sub(10),
            KeyCode::PageDown => self.chosen = (self.chosen + 10).min(last),
            KeyCode::Home => self.chosen = 0,
            KeyCode::End => self.chosen = last,
            KeyCode::Enter | KeyCode::Char(' ') => return self.enter(),
            KeyCode::Char('x') | KeyCode::Delete => self.deleting = !self.games.is_empty(),
            KeyCode::Char('q') | KeyCode::Esc | KeyCode::Left => return Next::Menu,
            _ => {}
        }
        Next::Stay
    }

    /// A click on a row: the first selects it, the second opens it.
    pub fn click(&mut self, row: usize) -> Next {
        if self.chosen == row {
            return self.enter();
        }
        self.chosen = row.min(self.games.len().saturating_sub(1));
        Next::Stay
    }

    fn enter(&mut self) -> Next {
        if !matches!(self.games.get(self.chosen), Some((_, Ok(_)))) {
            return Next::Stay;
        }
        match self.games.remove(self.chosen) {
            (kept, Ok(table)) => {
                let own = (kept.shelf == Shelf::Unfinished).then_some(kept.path);
                Next::Play(Box::new(table), own)
            }
            _ => Next::Stay,
        }
    }

    fn delete(&mut self, shared: &Shared) {
        let Some((kept, _)) = self.games.get(self.chosen) else { return };
        match shared.saves.forget(&mut Some(kept.path.clone())) {
            Ok(()) => {
                drop(self.games.remove(self.chosen));
                self.chosen = self.chosen.min(self.games.len().saturating_sub(1));
            }
            Err(trouble) => self.trouble = Some(trouble),
        }
    }

    /// The list on the left, the position of the selected game on the right.
    pub fn view(&self, shared: &Shared, frame: &mut Frame, hits: &Hits) {
        let look = &shared.look;
        let area = frame.area();
        title(frame, look, "Saved games", "");
        let wide = area.width >= 76;
        let width = if wide { 34 } else { area.width - 4 };
        let left = Rect::new(2, 2, width, area.height.saturating_sub(10));
        let row = |(kept, table): &(Kept, Result<Table, String>)| {
            let sign = match (kept.shelf, table) {
                (_, Err(_)) => "!",
                (Shelf::Unfinished, _) => look.sign("…", "~"),
                (Shelf::Saved, _) => " ",
            };
            Line::from(Span::raw(format!(" {sign} {}", cut(&kept.name(), 30, look))))
        };
        let rows: Vec<_> = self.games.iter().map(row).collect();
        list(frame, look, left, (&rows, self.chosen), hits);
        if let Some((_, Ok(table))) = self.games.get(self.chosen).filter(|_| wide) {
            let room = Rect::new(left.right() + 2, 1, area.width - width - 6, area.height - 2);
            let diagram = table.game.diagram();
            let drawn = board::drawing(&diagram, look, false, (room.width, room.height));
            board::put(&drawn, look, None, room, frame.buffer_mut(), None);
        }
        let lines = self.words(look).into_iter().flat_map(|(text, style)| {
            wrapped(&text, usize::from(width)).into_iter().map(move |line| (line, style))
        });
        for (y, (line, style)) in (left.bottom() + 1..area.height - 1).zip(lines) {
            frame.buffer_mut().set_stringn(left.x, y, line, usize::from(width), style);
        }
        let row = Rect { y: area.height - 1, height: 1, ..area };
        let usual = [("↑ ↓", "choose"), ("Enter", "open"), ("x", "delete"), ("Esc", "back")];
        let question = [("y", "delete it for good"), ("Esc", "keep it")];
        let offers = if self.deleting { &question[..] } else { &usual[..] };
        keys(frame, look, row, offers, hits);
    }

    /// A few lines about the selected game.
    fn words(&self, look: &Look) -> Vec<(String, Style)> {
        let mut words = match self.games.get(self.chosen) {
            Some((kept, Ok(table))) => {
                about(kept, table).into_iter().map(|line| (line, look.soft())).collect()
            }
            Some((_, Err(why))) => {
                vec![(format!("damaged, left as it is: {why}"), look.warning())]
            }
            None => {
                vec![("No game has been saved yet: press s while you play.".into(), look.soft())]
            }
        };
        words.extend(self.trouble.iter().map(|trouble| (trouble.clone(), look.warning())));
        words
    }
}

fn about(kept: &Kept, table: &Table) -> Vec<String> {
    let [one, two] = Player::BOTH.map(|player| table.full_name(player));
    let turns = match table.game.turns_played() {
        1 => "1 turn".to_owned(),
        turns => format!("{turns} turns"),
    };
    let state = table.diagram(&*table.game).status;
    let unfinished = (kept.shelf == Shelf::Unfinished).then(|| "left unfinished".to_owned());
    let players = format!("{}: {one} against {two}", table.entry.info.name);
    [players, format!("{turns}, {state}")].into_iter().chain(unfinished).collect()
}
