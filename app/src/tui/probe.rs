//! The terminal's replies to queries at the start: its background, and how it shows pictures.
//!
//! The replies come among the keys, and the library that reads keys drops those that matter here. So the first input is
//! read here, until the reply to the last query, which every terminal answers, or for half a second. Keys that are
//! pressed meanwhile are passed on at once.

use super::app::Message;
use super::look::Graphics;
use crate::output::inline::Protocol;
use crate::output::mosaic::Font;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use ratatui::crossterm::terminal::window_size;
use rules::text::Rgb;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How long the replies are waited for.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long an escape may be the beginning of something.
const BREATH: Duration = Duration::from_millis(50);
/// The longest reply; anything longer is not one.
const LONGEST: usize = 256;

/// The queries: the background's colour, whether kitty's protocol is spoken, the size of a character in pixels, and
/// what kind of terminal it is. They leave nothing on the screen of a terminal that knows none of them.
pub fn questions(variable: impl Fn(&str) -> Option<String>) -> String {
    let read = |name: &str| variable(name).unwrap_or_default();
    let term = read("TERM");
    let begins = |names: &[&str]| names.iter().any(|name| term.starts_with(name));
    // The Linux console mistakes such queries for something else, and on Windows nobody reads the replies.
    if begins(&["linux", "dumb"]) || term.is_empty() || cfg!(not(unix)) {
        return String::new();
    }
    // tmux and screen take this question for a title, and macOS's Terminal shows it.
    let kitty = match is_nested(&variable) || read("TERM_PROGRAM") == "Apple_Terminal" {
        true => "",
        false => "\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\",
    };
    format!("\x1b]11;?\x1b\\{kitty}\x1b[16t\x1b[c\x1b[H\x1b[2J")
}

/// Whether another program lies between this one and the terminal.
fn is_nested(variable: impl Fn(&str) -> Option<String>) -> bool {
    let term = variable("TERM").unwrap_or_default();
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    term.starts_with("tmux") || term.starts_with("screen") || is_set("TMUX") || is_set("STY")
}

/// Reads answers and keys until all answers are there.
pub fn listen(send: &Sender<Message>) {
    let (mut bytes, mut told) = (Vec::new(), Told::default());
    let mut end = Instant::now() + PATIENCE;
    while !told.is_complete {
        let left = end.saturating_duration_since(Instant::now());
        let wait = if bytes.is_empty() { left } else { left.min(BREATH) };
        let Some(has_more) = read(&mut bytes, wait) else { break };
        while let Some((heard, length)) = next(&bytes, !has_more) {
            bytes.drain(..length);
            match heard {
                Heard::Key(event) => drop(send.send(Message::Input(event))),
                Heard::Background(rgb) => drop(send.send(Message::Background(rgb))),
                heard => told.hear(&heard),
            }
        }
        if !has_more && left.is_zero() {
            break;
        }
        // A sequence that has begun is read to its end here.
        if has_more && !bytes.is_empty() {
            end = end.max(Instant::now() + PATIENCE);
        }
    }
    let variable = |name: &str| std::env::var(name).ok();
    if let Some(graphics) = told.graphics(variable) {
        let _ = send.send(Message::Graphics(graphics));
    }
}

/// Reads what has come, or what comes in this time, and returns whether there was anything; `None` when the terminal is
/// gone.
#[cfg(unix)]
fn read(bytes: &mut Vec<u8>, wait: Duration) -> Option<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let stdin = std::io::stdin();
    let mut polled = [PollFd::new(&stdin, PollFlags::IN)];
    let timeout = Timespec::try_from(wait).ok();
    let mut part = [0; 1024];
    match poll(&mut polled, timeout.as_ref()) {
        Ok(1..) => {
            let count = rustix::io::read(&stdin, &mut part).ok().filter(|count| *count > 0)?;
            bytes.extend_from_slice(&part[..count]);
            Some(true)
        }
        _ => Some(false),
    }
}

/// Nothing was asked.
#[cfg(not(unix))]
fn read(_: &mut Vec<u8>, _: Duration) -> Option<bool> {
    None
}

/// The terminal's answers about pictures.
#[derive(Debug, Default)]
struct Told {
    kitty: bool,
    sixel: bool,
    font: Option<Font>,
    is_complete: bool,
}

impl Told {
    fn hear(&mut self, heard: &Heard) {
        match heard {
            Heard::Kitty => self.kitty = true,
            Heard::Font(font) => self.font = Some(*font),
            Heard::Kind { sixel } => (self.sixel, self.is_complete) = (*sixel, true),
            Heard::Key(_) | Heard::Background(_) | Heard::Nothing => {}
        }
    }

    /// How this terminal shows pictures; none if it has not answered.
    fn graphics(&self, variable: impl Fn(&str) -> Option<String>) -> Option<Graphics> {
        let program = variable("TERM_PROGRAM").unwrap_or_default();
        let protocol = if !self.is_complete || is_nested(&variable) {
            // tmux says that it shows sixels whatever the terminal around it does.
            None
        } else if self.kitty {
            Some(Protocol::Kitty)
        } else if ["iTerm.app", "WezTerm", "mintty"].contains(&program.as_str()) {
            Some(Protocol::Iterm)
        } else {
            self.sixel.then_some(Protocol::Sixel)
        };
        let usual = match protocol? {
            // These scale a picture to the characters that it is to cover.
            Protocol::Kitty | Protocol::Iterm => Some((10, 20)),
            Protocol::Sixel => None,
        };
        // The driver may count the margins of the window.
        let driver = font();
        Some(Graphics { protocol: protocol?, font: self.font.or(driver).or(usual)?, driver })
    }
}

/// The size of a character in pixels, if the terminal's driver knows it.
pub fn font() -> Option<Font> {
    let size = window_size().ok()?;
    let font = (size.width.checked_div(size.columns)?, size.height.checked_div(size.rows)?);
    (font.0 > 0 && font.1 > 0).then_some(font)
}

/// The next thing that a terminal sends.
#[derive(Debug, PartialEq)]
enum Heard {
    /// An irrelevant reply, or an unknown key.
    Nothing,
    Key(Event),
    Background(Rgb),
    Kitty,
    Font(Font),
    Kind {
        sixel: bool,
    },
}

/// The first thing in these bytes, and how many of them belong to it; `None` while more must come.
fn next(bytes: &[u8], is_all: bool) -> Option<(Heard, usize)> {
    let rest = match bytes {
        [] => return None,
        [0x1b] if is_all => return Some((key(KeyCode::Esc, KeyModifiers::NONE), 1)),
        [0x1b, rest @ ..] => rest,
        _ => return character(bytes, KeyModifiers::NONE),
    };
    match rest {
        [] => None,
        [b']' | b'_' | b'P', ..] => string(bytes),
        [b'[', ..] => sequence(bytes),
        [b'O', last, ..] => Some((cursor_key(*last), 3)),
        [b'O'] if !is_all => None,
        _ => character(rest, KeyModifiers::ALT).map(|(heard, length)| (heard, length + 1)),
    }
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Heard {
    Heard::Key(Event::Key(KeyEvent::new(code, modifiers)))
}

fn character(bytes: &[u8], modifiers: KeyModifiers) -> Option<(Heard, usize)> {
    let first = *bytes.first()?;
    let length = match first {
        0xc0..0xe0 => 2,
        0xe0..0xf0 => 3,
        0xf0.. => 4,
        _ => 1,
    };
    let part = bytes.get(..length)?;
    let heard = match (first, std::str::from_utf8(part).ok().and_then(|text| text.chars().next())) {
        (b'\r', _) => key(KeyCode::Enter, modifiers),
        (b'\t', _) => key(KeyCode::Tab, modifiers),
        (0x7f | 0x08, _) => key(KeyCode::Backspace, modifiers),
        (0x1b, _) => key(KeyCode::Esc, modifiers),
        (1..=26, _) => {
            let letter = char::from(first - 1 + b'a');
            key(KeyCode::Char(letter), modifiers | KeyModifiers::CONTROL)
        }
        (_, Some(c)) if !c.is_control() => key(KeyCode::Char(c), modifiers),
        _ => Heard::Nothing,
    };
    Some((heard, length))
}

fn cursor_key(last: u8) -> Heard {
    let code = match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'H' => KeyCode::Home,
        b'F' => KeyCode::End,
        b'Z' => KeyCode::BackTab,
        _ => return Heard::Nothing,
    };
    key(code, KeyModifiers::NONE)
}

/// A text between an introducer and its end.
fn string(bytes: &[u8]) -> Option<(Heard, usize)> {
    let end = |at: &usize| bytes[*at] == 7 || bytes[*at..].starts_with(b"\x1b\\");
    let Some(at) = (2..bytes.len()).find(end) else {
        return (bytes.len() > LONGEST).then_some((Heard::Nothing, bytes.len()));
    };
    let length = if bytes[at] == 7 { at + 1 } else { at + 2 };
    let text = String::from_utf8_lossy(&bytes[1..at]);
    let heard = if let Some(rgb) = super::answers::background(&text) {
        Heard::Background(rgb)
    } else if text.starts_with("_Gi=31") && text.ends_with("OK") {
        Heard::Kitty
    } else {
        Heard::Nothing
    };
    Some((heard, length))
}

/// A control sequence: an answer, a key, the mouse, or a paste.
fn sequence(bytes: &[u8]) -> Option<(Heard, usize)> {
    let at = (2..bytes.len()).find(|at| (0x40..=0x7e).contains(&bytes[*at]))?;
    let (text, last) = (String::from_utf8_lossy(&bytes[2..at]), bytes[at]);
    let numbers: Vec<u16> = text
        .trim_start_matches(['?', '<', '>'])
        .split(';')
        .map(|n| n.parse().unwrap_or(0))
        .collect();
    let heard = match (text.chars().next(), last, &numbers[..]) {
        (Some('?'), b'c', kinds) => {
            Heard::Kind { sixel: kinds.get(1..).is_some_and(|own| own.contains(&4)) }
        }
        (_, b't', [6, high, wide]) if *high > 0 && *wide > 0 => Heard::Font((*wide, *high)),
        (Some('<'), b'M' | b'm', [button, x, y]) => {
            mouse(*button, last == b'M', (x.saturating_sub(1), y.saturating_sub(1)))
        }
        (_, b'~', [200]) => {
            let end = b"\x1b[201~";
            let from = at + 1;
            let length = bytes[from..].windows(end.len()).position(|part| part == end)?;
            let text = String::from_utf8_lossy(&bytes[from..from + length]).into_owned();
            return Some((Heard::Key(Event::Paste(text)), from + length + end.len()));
        }
        (_, b'~', [number]) => match number {
            1 | 7 => key(KeyCode::Home, KeyModifiers::NONE),
            3 => key(KeyCode::Delete, KeyModifiers::NONE),
            4 | 8 => key(KeyCode::End, KeyModifiers::NONE),
            5 => key(KeyCode::PageUp, KeyModifiers::NONE),
            6 => key(KeyCode::PageDown, KeyModifiers::NONE),
            11 => key(KeyCode::F(1), KeyModifiers::NONE),
            _ => Heard::Nothing,
        },
        (None, last, _) => cursor_key(last),
        _ => Heard::Nothing,
    };
    Some((heard, at + 1))
}

fn mouse(button: u16, is_down: bool, (column, row): (u16, u16)) -> Heard {
    let kind = match (button, is_down) {
        (0, true) => MouseEventKind::Down(MouseButton::Left),
        (0, false) => MouseEventKind::Up(MouseButton::Left),
        (2, true) => MouseEventKind::Down(MouseButton::Right),
        (64, true) => MouseEventKind::ScrollUp,
        (65, true) => MouseEventKind::ScrollDown,
        _ => return Heard::Nothing,
    };
    let modifiers = KeyModifiers::NONE;
    Heard::Key(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(mut bytes: &[u8]) -> Vec<Heard> {
        let mut all = Vec::new();
        while let Some((one, length)) = next(bytes, true) {
            all.push(one);
            bytes = &bytes[length..];
        }
        assert!(bytes.is_empty(), "{bytes:?} is left");
        all
    }

    fn graphics(answers: &[u8], variables: &[(&str, &str)]) -> Option<Graphics> {
        let mut told = Told::default();
        heard(answers).iter().for_each(|heard| told.hear(heard));
        let value = |name: &str| variables.iter().find(|(own, _)| *own == name);
        told.graphics(|name| value(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn answers_say_how_pictures_are_shown() {
        let kitty = b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b_Gi=31;OK\x1b\\\x1b[6;18;9t\x1b[?62;c";
        let known = graphics(kitty, &[]).unwrap();
        assert_eq!((known.protocol, known.font), (Protocol::Kitty, (9, 18)));
        let sixel = b"\x1b[6;18;9t\x1b[?62;4;22c";
        assert_eq!(graphics(sixel, &[]).unwrap().protocol, Protocol::Sixel);
        assert_eq!(graphics(sixel, &[("TMUX", "/tmp/x")]), None);
        assert_eq!(graphics(sixel, &[("TERM", "screen-256color")]), None);
        let wez = [("TERM_PROGRAM", "WezTerm")];
        assert_eq!(graphics(sixel, &wez).unwrap().protocol, Protocol::Iterm);
        assert_eq!(graphics(b"\x1b[?62;c", &[]), None);
        // Without an answer nothing is sent, whatever the terminal is called.
        assert_eq!(graphics(b"", &wez), None);
    }

    #[test]
    fn keys_between_the_answers_are_keys() {
        let key = |code, modifiers| Heard::Key(Event::Key(KeyEvent::new(code, modifiers)));
        let plain = |code| key(code, KeyModifiers::NONE);
        let bytes =
            "c4\r\x1b[A\x1b[?6cü\x03\x1bx\x1bOH\x1b[5~\x1b[<0;3;4M\x1b[200~a b\x1b[201~\x1b";
        let click = MouseEvent {
            kind: MouseEventKind::Down(MouseButton::Left),
            column: 2,
            row: 3,
            modifiers: KeyModifiers::NONE,
        };
        let expected = [
            plain(KeyCode::Char('c')),
            plain(KeyCode::Char('4')),
            plain(KeyCode::Enter),
            plain(KeyCode::Up),
            Heard::Kind { sixel: false },
            plain(KeyCode::Char('ü')),
            key(KeyCode::Char('c'), KeyModifiers::CONTROL),
            key(KeyCode::Char('x'), KeyModifiers::ALT),
            plain(KeyCode::Home),
            plain(KeyCode::PageUp),
            Heard::Key(Event::Mouse(click)),
            Heard::Key(Event::Paste("a b".into())),
            plain(KeyCode::Esc),
        ];
        assert_eq!(heard(bytes.as_bytes()), expected);
    }

    #[test]
    fn half_an_answer_waits_for_the_rest() {
        for half in [&b"\x1b"[..], b"\x1b[", b"\x1b[?62", b"\x1b_Gi=31;O", b"\x1b]11;rgb:", b"\xc3"]
        {
            assert_eq!(next(half, false), None, "{half:?}");
        }
    }

    #[test]
    fn no_question_is_asked_that_a_terminal_would_show() {
        let of = |term: &'static str, program: &'static str| {
            questions(move |name| match name {
                "TERM" => Some(term.to_owned()),
                "TERM_PROGRAM" => Some(program.to_owned()),
                _ => None,
            })
        };
        assert!(of("xterm-256color", "").contains("\x1b_G"));
        assert!(!of("tmux-256color", "").contains("\x1b_G"));
        assert!(!of("xterm-256color", "Apple_Terminal").contains("\x1b_G"));
        assert_eq!(of("linux", ""), "");
    }
}
