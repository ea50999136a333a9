//! What a message changes.

use super::app::{App, Hit, Message, Next, Screen, Shown};
use super::menu::Menu;
use crate::input;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use std::time::Instant;

/// Applies a message to the state.
pub fn update(app: &mut App, message: Message, now: Instant) {
    app.shared.now = now;
    match message {
        Message::Input(Event::Key(key)) if key.kind != KeyEventKind::Release => press(app, key),
        Message::Input(Event::Mouse(mouse)) => click(app, mouse),
        Message::Input(Event::Paste(text)) => paste(app, &text),
        Message::Input(_) | Message::Resized => {
            if let Some(picture) = &mut app.picture {
                picture.state = Shown::Due;
            }
        }
        Message::Work(report) => {
            if let Screen::Play(play) = &mut app.screen {
                play.hear(report, &mut app.shared);
            }
        }
        Message::Net(news) => {
            if let Screen::Play(play) = &mut app.screen {
                let next = play.hear_line(news, &mut app.shared);
                app.go(next);
            }
        }
        Message::Opened(Ok(opened)) => app.go(Next::Online(opened)),
        Message::Opened(Err(trouble)) => {
            if let Screen::Play(play) = &mut app.screen {
                play.warn_of(&trouble);
            }
        }
        Message::Tick => {
            if let Screen::Play(play) = &mut app.screen {
                play.tick(&mut app.shared);
            }
        }
        Message::End => app.quit = true,
        Message::Suspend => app.go(Next::Suspend),
    }
}

fn press(app: &mut App, key: KeyEvent) {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        match key.code {
            KeyCode::Char('c') => app.go(Next::Quit),
            KeyCode::Char('z') => app.go(Next::Suspend),
            _ => {}
        }
        return;
    }
    if let Some(picture) = &mut app.picture {
        picture.state = Shown::Over;
        return;
    }
    if let Some(page) = &mut app.page {
        if page.key(key) {
            app.page = None;
        }
        return;
    }
    let shared = &mut app.shared;
    let next = match &mut app.screen {
        Screen::Menu(menu) => menu.key(key, shared),
        Screen::Setup(setup) => setup.key(key, shared),
        Screen::Editor(editor) => editor.key(key, shared),
        Screen::Library(library) => library.key(key, shared),
        Screen::Puzzles(puzzles) => puzzles.key(key, shared),
        Screen::Settings(settings) => settings.key(key, shared),
        Screen::Play(play) => play.key(key, shared),
    };
    app.go(next);
}

/// What is pasted into a line is typed there; elsewhere a position or a record is opened.
fn paste(app: &mut App, text: &str) {
    app.page = None;
    let entry = match &mut app.screen {
        Screen::Play(play) => {
            if play.paste(text) {
                return;
            }
            Some(play.table.entry)
        }
        Screen::Setup(setup) => Some(setup.entry),
        Screen::Editor(editor) => {
            let pasted = input::pasted(text, Some(editor.entry()));
            return editor.paste(pasted);
        }
        _ => None,
    };
    match (input::pasted(text, entry), &mut app.screen) {
        (Ok(table), _) => app.go(Next::Play(Box::new(table), None)),
        (Err(why), Screen::Play(play)) => play.refuse_paste(&why),
        (Err(why), _) => app.screen = Screen::Menu(Menu::new(&app.shared, Some(why))),
    }
}

fn click(app: &mut App, mouse: MouseEvent) {
    let at = app.hits.at(mouse.column, mouse.row);
    let code = match mouse.kind {
        MouseEventKind::ScrollUp => Some(KeyCode::Up),
        MouseEventKind::ScrollDown => Some(KeyCode::Down),
        MouseEventKind::Down(MouseButton::Right) => match (&mut app.screen, at) {
            (Screen::Editor(editor), Some(Hit::Cell(cell))) if app.page.is_none() => {
                return editor.wipe(cell);
            }
            _ => Some(KeyCode::Esc),
        },
        MouseEventKind::Down(MouseButton::Left) => None,
        MouseEventKind::Up(MouseButton::Left) => return drop_piece(app, mouse),
        _ => return,
    };
    let scrolls = matches!(code, Some(KeyCode::Up | KeyCode::Down));
    if scrolls && app.page.is_none() && matches!(app.screen, Screen::Play(_) | Screen::Editor(_)) {
        return;
    }
    let hit = match code {
        Some(code) => Some(Hit::Key(code)),
        None => at,
    };
    let Some(hit) = hit else { return };
    if let Hit::Cell(cell) = hit {
        app.pressed = Some(cell);
    }
    if let Hit::Key(code) = hit {
        return press(app, KeyEvent::new(code, KeyModifiers::NONE));
    }
    if app.page.is_some() {
        return;
    }
    let shared = &mut app.shared;
    let next = match (&mut app.screen, hit) {
        (Screen::Menu(menu), Hit::Row(row)) => menu.click(row, shared),
        (Screen::Setup(setup), Hit::Row(row)) => setup.click(row, shared),
        (Screen::Library(library), Hit::Row(row)) => library.click(row, shared),
        (Screen::Settings(settings), Hit::Row(row)) => settings.click(row, shared),
        (Screen::Puzzles(puzzles), Hit::Row(row)) => puzzles.click(row),
        (Screen::Editor(editor), hit) => editor.click(hit),
        (Screen::Play(play), hit) => play.click(hit, shared),
        _ => Next::Stay,
    };
    app.go(next);
}

/// A dragged piece goes to where the button is released; a click releases it where it went down.
fn drop_piece(app: &mut App, mouse: MouseEvent) {
    let Some(from) = app.pressed.take() else { return };
    let to = app.hits.at(mouse.column, mouse.row);
    if let (Screen::Play(play), Some(Hit::Cell(cell))) = (&mut app.screen, to)
        && cell != from
        && app.page.is_none()
    {
        play.drop_on(cell, &mut app.shared);
    }
}
