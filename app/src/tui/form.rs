//! Drawing the form before a game.

use super::app::{Context, Hits};
use super::board;
use super::list::List;
use super::setup::{Filling, Row, Setup};
use super::view::{cut, keys, paragraphs, title};
use crate::sitting::seat;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// The columns of the form.
const WIDTH: u16 = 32;

impl Setup {
    /// The form on the left, the board on the right.
    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        title(frame, look, self.entry.info.name, self.entry.info.tagline);
        let room = Rect::new(2, 2, area.width - 4, area.height - 4);
        if let Filling::Player(i, list) = self.filling {
            self.players(context, frame, room, (i, list), hits);
            let offers = [("↑ ↓", "choose"), ("Enter", "take"), ("Esc", "back")];
            return keys(frame, context, &offers, hits);
        }
        let left = Rect { width: WIDTH.min(room.width), ..room };
        self.form(context, frame, left, hits);
        let right = Rect { x: left.right() + 1, width: room.right() - left.right(), ..room };
        let right = Rect { width: right.width.saturating_sub(1), ..right };
        board::show(&self.game.diagram(), look, right, frame.buffer_mut(), hits);
        match &self.filling {
            Filling::Name(..) | Filling::Clock(_) | Filling::Server(_) => {
                keys(frame, context, &[("Enter", "done"), ("Esc", "leave it")], hits);
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
                keys(frame, context, &offers, hits);
            }
        }
    }

    fn form(&self, context: &Context, frame: &mut Frame, area: Rect, hits: &Hits) {
        let look = &context.look;
        let rows = self.rows();
        let line = |i: usize| {
            let row = &rows[i];
            let value = match &self.filling {
                Filling::Name(i, name) if *row == Row::Player(*i) => {
                    format!("name: {}", name.with_cursor(look.sign("▏", "_")))
                }
                Filling::Server(text) if *row == Row::Server => {
                    let room = usize::from(area.width).saturating_sub(16);
                    text.shown_with_cursor(room, look.sign("▏", "_"))
                }
                Filling::Clock(text) if *row == Row::Clock => {
                    format!("min+s: {}", text.with_cursor(look.sign("▏", "_")))
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
        let place = Rect { height: (rows.len() as u16).min(area.height), ..area };
        self.list.draw((rows.len(), line), look, place, frame, hits);
        let mut words = vec![(self.about(self.row()), look.soft())];
        words.extend(self.trouble.iter().map(|trouble| (trouble.clone(), look.warning())));
        let top = place.bottom() + 1;
        let height = area.bottom().saturating_sub(top);
        paragraphs(frame, Rect::new(area.x + 1, top, area.width - 2, height), &words);
    }

    fn players(
        &self,
        context: &Context,
        frame: &mut Frame,
        area: Rect,
        (i, list): (usize, List),
        hits: &Hits,
    ) {
        let look = &context.look;
        let heading = format!("Who is {}?", self.label(Row::Player(i)));
        frame.buffer_mut().set_stringn(area.x + 1, area.y, heading, 60, look.strong());
        let width = usize::from(area.width);
        let kinds = self.kinds();
        let line = |i: usize| {
            let who = &kinds[i];
            let name = format!(" {:<21}", who.title(self.game.as_ref()));
            let about = seat::about(who, self.game.as_ref());
            let about = cut(about, width.saturating_sub(23), look);
            Line::from(vec![Span::raw(name), Span::styled(about, look.soft())])
        };
        let place = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
        list.draw((kinds.len(), line), look, place, frame, hits);
    }
}
