//! Drawing: one function from the state to a frame, and what several screens use.

use super::app::{App, Hit, Hits, Screen};
use super::look::Look;
use crate::columns;
pub use crate::columns::wrapped;
use ratatui::Frame;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// The smallest window that everything fits into.
pub const SMALLEST: (u16, u16) = (60, 20);

pub fn view(app: &App, frame: &mut Frame) {
    app.hits.clear();
    let look = &app.shared.look;
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        return too_small(frame, look);
    }
    if let Some(page) = &app.page {
        return page.view(look, frame, &app.hits);
    }
    match &app.screen {
        Screen::Menu(menu) => menu.view(&app.shared, frame, &app.hits),
        Screen::Setup(setup) => setup.view(&app.shared, frame, &app.hits),
        Screen::Library(library) => library.view(&app.shared, frame, &app.hits),
        Screen::Puzzles(puzzles) => puzzles.view(&app.shared, frame, &app.hits),
        Screen::Settings(settings) => settings.view(&app.shared, frame, &app.hits),
        Screen::Play(play) => play.view(&app.shared, frame, &app.hits),
    }
}

/// Says that the window is too small, in as many words as fit.
fn too_small(frame: &mut Frame, look: &Look) {
    let area = frame.area();
    let (width, height) = SMALLEST;
    let all = [
        format!("This window is too small: please make it {width} by {height} or more. q leaves."),
        format!("needs {width} by {height}"),
        format!("{width}x{height}"),
    ];
    let broken = all.iter().map(|words| columns::wrapped(words, usize::from(area.width)));
    let fits = |lines: &Vec<String>| {
        lines.len() <= usize::from(area.height)
            && lines.iter().all(|line| columns::width(line) <= usize::from(area.width))
    };
    let Some(lines) = broken.into_iter().find(fits) else { return };
    for (y, line) in (area.y..area.bottom()).zip(lines) {
        frame.buffer_mut().set_stringn(area.x, y, line, usize::from(area.width), look.warning());
    }
}

/// The first row: a title on the left, a remark on the right.
pub fn title(frame: &mut Frame, look: &Look, words: &str, end: &str) {
    let row = Rect { height: 1, ..frame.area() };
    // The title comes first; the remark gets what is left.
    let room = usize::from(row.width).saturating_sub(columns::width(words) + 6);
    let end = cut(end, room, look);
    let line = Line::from(vec![Span::raw("  "), Span::styled(words.to_owned(), look.strong())]);
    frame.render_widget(line, row);
    if !end.is_empty() {
        frame.render_widget(Line::styled(format!("{end}  "), look.soft()).right_aligned(), row);
    }
}

/// A row that says which key does what, as many as fit; each can be clicked.
pub fn keys(frame: &mut Frame, look: &Look, area: Rect, keys: &[(&str, &str)], hits: &Hits) {
    let mut x = area.x + 2;
    let mut keys: Vec<(&str, &str)> = keys
        .iter()
        .map(|(key, does)| match (*key, look.sign("u", "a")) {
            ("↑ ↓", "a") => ("up down", *does),
            ("← →", "a") => ("left right", *does),
            (key, _) => (key, *does),
        })
        .collect();
    let taken = |(key, does): &(&str, &str)| columns::width(key) + columns::width(does) + 4;
    // The last two, which lead out and to help, are the ones that nobody should have to know.
    while keys.len() > 3 && keys.iter().map(taken).sum::<usize>() > usize::from(area.width) {
        keys.remove(keys.len() - 3);
    }
    for (key, does) in keys {
        let width = (columns::width(key) + 1 + columns::width(does)) as u16;
        if x + width > area.right() {
            break;
        }
        let buffer = frame.buffer_mut();
        let (after, _) = buffer.set_stringn(x, area.y, key, usize::from(area.width), look.accent());
        buffer.set_stringn(after + 1, area.y, does, usize::from(area.width), look.soft());
        if let Some(code) = code(key) {
            hits.add(Rect::new(x, area.y, width, 1), Hit::Key(code));
        }
        x += width + 3;
    }
}

fn code(key: &str) -> Option<KeyCode> {
    match key {
        "Esc" => Some(KeyCode::Esc),
        "Enter" => Some(KeyCode::Enter),
        "Tab" => Some(KeyCode::Tab),
        "PgDn" => Some(KeyCode::PageDown),
        "space" => Some(KeyCode::Char(' ')),
        key if key.chars().count() == 1 => key.chars().next().map(KeyCode::Char),
        _ => None,
    }
}

/// A list, scrolled so that the chosen row is visible; each row can be clicked.
pub fn list(
    frame: &mut Frame,
    look: &Look,
    area: Rect,
    (rows, chosen): (&[Line<'static>], usize),
    hits: &Hits,
) {
    let room = usize::from(area.height);
    let top = (chosen + 1).saturating_sub(room);
    for (y, (number, row)) in (area.y..area.bottom()).zip(rows.iter().enumerate().skip(top)) {
        let place = Rect::new(area.x, y, area.width, 1);
        let buffer = frame.buffer_mut();
        buffer.set_line(place.x, y, row, place.width);
        if number == chosen {
            buffer.set_style(place, look.chosen());
        }
        hits.add(place, Hit::Row(number));
    }
}

/// A text cut to a width, with a sign where something is missing.
pub fn cut(text: &str, width: usize, look: &Look) -> String {
    columns::cut(text, width, look.sign("…", "~"))
}
