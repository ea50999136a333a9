//! The effects of messages.

use super::app::{App, Hit, Message, Next, Screen};
use super::menu::Menu;
use super::page::Page;
use super::probe;
use crate::shell::input;
use ratatui::crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};
use std::time::Instant;

pub fn update(app: &mut App, message: Message, now: Instant) {
    app.context.now = now;
    match message {
        Message::Input(Event::Key(key)) if key.kind != KeyEventKind::Release => press(app, key),
        Message::Input(Event::Mouse(mouse)) => click(app, mouse),
        Message::Input(Event::Paste(text)) => paste(app, &text),
        Message::Input(_) | Message::Resized => {
            let driver = probe::font();
            if let Some(graphics) = app.context.look.shows.as_mut().filter(|g| g.driver != driver) {
                (graphics.driver, graphics.font) = (driver, driver.unwrap_or(graphics.font));
            }
        }
        Message::Graphics(graphics) => app.context.look.shows = Some(graphics),
        Message::Background(rgb) => app.context.look.learn(rgb),
        Message::Opened(Ok(opened)) => app.go(Next::Online(opened)),
        Message::End => app.quit = true,
        Message::Suspend => app.go(Next::Suspend),
        message => match (&mut app.screen, message) {
            (Screen::Play(play), message) => {
                let next = play.receive(message, &mut app.context);
                app.go(next);
            }
            (Screen::Setup(setup), Message::Opened(Err(why))) => setup.refused(why),
            _ => {}
        },
    }
}

fn press(app: &mut App, mut key: KeyEvent) {
    let is_typing = app.page.is_none() && app.screen.field().is_some();
    if !is_typing && !key.modifiers.contains(KeyModifiers::CONTROL) {
        key.code = app.context.config.key(key.code);
    }
    obey(app, key);
}

/// Executes a key, which the user's key bindings have been applied to.
fn obey(app: &mut App, key: KeyEvent) {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        match key.code {
            KeyCode::Char('c') => app.go(Next::Quit),
            KeyCode::Char('z') => app.go(Next::Suspend),
            // Only a line of text has other control keys.
            _ if app.page.is_none() && app.screen.field().is_some() => {
                return to_screen(app, key);
            }
            _ => {}
        }
        return;
    }
    if let Some(page) = &mut app.page {
        if page.key(key) {
            app.page = None;
        }
        return;
    }
    to_screen(app, key);
}

fn to_screen(app: &mut App, key: KeyEvent) {
    if matches!(key.code, KeyCode::Char('?') | KeyCode::F(1)) && app.screen.field().is_none() {
        return app.go(Next::Page(Page::keys(app.screen.topic())));
    }
    let context = &mut app.context;
    let next = match &mut app.screen {
        Screen::Menu(menu) => menu.key(key, context),
        Screen::Setup(setup) => setup.key(key, context),
        Screen::Editor(editor) => editor.key(key, context),
        Screen::Library(library) => library.key(key, context),
        Screen::Lessons(lessons) => lessons.key(key, context),
        Screen::Puzzles(puzzles) => puzzles.key(key, context),
        Screen::Settings(settings) => settings.key(key, context),
        Screen::Play(play) => play.key(key, context),
    };
    app.go(next);
}

/// Pasted text is typed into a line of text; elsewhere it is opened as a position or a record.
fn paste(app: &mut App, text: &str) {
    app.page = None;
    let entry = match &mut app.screen {
        Screen::Play(play) => {
            if play.paste(text) {
                return;
            }
            Some(play.sitting.entry)
        }
        Screen::Setup(setup) => {
            if let Some(field) = setup.field() {
                return field.paste(text);
            }
            Some(setup.entry)
        }
        Screen::Library(library) => {
            if library.paste(text) {
                return;
            }
            None
        }
        Screen::Editor(editor) => {
            let pasted = input::pasted(text, Some(editor.entry()));
            return editor.paste(pasted);
        }
        _ => None,
    };
    match (input::pasted(text, entry), &mut app.screen) {
        (Ok(sitting), _) => app.go(Next::Play(Box::new(sitting), None)),
        (Err(why), Screen::Play(play)) => play.refuse_paste(&why),
        (Err(why), _) => app.screen = Screen::Menu(Menu::new(&app.context, Some(why))),
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
    if let (Some(scrolled @ (KeyCode::Up | KeyCode::Down)), true) = (code, app.page.is_none()) {
        match &mut app.screen {
            Screen::Play(play) => return play.wheel(scrolled == KeyCode::Up, &mut app.context),
            Screen::Editor(_) => return,
            _ => {}
        }
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
        return obey(app, KeyEvent::new(code, KeyModifiers::NONE));
    }
    if app.page.is_some() {
        return;
    }
    let context = &mut app.context;
    let next = match (&mut app.screen, hit) {
        (Screen::Menu(menu), Hit::Row(row)) => menu.click(row, context),
        (Screen::Setup(setup), Hit::Row(row)) => setup.click(row, context),
        (Screen::Library(library), Hit::Row(row)) => library.click(row, context),
        (Screen::Settings(settings), Hit::Row(row)) => settings.click(row, context),
        (Screen::Lessons(lessons), Hit::Row(row)) => lessons.click(row),
        (Screen::Puzzles(puzzles), Hit::Row(row)) => puzzles.click(row),
        (Screen::Editor(editor), hit) => editor.click(hit),
        (Screen::Play(play), hit) => play.click(hit, context),
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
        play.drop_on(cell, &mut app.context);
    }
}
