//! The terminal itself: taken over, and always given back.

use super::app::Message;
use crate::failure::Failure;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use std::io::{self, Stdout, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// The terminal while it is ours; it is given back when this is dropped, and on a panic.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal over.
    pub fn open() -> Result<Screen, Failure> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // A thread of the engine that fails reports it; only the end of the program is told here.
            if std::thread::current().name() == Some("main") {
                give_back();
                before(panic);
            }
        }));
        let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        let screen = Screen { terminal };
        take_over()?;
        Ok(screen)
    }

    /// Draws a frame.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame)) -> io::Result<()> {
        self.terminal.draw(view).map(drop)
    }

    /// Gives the terminal back, stops the program until it is told to go on, and takes it over again.
    pub fn suspend(&mut self) -> Result<(), Failure> {
        give_back();
        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
        take_over()?;
        // Draws everything anew; `clear` would ask the terminal where the cursor is, and the thread that
        // reads the keys would get the answer.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))?;
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        give_back();
    }
}

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

fn take_over() -> io::Result<()> {
    TAKEN.store(true, Ordering::Relaxed);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture)
}

/// Makes the terminal as it was, once: leaving it twice would write over the words of a panic. What fails
/// here cannot be helped.
fn give_back() {
    if !TAKEN.swap(false, Ordering::Relaxed) {
        return;
    }
    let _ = execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// Turns signals into messages, so that the terminal is given back before the program ends or stops.
pub fn listen_to_signals(send: Sender<Message>) -> io::Result<()> {
    // The thread that reads keys hears of new sizes, too, but only once it has begun to read.
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH])?;
    std::thread::spawn(move || {
        for signal in signals.forever() {
            let message = match signal {
                SIGTSTP => Message::Suspend,
                SIGWINCH => Message::Resized,
                _ => Message::End,
            };
            if send.send(message).is_err() {
                return;
            }
        }
    });
    Ok(())
}
