//! Pages of text to scroll through: the rules, the keys.

use super::app::{Context, Hit, Hits};
use super::help::{self, Topic};
use super::look::Look;
use super::view::{keys, title};
use crate::output::pages;
use engine::Entry;
use ratatui::Frame;
use ratatui::crossterm::event::{KeyCode, KeyEvent};
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::Clear;
use std::cell::Cell;

pub struct Page {
    title: String,
    text: Text,
    top: usize,
    /// How far it can be scrolled; known once it has been drawn.
    last: Cell<usize>,
    height: Cell<usize>,
}

enum Text {
    Lines(Vec<Line<'static>>),
    /// The page of keys, which depends on the room.
    Keys(Topic),
}

/// Wider text is hard to read.
const WIDEST: u16 = 84;

impl Page {
    pub fn new(title: &str, lines: Vec<Line<'static>>) -> Page {
        let (last, height) = (Cell::new(usize::MAX), Cell::new(1));
        Page { title: title.into(), text: Text::Lines(lines), top: 0, last, height }
    }

    pub fn keys(topic: Topic) -> Page {
        let title = if topic == Topic::All { "All keys" } else { "Keys" };
        Page { text: Text::Keys(topic), ..Page::new(title, Vec::new()) }
    }

    pub fn rules(entry: &Entry, look: &Look) -> Page {
        let text = pages::page(entry, look.charset, look.color());
        let title = format!("Rules of {}", entry.info.name);
        Page::new(&title, reflow(&text).iter().map(|line| styled(line)).collect())
    }

    /// Handles a key and returns whether it closes the page.
    pub fn key(&mut self, key: KeyEvent) -> bool {
        let (last, height) = (self.last.get(), self.height.get().max(2) - 1);
        self.top = self.top.min(last);
        self.top = match key.code {
            KeyCode::Char('?') if matches!(self.text, Text::Keys(topic) if topic != Topic::All) => {
                *self = Page::keys(Topic::All);
                0
            }
            KeyCode::Up | KeyCode::Char('k') => self.top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.top.saturating_add(1),
            KeyCode::PageUp | KeyCode::Char('b') => self.top.saturating_sub(height),
            KeyCode::PageDown | KeyCode::Char(' ') => self.top.saturating_add(height),
            KeyCode::Home | KeyCode::Char('g') => 0,
            KeyCode::End | KeyCode::Char('G') => last,
            _ => return true,
        };
        self.top = self.top.min(last);
        false
    }

    pub fn view(&self, context: &Context, frame: &mut Frame, hits: &Hits) {
        let look = &context.look;
        let area = frame.area();
        hits.clear();
        frame.render_widget(Clear, area);
        title(frame, look, &self.title, "");
        let width = area.width.saturating_sub(4).min(WIDEST);
        let left = (area.width - width) / 2;
        let body = Rect::new(left, 2, width, area.height.saturating_sub(4)).intersection(area);
        let room = usize::from(body.width).max(8);
        let lines: Vec<_> = match &self.text {
            Text::Lines(lines) => lines.iter().flat_map(|line| broken(line, room)).collect(),
            Text::Keys(topic) => help::lines(context, room, *topic),
        };
        self.last.set(lines.len().saturating_sub(usize::from(body.height)));
        self.height.set(usize::from(body.height));
        let top = self.top.min(self.last.get());
        for (y, line) in (body.y..body.bottom()).zip(lines.iter().skip(top)) {
            frame.buffer_mut().set_line(body.x, y, line, body.width);
        }
        let more = self.last.get() - top;
        let more = if more > 0 { format!("{more} more lines") } else { String::new() };
        let close = [("Esc", "back"), ("↑ ↓", "scroll"), ("PgDn", "next page")];
        let footer = Rect::new(0, area.height.saturating_sub(1), area.width, 1);
        keys(frame, context, &close, hits);
        let note = Rect::new(left, area.height.saturating_sub(2), width, 1).intersection(area);
        frame.render_widget(Line::from(Span::styled(more, look.soft())).right_aligned(), note);
        hits.add(footer, Hit::Key(KeyCode::Esc));
    }
}

/// Joins the lines of each paragraph, which were broken for another width.
fn reflow(text: &str) -> Vec<String> {
    let is_open = |line: &str| !line.is_empty() && !line.starts_with([' ', '|', '\x1b']);
    let is_item = |line: &str| {
        let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.starts_with("- ") || (number.len() < line.len() && number.starts_with(". "))
    };
    let mut lines: Vec<String> = Vec::new();
    let mut joins = false;
    for line in text.lines() {
        let inner = line.strip_prefix("  ").filter(|rest| joins && !rest.starts_with(' '));
        let goes_on = inner.is_some() || (is_open(line) && !is_item(line));
        match lines.last_mut().filter(|_| joins && goes_on) {
            Some(last) => *last += &format!(" {}", inner.unwrap_or(line)),
            None => lines.push(line.to_owned()),
        }
        joins = is_open(line) || inner.is_some();
    }
    lines
}

/// Breaks a line between words; lines that begin with a blank are drawings and stay whole.
fn broken(line: &Line<'static>, width: usize) -> Vec<Line<'static>> {
    let chars: Vec<(char, Style)> = line
        .spans
        .iter()
        .flat_map(|span| span.content.chars().map(|c| (c, span.style)).collect::<Vec<_>>())
        .collect();
    let indent = match &chars[..] {
        [(' ' | '|', _), ..] => return vec![line.clone()],
        [('-', _), (' ', _), ..] => 2,
        _ => 0,
    };
    let mut lines = Vec::new();
    let mut rest = &chars[..];
    loop {
        let indent = if lines.is_empty() { 0 } else { indent };
        let room = width - indent;
        let mut end = rest.len().min(room);
        if rest.len() > room {
            let blank = rest.iter().take(room + 1).rposition(|(c, _)| *c == ' ');
            end = blank.filter(|at| *at > 0).unwrap_or(room);
        }
        let (now, later) = rest.split_at(end);
        let blank = " ".repeat(indent);
        let spans = now.iter().map(|(c, style)| Span::styled(c.to_string(), *style));
        lines.push(Line::from_iter(std::iter::once(Span::raw(blank)).chain(spans)));
        rest = later
            .strip_prefix(&[(' ', later.first().map_or(Style::new(), |c| c.1))])
            .unwrap_or(later);
        if rest.is_empty() {
            return lines;
        }
    }
}

/// A line with escape sequences as a line with styles.
fn styled(line: &str) -> Line<'static> {
    let mut spans = Vec::new();
    let mut style = Style::new();
    for (i, part) in line.split("\x1b[").enumerate() {
        let text = match part.split_once('m').filter(|_| i > 0) {
            Some((codes, text)) => {
                style = restyle(style, codes);
                text
            }
            None => part,
        };
        if !text.is_empty() {
            spans.push(Span::styled(text.to_owned(), style));
        }
    }
    Line::from(spans)
}

fn restyle(mut style: Style, codes: &str) -> Style {
    let mut codes = codes.split(';').map(|code| code.parse::<u8>().unwrap_or(0));
    while let Some(code) = codes.next() {
        style = match code {
            1 => style.add_modifier(Modifier::BOLD),
            36 => style.fg(Color::Indexed(36)),
            38 => style.fg(Color::Indexed(codes.nth(1).unwrap_or(7))),
            48 => style.bg(Color::Indexed(codes.nth(1).unwrap_or(0))),
            _ => Style::new(),
        };
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_are_joined_and_lists_are_not() {
        let text = "one\ntwo\n\n- first\n  goes on\n- second\n1. third\n    drawn\nafter";
        let expected =
            ["one two", "", "- first goes on", "- second", "1. third", "    drawn", "after"];
        assert_eq!(reflow(text), expected);
    }

    #[test]
    fn lines_are_broken_between_words() {
        let texts = |text: &str| -> Vec<String> {
            let lines = broken(&Line::from(text.to_owned()), 10);
            lines.iter().map(Line::to_string).collect()
        };
        assert_eq!(texts("- one two three four"), ["- one two", "  three", "  four"]);
        assert_eq!(texts("abcdefghijklm"), ["abcdefghij", "klm"]);
        assert_eq!(texts("  drawn as it is"), ["  drawn as it is"]);
        assert_eq!(texts(""), [""]);
    }

    #[test]
    fn escape_sequences_become_styles() {
        let line = styled("a\x1b[1mb\x1b[0mc\x1b[0;38;5;7;48;5;9md");
        let texts: Vec<_> = line.spans.iter().map(|span| span.content.as_ref()).collect();
        assert_eq!(texts, ["a", "b", "c", "d"]);
        assert_eq!(line.spans[1].style, Style::new().add_modifier(Modifier::BOLD));
        assert_eq!(line.spans[2].style, Style::new());
        let colours = Style::new().fg(Color::Indexed(7)).bg(Color::Indexed(9));
        assert_eq!(line.spans[3].style, colours);
    }
}
