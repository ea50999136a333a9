//! The terminal's replies to queries: they arrive among the keys, as if somebody had typed them.

use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};
use rules::text::Rgb;

/// The longest answer; anything longer was typed.
const LONGEST: usize = 64;

/// Separates replies from keys.
#[derive(Default)]
pub struct Answers {
    /// The beginning of an answer, if one is coming in.
    held: Vec<KeyEvent>,
}

/// The meaning of an event.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// Part of an answer.
    Nothing,
    /// These events, of which some may have waited.
    Events(Vec<Event>),
    /// The colour of the background.
    Background(Rgb),
}

impl Answers {
    /// An answer is `ESC ] 11 ; rgb : …` and `ESC \` or `^G` at its end, read as Alt-], letters, and Alt-\.
    pub fn hear(&mut self, event: Event) -> Heard {
        let Event::Key(key) = event else { return self.release(event) };
        let is = |c: char, modifiers| key.code == KeyCode::Char(c) && key.modifiers == modifiers;
        if self.held.is_empty() && !is(']', KeyModifiers::ALT) {
            return Heard::Events(vec![event]);
        }
        let ends = is('\\', KeyModifiers::ALT) || is('g', KeyModifiers::CONTROL);
        let fits = match key.code {
            KeyCode::Char(c) => self.held.is_empty() || ends || is_fitting(self.held.len(), c),
            _ => false,
        };
        if !fits || self.held.len() > LONGEST {
            return self.release(event);
        }
        if !ends {
            self.held.push(key);
            return Heard::Nothing;
        }
        let text: String = self.held.drain(..).filter_map(|key| key.code.as_char()).collect();
        background(&text).map_or(Heard::Nothing, Heard::Background)
    }

    /// What was held back was typed after all.
    fn release(&mut self, event: Event) -> Heard {
        let held = self.held.drain(..).map(Event::Key);
        Heard::Events(held.chain([event]).collect())
    }
}

/// Whether an answer may have this character there.
fn is_fitting(at: usize, c: char) -> bool {
    match "]11;rgb".chars().nth(at) {
        Some(own) => c == own || at >= 4 && c == 'r',
        None => c.is_ascii_hexdigit() || "rgba:/".contains(c),
    }
}

/// The colour in `]11;rgb:1e1e/1e1e/2e2e`.
pub fn background(text: &str) -> Option<Rgb> {
    let parts = text.strip_prefix("]11;")?.split_once(':')?.1;
    let part = |part: &str| {
        let digits = part.get(..2).unwrap_or(part);
        u8::from_str_radix(digits, 16).ok()
    };
    let parts: Option<Vec<u8>> = parts.split('/').take(3).map(part).collect();
    parts?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(c: char, modifiers: KeyModifiers) -> Event {
        Event::Key(KeyEvent::new(KeyCode::Char(c), modifiers))
    }

    fn typed(text: &str) -> impl Iterator<Item = Event> {
        text.chars().map(|c| key(c, KeyModifiers::NONE))
    }

    #[test]
    fn an_answer_is_no_key() {
        for end in [key('\\', KeyModifiers::ALT), key('g', KeyModifiers::CONTROL)] {
            let mut answers = Answers::default();
            let begin = key(']', KeyModifiers::ALT);
            for event in [begin].into_iter().chain(typed("11;rgb:fafa/f8f8/0000")) {
                assert_eq!(answers.hear(event), Heard::Nothing);
            }
            assert_eq!(answers.hear(end), Heard::Background([0xfa, 0xf8, 0]));
            let next = key('q', KeyModifiers::NONE);
            assert_eq!(answers.hear(next.clone()), Heard::Events(vec![next]));
        }
    }

    #[test]
    fn what_was_typed_is_not_lost() {
        let mut answers = Answers::default();
        let (first, second) = (key(']', KeyModifiers::ALT), key('x', KeyModifiers::NONE));
        assert_eq!(answers.hear(first.clone()), Heard::Nothing);
        assert_eq!(answers.hear(second.clone()), Heard::Events(vec![first, second]));
    }
}
