//! The game on the whole screen: one channel of messages, one update, one view.
//!
//! `app` holds the state, `update` changes it, `view` draws it; each screen is a file, and the game itself the
//! folder `play`. It plays a `sitting` or an `online` game and keeps it in `saves`; it knows nothing of `lines`.

mod answers;
mod app;
mod board;
mod cursor;
mod editor;
mod field;
mod form;
mod help;
mod invite;
mod lessons;
mod library;
mod list;
mod live;
mod look;
mod menu;
mod page;
mod picker;
mod play;
mod probe;
mod puzzles;
mod settings;
mod setup;
mod terminal;
#[cfg(test)]
mod tests;
mod update;
mod view;

use crate::commands::play::PlayArgs;
use crate::online;
use crate::output::blocks::Blocks;
use crate::saves::Saves;
use crate::shell::failure::Failure;
use crate::sitting::work::Worker;
use answers::{Answers, Heard};
pub use app::Next;
use app::{App, Context, Message};
use look::Look;
use ratatui::crossterm::event::{self, Event, MouseEventKind};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Instant;
use terminal::TakenTerminal;

/// The names of what boards can be drawn with.
pub fn block_names() -> Vec<&'static str> {
    Blocks::ALL.map(Blocks::name).into_iter().chain([look::PICTURE, look::LINES]).collect()
}

/// Plays on the terminal, starting on this screen.
pub fn run(args: &PlayArgs, saves: Saves, first: Next) -> Result<(), Failure> {
    let (send, receive) = channel();
    let (mut choices, trouble) = match saves.choices() {
        Ok(choices) => (choices, None),
        Err(trouble) => (Default::default(), Some(trouble)),
    };
    let reports = send.clone();
    let worker = Worker::new(args.seed, move |report| {
        // The receiver is gone when the program ends.
        let _ = reports.send(Message::Work(report));
    });
    choices.override_with(&args.config, args.wait);
    let mut look = Look { accent: args.config.accent, ..Look::of_terminal(args.ascii) };
    let mut wanted = choices.clone();
    if let Some(theme) = args.theme {
        wanted.theme = theme.name().to_owned();
    }
    if let Some(blocks) = &args.blocks {
        wanted.blocks.clone_from(blocks);
    }
    look.choose(&wanted);
    let context = Context {
        games: engine::GAMES,
        config: args.config.clone(),
        look,
        saves,
        choices,
        remembers: trouble.is_none(),
        worker,
        net: Some(send.clone()),
        now: Instant::now(),
    };
    let mut app = App::new(context, trouble);
    app.go(first);
    // Before the terminal is taken over: a signal in between would leave it as it is.
    terminal::listen_to_signals(send.clone())?;
    let mut terminal = TakenTerminal::open()?;
    if app.context.look.color() {
        terminal.ask(&probe::questions(|name| std::env::var(name).ok()))?;
    }
    listen_to_keys(send);
    turn(&mut app, &mut terminal, &receive)?;
    drop(terminal);
    settle(&mut app, &receive);
    match online::lost(&app.abandoned, &[]) {
        Some(lost) => Err(anyhow::anyhow!(lost).into()),
        None => Ok(()),
    }
}

/// After a signal, without asking: waits for the server to acknowledge what was played.
fn settle(app: &mut App, messages: &Receiver<Message>) {
    if !app.abandoned.is_empty() || app.unsent().is_empty() {
        return;
    }
    // Standard error may be closed.
    let _ = writeln!(
        io::stderr(),
        "quadrille: waiting for the server to acknowledge {}",
        app.unsent().join(", ")
    );
    let until = Instant::now() + online::PATIENCE;
    let mut ends = 0;
    while !app.unsent().is_empty() && ends < 2 {
        match messages.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message @ Message::Net(_)) => update::update(app, message, Instant::now()),
            // The thread that reads keys says the same when the terminal is gone.
            Ok(Message::End) => ends += 1,
            Ok(_) => {}
            Err(_) => break,
        }
    }
    app.abandoned = app.unsent();
    app.put_off();
}

/// Reads the terminal in a thread of its own.
fn listen_to_keys(send: Sender<Message>) {
    let mut answers = Answers::default();
    std::thread::spawn(move || {
        probe::listen(&send);
        loop {
            let heard = match event::read() {
                // Mouse movement means nothing, but would redraw everything.
                Ok(Event::Mouse(mouse)) if mouse.kind == MouseEventKind::Moved => continue,
                Ok(event) => answers.hear(event),
                Err(_) => return drop(send.send(Message::End)),
            };
            let messages = match heard {
                Heard::Nothing => Vec::new(),
                Heard::Background(rgb) => vec![Message::Background(rgb)],
                Heard::Events(events) => events.into_iter().map(Message::Input).collect(),
            };
            if messages.into_iter().any(|message| send.send(message).is_err()) {
                return;
            }
        }
    });
}

/// Draws, waits for a message, applies it, and repeats.
fn turn(
    app: &mut App,
    terminal: &mut TakenTerminal,
    messages: &Receiver<Message>,
) -> Result<(), Failure> {
    while !app.quit {
        app.context.now = Instant::now();
        terminal.draw(|frame| {
            view::view(app, frame);
            Some(app.context.look.graphics()?.protocol).zip(app.hits.shown())
        })?;
        if let Some(text) = app.copied.take() {
            terminal.copy(&text)?;
        }
        terminal.call(&app.title(), app.take_call())?;
        let message = match app.next_tick(app.context.now) {
            Some(pause) => match messages.recv_timeout(pause) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => Message::Tick,
                Err(RecvTimeoutError::Disconnected) => Message::End,
            },
            None => messages.recv().unwrap_or(Message::End),
        };
        update::update(app, message, Instant::now());
        // All messages that have piled up make one frame, but quitting must not wait for the rest.
        while let Ok(message) = messages.try_recv() {
            update::update(app, message, Instant::now());
            if app.quit || app.suspend {
                break;
            }
        }
        if std::mem::take(&mut app.suspend) {
            terminal.suspend()?;
        }
    }
    Ok(())
}
