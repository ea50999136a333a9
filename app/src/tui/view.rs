//! Drawing: one function from the state to a frame, and what several screens use.

use super::app::{App, Context, Hit, Hits, Screen};
use super::look::Look;
use crate::config::key_named;
use crate::output::columns;
pub use crate::output::columns::wrapped;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The smallest window that everything fits into.
pub const SMALLEST: (u16, u16) = (60, 20);

pub fn view(app: &App, frame: &mut Frame) {
    app.hits.clear();
    let look = &app.context.look;
    let area = frame.area();
    if area.width < SMALLEST.0 || area.height < SMALLEST.1 {
        return too_small(frame, look);
    }
    if let Some(page) = &app.page {
        return page.view(&app.context, frame, &app.hits);
    }
    match &app.screen {
        Screen::Menu(menu) => menu.view(&app.context, frame, &app.hits),
        Screen::Setup(setup) => setup.view(&app.context, frame, &app.hits),
        Screen::Editor(editor) => editor.view(&app.context, frame, &app.hits),
        Screen::Library(library) => library.view(&app.context, frame, &app.hits),
        Screen::Lessons(lessons) => lessons.view(&app.context, frame, &app.hits),
        Screen::Puzzles(puzzles) => puzzles.view(&app.context, frame, &app.hits),
        Screen::Settings(settings) => settings.view(&app.context, frame, &app.hits),
        Screen::Play(play) => play.view(&app.context, frame, &app.hits),
    }
}

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
        // A style of the line itself would be that of the whole row, title included.
        let end = Span::styled(format!("{end}  "), look.soft());
        frame.render_widget(Line::from(end).right_aligned(), row);
    }
}

/// The last row: which key does what, as many as fit; each can be clicked.
pub fn keys(frame: &mut Frame, context: &Context, keys: &[(&str, &str)], hits: &Hits) {
    let (look, config) = (&context.look, &context.config);
    let area = Rect { y: frame.area().bottom().saturating_sub(1), height: 1, ..frame.area() };
    let mut x = area.x + 2;
    let shown = |key: &str| match (key, look.sign("u", "a")) {
        ("↑ ↓", "a") => "up down".to_owned(),
        ("← →", "a") => "left right".to_owned(),
        (key, _) => config.shown(key),
    };
    let mut keys: Vec<_> =
        keys.iter().map(|(key, does)| (shown(key), *does, key_named(key))).collect();
    let taken = |(key, does, _): &(String, &str, _)| columns::width(key) + columns::width(does) + 4;
    // The last two lead out and to help: nobody should have to remember these.
    while keys.len() > 3 && keys.iter().map(taken).sum::<usize>() > usize::from(area.width) {
        keys.remove(keys.len() - 3);
    }
    for (key, does, code) in keys {
        let width = (columns::width(&key) + 1 + columns::width(does)) as u16;
        if x + width > area.right() {
            break;
        }
        let buffer = frame.buffer_mut();
        let (after, _) = buffer.set_stringn(x, area.y, key, usize::from(area.width), look.accent());
        buffer.set_stringn(after + 1, area.y, does, usize::from(area.width), look.soft());
        if let Some(code) = code {
            hits.add(Rect::new(x, area.y, width, 1), Hit::Key(code));
        }
        x += width + 3;
    }
}

/// Writes texts below each other, each broken to the width of the area; what does not fit is left out.
pub fn paragraphs(frame: &mut Frame, area: Rect, texts: &[(String, Style)]) {
    let width = usize::from(area.width);
    let lines = texts
        .iter()
        .flat_map(|(text, style)| wrapped(text, width).into_iter().map(move |line| (line, *style)));
    for (y, (line, style)) in (area.y..area.bottom()).zip(lines) {
        frame.buffer_mut().set_stringn(area.x, y, line, width, style);
    }
}

/// A text cut to a width, with a sign where something is missing.
pub fn cut(text: &str, width: usize, look: &Look) -> String {
    columns::cut(text, width, look.sign("…", "~"))
}
