//! What the user likes: colours, motion, proposals.

use super::app::{Hits, Next, Shared};
use super::board;
use super::help;
use super::page::Page;
use super::view::{keys, list, title, wrapped};
use crate::input;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rules::text::Theme;

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Theme,
    Motion,
    Advice,
    Bar,
    Boards,
}

const ROWS: [Row; 5] = [Row::Theme, Row::Motion, Row::Advice, Row::Bar, Row::Boards];

/// The list of settings.
#[derive(Debug, Default)]
pub struct Settings {
    at: usize,
    trouble: Option<String>,
}

impl Row {
    const fn label(self) -> &'static str {
        match self {
            Row::Theme => "Colours",
            Row::Motion => "Motion",
            Row::Advice => "Proposals",
            Row::Bar => "Engine's bar",
            Row::Boards => "Line mode",
        }
    }

    const fn about(self) -> &'static str {
        match self {
            Row::Theme => "dark and light windows, high contrast, or the colours of the pages",
            Row::Motion => "whether pieces travel to their cells or are there at once",
            Row::Advice => "show at every turn what the game's original program would play",
            Row::Bar => "show who is better, in games against the computer",
            Row::Boards => "whether the game in lines of text draws boards; sentences are for ears",
        }
    }

    fn value(self, shared: &Shared) -> &'static str {
        let choices = &shared.choices;
        let says = |yes: bool, words: [&'static str; 2]| words[usize::from(yes)];
        match self {
            Row::Theme => shared.look.theme.name(),
            Row::Motion => says(choices.still, ["on", "off"]),
            Row::Advice => says(choices.advice, ["when asked for", "always"]),
            Row::Bar => says(choices.bar, ["when asked for", "always"]),
            Row::Boards => says(choices.no_boards, ["with boards", "sentences only"]),
        }
    }

    /// Takes the next value, or the previous one.
    fn turn(self, forward: bool, shared: &mut Shared) {
        let choices = &mut shared.choices;
        match self {
            Row::Theme => {
                let count = Theme::ALL.len();
                let at = Theme::ALL.iter().position(|own| *own == shared.look.theme).unwrap_or(0);
                let next = if forward { at + 1 } else { at + count - 1 } % count;
                shared.look.theme = Theme::ALL[next];
                choices.theme = shared.look.theme.name().to_owned();
            }
            Row::Motion => choices.still = !choices.still,
            Row::Advice => choices.advice = !choices.advice,
            Row::Bar => choices.bar = !choices.bar,
            Row::Boards => choices.no_boards = !choices.no_boards,
        }
    }
}

impl Settings {
    pub fn key(&mut self, key: KeyEvent, shared: &mut Shared) -> Next {
        let last = ROWS.len() - 1;
        match key.code {
            KeyCode::Up | KeyCode::Char('k') => self.at = self.at.checked_sub(1).unwrap_or(last),
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Tab => {
                self.at = if self.at < last { self.at + 1 } else { 0 };
            }
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = last,
            KeyCode::Left | KeyCode::Char('h') => self.change(false, shared),
            KeyCode::Right | KeyCode::Enter | KeyCode::Char(' ' | 'l') => self.change(true, shared),
            KeyCode::Char('?') | KeyCode::F(1) => {
                return Next::Page(Page::new("Keys", help::lines(&shared.look)));
            }
            KeyCode::Char('q') | KeyCode::Esc => return Next::Menu,
            _ => {}
        }
        Next::Stay
    }

    pub fn click(&mut self, row: usize, shared: &mut Shared) -> Next {
        self.at = row.min(ROWS.len() - 1);
        self.change(true, shared);
        Next::Stay
    }

    fn change(&mut self, forward: bool, shared: &mut Shared) {
        if let Some(row) = ROWS.get(self.at) {
            row.turn(forward, shared);
        }
        self.trouble = shared.remember().err();
    }

    /// The list on the left, a board in the chosen colours on the right.
    pub fn view(&self, shared: &Shared, frame: &mut Frame, hits: &Hits) {
        let look = &shared.look;
        let area = frame.area();
        title(frame, look, "Settings", "");
        let width = 32.min(area.width - 4);
        let left = Rect::new(2, 2, width, ROWS.len() as u16);
        let line = |row: &Row| {
            Line::from(vec![
                Span::styled(format!(" {:<13}", row.label()), look.soft()),
                Span::raw(row.value(shared)),
            ])
        };
        let rows: Vec<_> = ROWS.iter().map(line).collect();
        list(frame, look, left, (&rows, self.at), hits);
        let about = ROWS.get(self.at).map_or("", |row| row.about());
        let words = wrapped(about, usize::from(width) - 2).into_iter().map(|l| (l, look.soft()));
        let trouble = self.trouble.iter().flat_map(|trouble| wrapped(trouble, usize::from(width)));
        let words = words.chain(trouble.map(|line| (line, look.warning())));
        for (y, (line, style)) in (left.bottom() + 1..area.height - 1).zip(words) {
            frame.buffer_mut().set_stringn(left.x + 1, y, line, usize::from(width), style);
        }
        let game = shared.games.iter().find(|entry| entry.info.id == shared.choices.game);
        let game = game.or(shared.games.first());
        let sample = game.and_then(|entry| input::sample(entry, "intermediate").ok());
        if let Some(game) = sample {
            let room = Rect::new(left.right() + 1, 2, area.width - width - 4, area.height - 4);
            board::show(&game.diagram(), look, room, frame.buffer_mut());
        }
        let row = Rect { y: area.height - 1, height: 1, ..area };
        let offers = [("↑ ↓", "choose"), ("← →", "change"), ("Esc", "back"), ("?", "help")];
        keys(frame, look, row, &offers, hits);
    }
}
