//! Setting up a position by hand: brushes, with keys and mouse.

use super::app::{Context, Hit, Hits, Next};
use super::board;
use super::cursor::{Cursor, Way};
use super::list::List;
use super::look::Look;
use super::page::Page;
use super::setup::Setup;
use super::view::{cut, keys, title, wrapped};
use crate::sitting::{Sitting, seat};
use engine::{Entry, Session};
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use rules::Edit;
use rules::edit::{Brush, Stroke};

/// The columns beside the board.
const PANEL: u16 = 30;
/// How many changes can be taken back.
const MOST_BACK: usize = 500;

/// A position that is being set up.
pub struct Editor {
    /// The form that it goes back to.
    setup: Box<Setup>,
    game: Box<dyn Session>,
    before: Vec<Box<dyn Session>>,
    brush: List,
    cursor: Cursor,
    has_cursor: bool,
    flipped: bool,
    /// The answer to the last change, and whether it was refused.
    note: Option<(String, bool)>,
}

impl Editor {
    /// Begins with the position of a form.
    pub fn new(setup: Box<Setup>) -> Editor {
        let game = setup.game.boxed_clone();
        let cursor = Cursor::middle(&game.diagram());
        Editor {
            setup,
            game,
            before: Vec::new(),
            brush: List::ring(0),
            cursor,
            has_cursor: true,
            flipped: false,
            note: None,
        }
    }

    /// The form, with the position that was set up.
    pub fn into_setup(mut self) -> Box<Setup> {
        self.setup.set_position(self.game);
        self.setup
    }

    /// The position, to be analysed.
    pub fn sitting(&self) -> Sitting {
        Sitting::new(self.setup.entry, self.game.boxed_clone(), seat::people(), None)
    }

    pub fn entry(&self) -> &'static Entry {
        self.setup.entry
    }

    fn brushes(&self) -> &'static [Brush] {
        self.setup.entry.info.brushes
    }

    fn set(&mut self, game: Box<dyn Session>) {
        let old = std::mem::replace(&mut self.game, game);
        if self.before.len() == MOST_BACK {
            self.before.remove(0);
        }
        self.before.push(old);
        self.note = None;
    }

    /// Makes a change, or notes why it is refused.
    fn change(&mut self, edit: Edit) {
        match self.game.edited(edit) {
            Ok(game) => self.set(game),
            Err(error) => self.note = Some((error.message, true)),
        }
    }

    fn paint(&mut self, cell: usize) {
        if let Some(brush) = self.brushes().get(self.brush.chosen) {
            self.change(Edit::Paint(cell, brush.stroke));
        }
    }

    pub fn wipe(&mut self, cell: usize) {
        self.cursor = Cursor::at(cell);
        self.change(Edit::Paint(cell, Stroke::Wipe));
    }

    /// Takes a pasted position, or says why not.
    pub fn paste(&mut self, pasted: Result<Sitting, String>) {
        match pasted {
            Ok(sitting) if sitting.entry.info.id == self.setup.entry.info.id => {
                self.cursor = Cursor::middle(&sitting.board.diagram());
                self.set(sitting.board);
            }
            Ok(sitting) => {
                let name = sitting.entry.info.name;
                self.note = Some((format!("that is a position of {name}"), true));
            }
            Err(why) => self.note = Some((why, true)),
        }
    }

    pub fn key(&mut self, key: KeyEvent, context: &Context) -> Next {
        self.note = None;
        let brushes = self.brushes().len();
        match key.code {
            KeyCode::Left | KeyCode::Char('h') => self.go(Way::Left),
            KeyCode::Right | KeyCode::Char('l') => self.go(Way::Right),
            KeyCode::Up | KeyCode::Char('k') => self.go(Way::Up),
            KeyCode::Down | KeyCode::Char('j') => self.go(Way::Down),
            KeyCode::Tab | KeyCode::BackTab => drop(self.brush.key(key.code, brushes)),
            KeyCode::Enter | KeyCode::Char(' ') => self.at_cursor(Editor::paint),
            KeyCode::Delete | KeyCode::Char('x') => self.at_cursor(Editor::wipe),
            KeyCode::Char('t') => self.change(Edit::Turn(self.game.turn().other())),
            KeyCode::Char('c') => self.change(Edit::Clear),
            KeyCode::Char('i') => self.begin_anew(),
            KeyCode::Char('u') | KeyCode::Backspace => match self.before.pop() {
                Some(game) => self.game = game,
                None => self.note = Some(("there is nothing to take back".into(), false)),
            },
            KeyCode::Char('f') => self.flipped = !self.flipped,
            KeyCode::Char('a') => return Next::Examine,
            KeyCode::Char('r') => {
                return Next::Page(Page::rules(self.setup.entry, &context.look));
            }
            KeyCode::Esc | KeyCode::Char('q' | 'p' | 's') => return Next::Form,
            KeyCode::Char(digit) => {
                let number = digit.to_digit(10).and_then(|n| (n as usize).checked_sub(1));
                if let Some(number) = number.filter(|n| *n < brushes) {
                    self.brush.chosen = number;
                }
            }
            _ => {}
        }
        Next::Stay
    }

    /// A click on a cell paints it, one on a brush takes it.
    pub fn click(&mut self, hit: Hit) -> Next {
        self.note = None;
        match hit {
            Hit::Cell(cell) => {
                (self.cursor, self.has_cursor) = (Cursor::at(cell), false);
                self.paint(cell);
            }
            Hit::Row(brush) => drop(self.brush.click(brush, self.brushes().len())),
            _ => {}
        }
        Next::Stay
    }

    fn go(&mut self, way: Way) {
        // After a click the first key only shows the cursor.
        if std::mem::replace(&mut self.has_cursor, true) {
            self.cursor.go(way, &self.game.diagram(), self.flipped);
        }
    }

    /// Changes the cell under the cursor; after a click, which hides the cursor, the cell that was clicked.
    fn at_cursor(&mut self, change: fn(&mut Editor, usize)) {
        self.has_cursor = true;
        change(self, self.cursor.cell);
    }

    fn begin_anew(&mut self) {
        match (self.setup.entry.start)(&self.game.options()) {
            Ok(start) => self.set(start),
            Err(error) => self.note = Some((error.to_string(), true)),
        }
    }

    /// The label of the brush in use.
    fn brush_words(&self) -> &'static str {
        self.brushes().get(self.brush.chosen).map_or("", |brush| brush.label)
    }

    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        let diagram = self.game.diagram();
        let name = self.setup.entry.info.name;
        let words = format!("{name}  {} set up a position", look.sign("·", "-"));
        title(frame, look, &words, "");
        let room = Rect::new(1, 1, area.width - 2, area.height - 3);
        let (drawn, has_panel) = board::beside(&diagram, look, self.flipped, room, PANEL);
        let panel = if has_panel { PANEL } else { 0 };
        let place = Rect { width: room.width - panel, ..room };
        let cursor = self.has_cursor.then_some(self.cursor.cell);
        let caret = board::put(&drawn, cursor, place, frame.buffer_mut(), hits);
        if has_panel {
            let side = Rect { x: place.right() + 1, width: panel - 1, ..room };
            self.view_panel(&diagram.status, look, side, frame, hits);
        }
        self.view_prompt(&diagram.status, has_panel, look, frame);
        let offers = [
            ("Enter", "paint"),
            ("Tab", "brush"),
            ("t", "turn"),
            ("x", "wipe"),
            ("u", "undo"),
            ("c", "clear"),
            ("i", "start"),
            ("a", "analyse"),
            ("Esc", "play it"),
            ("?", "help"),
        ];
        keys(frame, context, &offers, hits);
        if let Some(caret) = caret {
            frame.set_cursor_position(caret);
        }
    }

    /// The brushes, whose turn it is, and the position as text.
    fn view_panel(&self, status: &str, look: &Look, area: Rect, frame: &mut Frame, hits: &Hits) {
        frame.buffer_mut().set_stringn(area.x, area.y + 1, "Brush", 20, look.strong());
        let brush = |(i, brush): (usize, &Brush)| {
            let player = match brush.stroke {
                Stroke::Put(player) => Some(player),
                Stroke::Lift | Stroke::Wipe => None,
            };
            let tint = player.map(|player| self.game.diagram().players[player].tint);
            let chip = tint.map_or(Span::raw("   "), |tint| {
                Span::styled(look.sign(" ● ", " * "), look.piece(tint))
            });
            let words = Span::raw(format!(" {} {}", i + 1, brush.label));
            Line::from(vec![Span::raw(" "), chip, words])
        };
        let rows: Vec<_> = self.brushes().iter().enumerate().map(brush).collect();
        let place = Rect { y: area.y + 2, height: rows.len() as u16, ..area }.intersection(area);
        self.brush.draw((rows.len(), |i| rows[i].clone()), look, place, frame, hits);
        let width = usize::from(area.width);
        let mut lines: Vec<_> =
            wrapped(status, width).into_iter().map(|line| (line, look.strong())).collect();
        lines.push((String::new(), look.soft()));
        // A position has no blanks to break at.
        let text: Vec<char> = self.game.text().chars().collect();
        lines.extend(text.chunks(width.max(1)).map(|c| (c.iter().collect(), look.soft())));
        for (y, (line, style)) in (place.bottom() + 1..area.bottom()).zip(lines) {
            frame.buffer_mut().set_stringn(area.x, y, line, width, style);
        }
    }

    fn view_prompt(&self, status: &str, has_panel: bool, look: &Look, frame: &mut Frame) {
        let area = frame.area();
        let (words, style) = match &self.note {
            Some((words, true)) => (words.clone(), look.warning()),
            Some((words, false)) => (words.clone(), look.strong()),
            None if has_panel => {
                let words = "Click or press Enter to paint a cell; paste a position to take it.";
                (words.to_owned(), look.soft())
            }
            None => (format!("Brush: {}. {status}", self.brush_words()), look.strong()),
        };
        let width = usize::from(area.width) - 4;
        let line = cut(&words, width, look);
        frame.buffer_mut().set_stringn(2, area.height - 2, line, width, style);
    }
}
