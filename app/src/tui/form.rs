//! Drawing the form before a game.

use super::app::{Hits, Shared};
use super::board;
use super::setup::{Filling, Row, Setup};
use super::view::{cut, keys, list, title, wrapped};
use crate::table::Sitter;
use engine::Who;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// The columns of the form.
const WIDTH: u16 = 32;

impl Setup {
    /// The form on the left, the board on the right.
    pub fn view(&self, shared: &Shared, frame: &mut Frame, hits: &Hits) {
        let look = &shared.look;
        let area = frame.area();
        title(frame, look, self.entry.info.name, self.entry.info.tagline);
        let room = Rect::new(2, 2, area.width - 4, area.height - 4);
        let row = Rect { y: area.height - 1, height: 1, ..area };
        if let Filling::Player(i, at) = self.filling {
            self.players(shared, frame, room, (i, at), hits);
            let offers = [("↑ ↓", "choose"), ("Enter", "take"), ("Esc", "back")];
            return keys(frame, look, row, &offers, hits);
        }
        let left = Rect { width: WIDTH.min(room.width), ..room };
        self.form(shared, frame, left, hits);
        let right = Rect { x: left.right() + 1, width: room.right() - left.right(), ..room };
        let right = Rect { width: right.width.saturating_sub(1), ..right };
        board::show(&self.game.diagram(), look, right, frame.buffer_mut());
        match &self.filling {
            Filling::Name(..) | Filling::Clock(_) => {
                keys(frame, look, row, &[("Enter", "done"), ("Esc", "leave it")], hits);
            }
            _ => {
                let offers = [
                    ("↑ ↓", "choose"),
                    ("← →", "change"),
                    ("Enter", "go"),
                    ("s", "start"),
                    ("r", "rules"),
                    ("Esc", "back"),
                    ("?", "help"),
                ];
                keys(frame, look, row, &offers, hits);
            }
        }
    }

    fn form(&self, shared: &Shared, frame: &mut Frame, area: Rect, hits: &Hits) {
        let look = &shared.look;
        let rows = self.rows();
        let line = |row: &Row| {
            let value = match &self.filling {
                Filling::Name(i, name) if *row == Row::Player(*i) => {
                    format!("name: {name}{}", look.sign("▏", "_"))
                }
                Filling::Clock(text) if *row == Row::Clock => {
                    format!("min+s: {text}{}", look.sign("▏", "_"))
                }
                _ => self.value(*row),
            };
            let label = format!(" {:<13}", self.label(*row));
            let value = cut(&value, usize::from(area.width) - 15, look);
            match row {
                Row::Start | Row::Rules => Line::from(Span::styled(label, look.strong())),
                _ => Line::from(vec![Span::styled(label, look.soft()), Span::raw(value)]),
            }
        };
        let lines: Vec<_> = rows.iter().map(line).collect();
        let place = Rect { height: (lines.len() as u16).min(area.height), ..area };
        list(frame, look, place, (&lines, self.at), hits);
        let mut words = vec![(self.about(self.row()), look.soft())];
        words.extend(self.trouble.iter().map(|trouble| (trouble.clone(), look.warning())));
        let width = usize::from(area.width) - 2;
        let lines = words
            .iter()
            .flat_map(|(text, style)| wrapped(text, width).into_iter().map(move |l| (l, *style)));
        for (y, (line, style)) in (place.bottom() + 1..area.bottom()).zip(lines) {
            frame.buffer_mut().set_stringn(area.x + 1, y, line, width, style);
        }
    }

    fn players(
        &self,
        shared: &Shared,
        frame: &mut Frame,
        area: Rect,
        (i, at): (usize, usize),
        hits: &Hits,
    ) {
        let look = &shared.look;
        let heading = format!("Who is {}?", self.label(Row::Player(i)));
        frame.buffer_mut().set_stringn(area.x + 1, area.y, heading, 60, look.strong());
        let width = usize::from(area.width);
        let line = |who: &Who| {
            let name = format!(" {:<21}", who.title(self.game.as_ref()));
            let about = Sitter::about(who, self.game.as_ref());
            let about = cut(about, width.saturating_sub(23), look);
            Line::from(vec![Span::raw(name), Span::styled(about, look.soft())])
        };
        let lines: Vec<_> = self.kinds().iter().map(line).collect();
        let place = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
        list(frame, look, place, (&lines, at), hits);
    }
}
