//! A line of text that is being edited.

use crate::output::columns::{fitting, width};
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use tui_input::backend::crossterm::to_input_request;
use tui_input::{Input, InputRequest};

/// A line of text with a cursor. A change after which the text would not fit is not made.
#[derive(Clone, Debug)]
pub struct Field {
    input: Input,
    fits: fn(&str) -> bool,
}

impl Field {
    pub fn new(text: &str, fits: fn(&str) -> bool) -> Field {
        Field { input: Input::new(text.to_owned()), fits }
    }

    pub fn text(&self) -> &str {
        self.input.value()
    }

    /// Replaces the text, and puts the cursor at its end.
    pub fn set(&mut self, text: &str) {
        self.input = Input::new(text.to_owned());
    }

    /// Edits the text if the key does that, and returns whether it does.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let request = match (key.code, key.modifiers) {
            // The crate follows shells that clear the whole line.
            (KeyCode::Char('u'), KeyModifiers::CONTROL) => Some(InputRequest::DeleteFromStart),
            (KeyCode::Char('d'), KeyModifiers::CONTROL) => Some(InputRequest::DeleteNextChar),
            // Terminals send Alt where the crate expects Meta.
            (KeyCode::Char('b'), KeyModifiers::ALT) => Some(InputRequest::GoToPrevWord),
            (KeyCode::Char('f'), KeyModifiers::ALT) => Some(InputRequest::GoToNextWord),
            _ => to_input_request(&Event::Key(key)),
        };
        match request {
            Some(InputRequest::InsertChar(c)) => self.insert(c),
            Some(request) => {
                self.input.handle(request);
                true
            }
            None => false,
        }
    }

    /// Inserts the first line of a pasted text, as far as it fits.
    pub fn paste(&mut self, text: &str) {
        let line = text.lines().next().unwrap_or_default().trim();
        for c in line.chars() {
            self.insert(c);
        }
    }

    fn insert(&mut self, c: char) -> bool {
        let before = self.input.clone();
        if !c.is_control() {
            self.input.handle(InputRequest::InsertChar(c));
        }
        let fits = (self.fits)(self.text());
        if !fits {
            self.input = before;
        }
        fits && !c.is_control()
    }

    /// The text with a sign where the cursor is.
    pub fn with_cursor(&self, sign: &str) -> String {
        let (before, after): (Vec<_>, Vec<_>) =
            self.text().chars().enumerate().partition(|(at, _)| *at < self.input.cursor());
        let text = |part: Vec<(usize, char)>| part.into_iter().map(|(_, c)| c).collect::<String>();
        format!("{}{sign}{}", text(before), text(after))
    }

    /// The part of the text around the cursor, with a sign where the cursor is.
    pub fn shown_with_cursor(&self, columns: usize, sign: &str) -> String {
        let (text, column) = self.shown(columns);
        let before = fitting(text, column);
        format!("{before}{sign}{}", text.strip_prefix(before).unwrap_or_default())
    }

    /// The text as it is drawn in this many columns, and the column of the cursor: where it does not fit, the
    /// part around the cursor.
    pub fn shown(&self, columns: usize) -> (&str, usize) {
        let room = columns.saturating_sub(1);
        let scroll = self.input.visual_scroll(room);
        // A wide character that is cut by the edge is left out.
        let hidden = fitting(self.text(), scroll);
        let rest = self.text().strip_prefix(hidden).unwrap_or_default();
        let column = self.input.visual_cursor().saturating_sub(width(hidden));
        (fitting(rest, room), column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(field: &mut Field, code: KeyCode, modifiers: KeyModifiers) -> bool {
        field.key(KeyEvent::new(code, modifiers))
    }

    #[test]
    fn a_text_is_edited_where_the_cursor_is() {
        let mut field = Field::new("Ana Luz", |_| true);
        for code in [KeyCode::Home, KeyCode::Delete, KeyCode::Char('E'), KeyCode::End] {
            assert!(press(&mut field, code, KeyModifiers::NONE));
        }
        assert!(press(&mut field, KeyCode::Char('w'), KeyModifiers::CONTROL));
        assert_eq!(field.text(), "Ena ");
        press(&mut field, KeyCode::Char('a'), KeyModifiers::CONTROL);
        press(&mut field, KeyCode::Right, KeyModifiers::NONE);
        press(&mut field, KeyCode::Char('k'), KeyModifiers::CONTROL);
        assert_eq!(field.text(), "E");
        assert!(!press(&mut field, KeyCode::Enter, KeyModifiers::NONE));
    }

    #[test]
    fn nothing_is_added_that_does_not_fit() {
        let mut field = Field::new("1", |text| text.len() <= 3 && !text.contains('x'));
        field.paste(" x2\t345\nnot this");
        assert_eq!(field.text(), "123");
    }

    #[test]
    fn a_long_text_is_shown_around_the_cursor_in_columns() {
        let mut field = Field::new(&"龍".repeat(20), |_| true);
        for step in 0..=20 {
            let (shown, column) = field.shown(10);
            assert!(width(shown) < 10 && column < 10, "{step}: {shown} {column}");
            press(&mut field, KeyCode::Left, KeyModifiers::NONE);
        }
    }
}
