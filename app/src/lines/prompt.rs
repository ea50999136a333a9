//! A line that is typed on a terminal: it can be edited, completed, and taken from earlier ones.
//!
//! As little as possible is written again, because a screen reader reads what is written: a letter at the
//! end of the line is only that letter.

use crate::columns::width;
use ratatui::crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, read};
use ratatui::crossterm::terminal::{disable_raw_mode, enable_raw_mode, size};
use signal_hook::consts::SIGTSTP;
use std::io::{self, IsTerminal, Write};

/// The longest line.
const MOST: usize = 4096;
/// How many lines are remembered.
const MOST_LINES: usize = 500;

/// Whether lines can be edited: on a terminal that can move its cursor.
pub fn can_edit() -> bool {
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    !is_dumb && io::stdin().is_terminal() && io::stdout().is_terminal()
}

/// Lines that were typed before, the latest last.
#[derive(Clone, Debug, Default)]
pub struct Past(pub Vec<String>);

impl Past {
    /// Remembers a line; the same one twice in a row is one.
    pub fn add(&mut self, line: &str) {
        if line.trim().is_empty() || self.0.last().is_some_and(|last| last == line) {
            return;
        }
        self.0.push(line.to_owned());
        let surplus = self.0.len().saturating_sub(MOST_LINES);
        self.0.drain(..surplus);
    }
}

/// A line that is being typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Typed {
    text: Vec<char>,
    at: usize,
    /// Which earlier line is shown, counted from the latest, from 1.
    back: usize,
    /// What was typed before the earlier lines were looked at.
    own: Vec<char>,
}

/// What a key leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Act {
    /// The line has changed.
    Draw,
    /// A letter came at the end.
    Letter(char),
    Complete,
    Done,
    /// The input ends.
    End,
    Suspend,
    Nothing,
}

impl Typed {
    fn key(&mut self, key: KeyEvent, past: &Past) -> Act {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let alt = key.modifiers.contains(KeyModifiers::ALT);
        match key.code {
            KeyCode::Char(c) if control => return self.control(c, past),
            KeyCode::Char('b') if alt => self.at = self.word_before(),
            KeyCode::Char('f') if alt => self.at = self.word_behind(),
            KeyCode::Char(c) if !alt => return self.add(c),
            KeyCode::Left if control => self.at = self.word_before(),
            KeyCode::Right if control => self.at = self.word_behind(),
            KeyCode::Left => self.at = self.at.saturating_sub(1),
            KeyCode::Right => self.at = (self.at + 1).min(self.text.len()),
            KeyCode::Home => self.at = 0,
            KeyCode::End => self.at = self.text.len(),
            KeyCode::Backspace if alt => self.cut(self.word_before(), self.at),
            KeyCode::Backspace => self.cut(self.at.saturating_sub(1), self.at),
            KeyCode::Delete => self.cut(self.at, self.at + 1),
            KeyCode::Up => self.look_back(self.back + 1, past),
            KeyCode::Down => self.look_back(self.back.saturating_sub(1), past),
            KeyCode::Tab => return Act::Complete,
            KeyCode::Enter => return Act::Done,
            _ => return Act::Nothing,
        }
        Act::Draw
    }

    fn control(&mut self, c: char, past: &Past) -> Act {
        match c {
            'a' => self.at = 0,
            'e' => self.at = self.text.len(),
            'b' => self.at = self.at.saturating_sub(1),
            'f' => self.at = (self.at + 1).min(self.text.len()),
            'k' => self.cut(self.at, self.text.len()),
            'u' => self.cut(0, self.at),
            'w' => self.cut(self.word_before(), self.at),
            'h' => self.cut(self.at.saturating_sub(1), self.at),
            'p' => self.look_back(self.back + 1, past),
            'n' => self.look_back(self.back.saturating_sub(1), past),
            // One that was pressed before the line was there arrives as a null.
            'd' | ' ' if self.text.is_empty() => return Act::End,
            'd' => self.cut(self.at, self.at + 1),
            'c' => return Act::End,
            'z' => return Act::Suspend,
            'j' | 'm' => return Act::Done,
            'l' => {}
            _ => return Act::Nothing,
        }
        Act::Draw
    }

    fn add(&mut self, c: char) -> Act {
        if c.is_control() || self.text.len() >= MOST {
            return Act::Nothing;
        }
        self.text.insert(self.at, c);
        self.at += 1;
        if self.at == self.text.len() { Act::Letter(c) } else { Act::Draw }
    }

    fn cut(&mut self, from: usize, to: usize) {
        self.text.drain(from..to.min(self.text.len()));
        self.at = from;
    }

    fn word_before(&self) -> usize {
        let before = self.text.get(..self.at).unwrap_or_default();
        let end = before.iter().rposition(|c| !c.is_whitespace()).map_or(0, |at| at + 1);
        before[..end].iter().rposition(|c| c.is_whitespace()).map_or(0, |at| at + 1)
    }

    fn word_behind(&self) -> usize {
        let mut at = self.at;
        while self.text.get(at).is_some_and(|c| c.is_whitespace()) {
            at += 1;
        }
        while self.text.get(at).is_some_and(|c| !c.is_whitespace()) {
            at += 1;
        }
        at
    }

    fn look_back(&mut self, back: usize, past: &Past) {
        let back = back.min(past.0.len());
        if self.back == 0 {
            self.own.clone_from(&self.text);
        }
        self.back = back;
        self.text = match past.0.len().checked_sub(back).and_then(|at| past.0.get(at)) {
            Some(line) if back > 0 => line.chars().collect(),
            _ => self.own.clone(),
        };
        self.at = self.text.len();
    }

    /// Adds what all words that fit have in common, and gives them if there is nothing to add.
    fn complete(&mut self, words: &[String]) -> Vec<String> {
        let typed: String = self.text.iter().collect::<String>().to_lowercase();
        let fitting: Vec<_> = words.iter().filter(|word| word.starts_with(&typed)).collect();
        let Some(first) = fitting.first() else { return Vec::new() };
        let same =
            |word: &&&String| first.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
        let length = fitting.iter().map(|word| same(&word)).min().unwrap_or(0);
        if length > typed.chars().count() {
            self.text = first.chars().take(length).collect();
            self.at = self.text.len();
            return Vec::new();
        }
        if fitting.len() > 1 { fitting.into_iter().cloned().collect() } else { Vec::new() }
    }

    /// The line as it is drawn in this many columns, and the column of the cursor: where it does not fit, the
    /// part around the cursor.
    fn shown(&self, columns: usize) -> (String, usize) {
        let mut first = 0;
        let part = |from: usize, to: usize| -> String {
            self.text.get(from..to).unwrap_or_default().iter().collect()
        };
        while width(&part(first, self.at)) + 1 > columns.max(2) {
            first += 1;
        }
        let mut last = self.text.len();
        while width(&part(first, last)) + 1 > columns.max(2) {
            last -= 1;
        }
        (part(first, last), width(&part(first, self.at)))
    }
}

/// Raw mode, which ends with this.
struct Raw;

impl Raw {
    fn begin() -> io::Result<Raw> {
        enable_raw_mode().map(|()| Raw)
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = disable_raw_mode();
    }
}

/// Asks on the terminal; nothing when the input has ended. `words` are what Tab completes.
pub fn ask(
    prompt: &str,
    past: &mut Past,
    words: &dyn Fn() -> Vec<String>,
) -> io::Result<Option<String>> {
    let mut out = io::stdout();
    let mut typed = Typed::default();
    let mut raw = Some(Raw::begin()?);
    write!(out, "{prompt} ")?;
    out.flush()?;
    loop {
        let key = match read()? {
            Event::Key(key) if key.kind != KeyEventKind::Release => key,
            Event::Resize(..) => {
                draw(prompt, &typed)?;
                continue;
            }
            _ => continue,
        };
        match typed.key(key, past) {
            Act::Nothing => {}
            Act::Letter(c) if room(prompt) > width(&typed.text.iter().collect::<String>()) + 1 => {
                write!(out, "{c}")?;
                out.flush()?;
            }
            Act::Letter(_) | Act::Draw => draw(prompt, &typed)?,
            Act::Complete => {
                let several = typed.complete(&words());
                if !several.is_empty() {
                    write!(out, "\r\n")?;
                    for row in several.chunks(8) {
                        write!(out, "  {}\r\n", row.join(" "))?;
                    }
                }
                draw(prompt, &typed)?;
            }
            Act::Suspend => {
                drop(raw.take());
                signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
                raw = Some(Raw::begin()?);
                draw(prompt, &typed)?;
            }
            act @ (Act::Done | Act::End) => {
                drop(raw.take());
                writeln!(out)?;
                let line: String = typed.text.iter().collect();
                past.add(&line);
                return Ok((act == Act::Done).then_some(line));
            }
        }
    }
}

/// How many columns there are behind the prompt.
fn room(prompt: &str) -> usize {
    let columns = size().map_or(80, |(columns, _)| usize::from(columns));
    columns.saturating_sub(width(prompt) + 1)
}

/// Writes the whole line again.
fn draw(prompt: &str, typed: &Typed) -> io::Result<()> {
    let (shown, column) = typed.shown(room(prompt));
    let mut out = io::stdout();
    let to = width(prompt) + 1 + column;
    write!(out, "\r\x1b[K{prompt} {shown}\r\x1b[{to}C")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Presses keys: characters, `^x` with Ctrl, and names such as `<Up>`.
    fn press(typed: &mut Typed, keys: &str, past: &Past) -> Act {
        let mut act = Act::Nothing;
        let mut rest = keys.chars();
        while let Some(c) = rest.next() {
            let key = match c {
                '^' => KeyEvent::new(KeyCode::Char(rest.next().unwrap()), KeyModifiers::CONTROL),
                '<' => {
                    let name: String = rest.by_ref().take_while(|c| *c != '>').collect();
                    let code = match name.as_str() {
                        "Up" => KeyCode::Up,
                        "Down" => KeyCode::Down,
                        "Left" => KeyCode::Left,
                        "Home" => KeyCode::Home,
                        "Back" => KeyCode::Backspace,
                        other => panic!("no key {other}"),
                    };
                    KeyEvent::new(code, KeyModifiers::NONE)
                }
                c => KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE),
            };
            act = typed.key(key, past);
        }
        act
    }

    fn line(keys: &str, past: &[&str]) -> String {
        let past = Past(past.iter().map(|line| (*line).to_owned()).collect());
        let mut typed = Typed::default();
        press(&mut typed, keys, &past);
        typed.text.iter().collect()
    }

    #[test]
    fn a_line_is_edited_where_the_cursor_is() {
        assert_eq!(line("c4<Left><Back>d", &[]), "d4");
        assert_eq!(line("puzzle gekitai^wjeson", &[]), "puzzle jeson");
        assert_eq!(line("moves c4^asee ^k", &[]), "see ");
        assert_eq!(line("moves^bx^uy", &[]), "ys");
        assert_eq!(line("<Home><Back>^d", &[]), "");
    }

    #[test]
    fn earlier_lines_come_back_and_what_was_typed_is_not_lost() {
        let past = ["moves", "c4"];
        assert_eq!(line("<Up>", &past), "c4");
        assert_eq!(line("d<Up><Up><Up>", &past), "moves");
        assert_eq!(line("d<Up><Up><Down><Down><Down>", &past), "d");
        let mut kept = Past::default();
        for line in ["c4", "c4", "  ", "d4"] {
            kept.add(line);
        }
        assert_eq!(kept.0, ["c4", "d4"]);
    }

    #[test]
    fn the_end_of_the_input_is_told_from_an_empty_line() {
        let none = Past::default();
        assert_eq!(press(&mut Typed::default(), "^d", &none), Act::End);
        assert_eq!(press(&mut Typed::default(), "c^d", &none), Act::Draw);
        assert_eq!(press(&mut Typed::default(), "c^c", &none), Act::End);
        assert_eq!(press(&mut Typed::default(), "c4", &none), Act::Letter('4'));
    }

    #[test]
    fn words_are_completed_as_far_as_they_agree() {
        let words = ["hint", "history", "help"].map(String::from);
        let complete = |text: &str| {
            let mut typed = Typed { text: text.chars().collect(), ..Typed::default() };
            let several = typed.complete(&words);
            (typed.text.iter().collect::<String>(), several.len())
        };
        assert_eq!(complete("hi"), ("hi".into(), 2));
        assert_eq!(complete("HIS"), ("history".into(), 0));
        assert_eq!(complete("x"), ("x".into(), 0));
    }

    #[test]
    fn a_long_line_is_shown_around_the_cursor_in_columns() {
        let mut typed = Typed { text: "龍".repeat(20).chars().collect(), ..Typed::default() };
        for at in 0..=20 {
            typed.at = at;
            let (shown, column) = typed.shown(10);
            assert!(width(&shown) < 10 && column < 10, "{at}: {shown} {column}");
        }
    }
}
