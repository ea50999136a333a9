//! The terminal itself: taken over, and always given back.

use super::app::Message;
use super::live::{Live, Shown};
use crate::output::inline::Protocol;
use crate::shell::failure::Failure;
use crate::shell::signals::{self, Wish};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{RestorePosition, SavePosition, Show};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::style::Print;
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use ratatui::crossterm::{execute, queue};
use ratatui::layout::Rect;
use ratatui::{Frame, Terminal};
use std::io::{self, Stdout, Write, stdout};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;

/// The terminal while it is ours; it is given back when this is dropped, and on a panic.
pub struct TakenTerminal {
    /// Never dropped: if the terminal is gone, its `drop` would report that on standard error, which is gone, too, and
    /// panic.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    shown: Shown,
    /// The window for which something is shown.
    area: Rect,
    /// The window's title, if it can have one.
    title: String,
    has_title: bool,
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
        let terminal = ManuallyDrop::new(Terminal::new(CrosstermBackend::new(stdout()))?);
        let taken = TakenTerminal {
            terminal,
            shown: Shown::default(),
            area: Rect::default(),
            title: String::new(),
            has_title: has_title(),
        };
        take_over()?;
        Ok(taken)
    }

    /// Draws a frame and the picture that the view returns, both at once on terminals that can, so that nothing tears.
    pub fn draw(
        &mut self,
        view: impl FnOnce(&mut Frame) -> Option<(Protocol, Live)>,
    ) -> io::Result<()> {
        queue!(stdout(), BeginSynchronizedUpdate)?;
        let (shown, area) = (&mut self.shown, &mut self.area);
        let mut picture = Ok(Vec::new());
        self.terminal.draw(|frame| {
            if std::mem::replace(area, frame.area()) != frame.area() {
                shown.forget();
            }
            let live = view(frame);
            picture = shown.update(live, frame.buffer_mut());
        })?;
        let picture = picture?;
        if !picture.is_empty() {
            queue!(stdout(), SavePosition)?;
            stdout().write_all(&picture)?;
            queue!(stdout(), RestorePosition)?;
        }
        execute!(stdout(), EndSynchronizedUpdate)
    }

    /// Sets the window's title, and rings the bell.
    pub fn call(&mut self, title: &str, rings: bool) -> io::Result<()> {
        let mut bytes = String::new();
        if self.title != title && self.has_title {
            title.clone_into(&mut self.title);
            bytes = format!("\x1b]2;{title}\x1b\\");
        }
        if rings {
            bytes.push('\x07');
        }
        if bytes.is_empty() { Ok(()) } else { self.ask(&bytes) }
    }

    /// Puts a text on the clipboard of terminals that allow it.
    pub fn copy(&mut self, text: &str) -> io::Result<()> {
        self.ask(&format!("\x1b]52;c;{}\x1b\\", BASE64_STANDARD.encode(text)))
    }

    /// Asks the terminal what it shows; the answers come among the keys.
    pub fn ask(&mut self, questions: &str) -> io::Result<()> {
        stdout().write_all(questions.as_bytes())?;
        stdout().flush()
    }

    /// Gives the terminal back, stops the program until it is continued, and takes the terminal over again.
    pub fn suspend(&mut self) -> Result<(), Failure> {
        stdout().write_all(&self.shown.clear())?;
        give_back();
        // The old title is back.
        self.title.clear();
        #[cfg(unix)]
        signals::obey(signals::SIGTSTP)?;
        take_over()?;
        // `clear` would ask the terminal where the cursor is, and the thread that reads
        // the keys would get the answer.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::new(0, 0, size.width, size.height))?;
        Ok(())
    }
}

impl Drop for TakenTerminal {
    fn drop(&mut self) {
        // If this fails, the terminal is gone.
        let _ = stdout().write_all(&self.shown.clear());
        give_back();
    }
}

/// Whether the window can be given a title: the Linux console would show it.
fn has_title() -> bool {
    let term = std::env::var("TERM").unwrap_or_default();
    !["linux", "dumb", "vt"].iter().any(|plain| term.starts_with(plain))
}

/// Keeps the window's title, and brings it back.
const KEEP_TITLE: &str = "\x1b[22;2t";
const OLD_TITLE: &str = "\x1b[23;2t";

/// Whether the terminal is ours.
static TAKEN: AtomicBool = AtomicBool::new(false);

fn take_over() -> io::Result<()> {
    TAKEN.store(true, Ordering::Relaxed);
    enable_raw_mode()?;
    execute!(
        stdout(),
        Print(KEEP_TITLE),
        EnterAlternateScreen,
        EnableMouseCapture,
        EnableBracketedPaste
    )
}

/// Restores the terminal, once: doing it twice would write over the message of a panic. If this fails,
/// nothing can be done.
fn give_back() {
    if !TAKEN.swap(false, Ordering::Relaxed) {
        return;
    }
    let _ = execute!(stdout(), DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen);
    let _ = execute!(stdout(), Print(OLD_TITLE), Show);
    let _ = disable_raw_mode();
}

/// Turns signals into messages, so that the terminal is given back before the program ends or stops.
pub fn listen_to_signals(send: Sender<Message>) -> io::Result<()> {
    // The thread that reads keys gets new sizes, too, but only from its first read on.
    signals::listen(signals::SCREEN, move |signal| {
        let message = match signals::wish(signal) {
            Wish::Suspend => Message::Suspend,
            Wish::Resize => Message::Resized,
            Wish::End => Message::End,
        };
        send.send(message).is_ok()
    })
}
