//! The terminal itself: taken over, and always given back.

use super::app::Message;
use crate::shell::failure::Failure;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{MoveTo, Show};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode, window_size,
};
use ratatui::crossterm::{execute, queue};
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::iterator::Signals;
use std::io::{self, Stdout, Write, stdout};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// The terminal while it is ours; it is given back when this is dropped, and on a panic.
pub struct TakenTerminal {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl TakenTerminal {
    pub fn open() -> Result<TakenTerminal, Failure> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            // A thread of the engine reports its own failure; here the program itself has failed.
            if std::thread::current().name() == Some("main") {
                give_back();
                before(panic);
            }
        }));
        let terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
        let taken = TakenTerminal { terminal };
        take_over()?;
        Ok(taken)
    }

    /// Draws a frame, which terminals that can show at once, so that nothing tears.
    pub fn draw(&mut self, view: impl FnOnce(&mut Frame)) -> io::Result<()> {
        queue!(stdout(), BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(view).map(drop);
        execute!(stdout(), EndSynchronizedUpdate)?;
        drawn
    }

    /// Asks for the colour of the background; the answer comes among the keys.
    pub fn ask_background(&mut self) -> io::Result<()> {
        stdout().write_all(b"\x1b]11;?\x1b\\")?;
        stdout().flush()
    }

    /// Gives the terminal back, stops the program until it is continued, and takes the terminal over again.
    pub fn suspend(&mut self) -> Result<(), Failure> {
        give_back();
        signal_hook::low_level::emulate_default_handler(SIGTSTP)?;
        take_over()?;
        self.redraw(b"")
    }

    /// Writes these bytes, and redraws everything with the next frame.
    pub fn redraw(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        stdout().write_all(bytes)?;
        // `clear` would ask the terminal where the cursor is, and the thread that reads
        // the keys would get the answer.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))?;
        Ok(())
    }
}

impl TakenTerminal {
    /// Writes from the second row on.
    pub fn write_at_top(&mut self, bytes: &[u8]) -> io::Result<()> {
        let mut out = stdout();
        queue!(out, MoveTo(1, 1))?;
        out.write_all(bytes)?;
        out.flush()
    }

    /// How many pixels across a drawing of these proportions may have.
    pub fn room_for(&self, width: u32, height: u32) -> u32 {
        let Ok(size) = window_size() else { return SMALLEST };
        // Not every terminal tells how many pixels it has.
        let pixels = |all: u16, cells: u16, usual: u32| match (all, cells) {
            (1.., 1..) => u32::from(all) / u32::from(cells),
            _ => usual,
        };
        let across =
            u32::from(size.columns).saturating_sub(2) * pixels(size.width, size.columns, 8);
        let down = u32::from(size.rows).saturating_sub(3) * pixels(size.height, size.rows, 16);
        across.min(down * width / height.max(1)).clamp(SMALLEST, LARGEST)
    }
}

/// The least and the most pixels across a drawing.
const SMALLEST: u32 = 200;
const LARGEST: u32 = 2000;

impl Drop for TakenTerminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

fn take_over() -> io::Result<()> {
    TAKEN.store(true, Ordering::Relaxed);
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste)
}

/// Restores the terminal, once: doing it twice would write over the message of a panic. If this fails,
/// nothing can be done.
fn give_back() {
    if !TAKEN.swap(false, Ordering::Relaxed) {
        return;
    }
    let _ =
        execute!(stdout(), DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// Turns signals into messages, so that the terminal is given back before the program ends or stops.
pub fn listen_to_signals(send: Sender<Message>) -> io::Result<()> {
    // The thread that reads keys gets new sizes, too, but only from its first read on.
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
