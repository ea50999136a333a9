//! A list of which one row is chosen: with the keys, or by a click.

use super::app::{Hit, Hits};
use super::look::Look;
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;

/// How many rows a page key moves.
const PAGE: usize = 10;

/// The cursor of a list; the rows are the screen's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    pub chosen: usize,
    /// Whether the first row follows the last one.
    is_ring: bool,
}

impl List {
    /// A short list, which goes round.
    pub const fn ring(chosen: usize) -> List {
        List { chosen, is_ring: true }
    }

    /// A long list, which stops at its ends.
    pub const fn long(chosen: usize) -> List {
        List { chosen, is_ring: false }
    }

    /// Moves the cursor among this many rows, if the key does that, and returns whether it does.
    pub fn key(&mut self, code: KeyCode, count: usize) -> bool {
        let last = count.saturating_sub(1);
        let at = self.chosen.min(last);
        self.chosen = match code {
            KeyCode::Up | KeyCode::BackTab | KeyCode::Char('k') => match at {
                0 if self.is_ring => last,
                at => at.saturating_sub(1),
            },
            KeyCode::Down | KeyCode::Tab | KeyCode::Char('j') => match at {
                at if at < last => at + 1,
                _ if self.is_ring => 0,
                _ => last,
            },
            KeyCode::PageUp => at.saturating_sub(PAGE),
            KeyCode::PageDown => (at + PAGE).min(last),
            KeyCode::Home => 0,
            KeyCode::End => last,
            _ => return false,
        };
        true
    }

    /// Chooses the row that was clicked, and returns whether it was chosen already.
    pub fn click(&mut self, row: usize, count: usize) -> bool {
        let was_chosen = self.chosen == row;
        self.chosen = row.min(count.saturating_sub(1));
        was_chosen
    }

    /// Draws this many rows, scrolled so that the chosen one is visible; each can be clicked. Only rows that are seen
    /// are asked for.
    pub fn draw<'a>(
        &self,
        (count, row): (usize, impl Fn(usize) -> Line<'a>),
        look: &Look,
        area: Rect,
        frame: &mut Frame,
        hits: &Hits,
    ) {
        let top = (self.chosen + 1).saturating_sub(usize::from(area.height));
        for (y, number) in (area.y..area.bottom()).zip(top..count) {
            let place = Rect::new(area.x, y, area.width, 1);
            let buffer = frame.buffer_mut();
            buffer.set_line(place.x, y, &row(number), place.width);
            if number == self.chosen {
                buffer.set_style(place, look.chosen());
            }
            hits.add(place, Hit::Row(number));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(mut list: List, keys: &[KeyCode]) -> usize {
        for key in keys {
            assert!(list.key(*key, 25));
        }
        list.chosen
    }

    #[test]
    fn a_short_list_goes_round_and_a_long_one_stops_at_its_ends() {
        use KeyCode::{Char, Down, End, Home, PageDown, PageUp, Tab, Up};
        assert_eq!(after(List::ring(0), &[Up]), 24);
        assert_eq!(after(List::ring(24), &[Tab]), 0);
        assert_eq!(after(List::long(0), &[Up, Char('k')]), 0);
        assert_eq!(after(List::long(24), &[Down, Char('j')]), 24);
        assert_eq!(after(List::long(3), &[PageDown, PageDown]), 23);
        assert_eq!(after(List::ring(3), &[PageDown, PageDown, PageDown, Home, End, PageUp]), 14);
        assert!(!List::ring(0).key(Char('q'), 25));
    }

    #[test]
    fn an_empty_list_has_no_other_row_to_choose() {
        for mut list in [List::ring(0), List::long(0)] {
            for key in [KeyCode::Up, KeyCode::Down, KeyCode::End, KeyCode::PageDown] {
                list.key(key, 0);
                assert_eq!(list.chosen, 0);
            }
            assert!(list.click(0, 0));
        }
    }
}
