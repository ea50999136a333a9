//! A program on a pseudo-terminal, and the screen that it draws.

use rustix::process::{WaitOptions, waitpid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Termios, Winsize, tcgetattr, tcsetwinsize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How long to wait for what must come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A program on a terminal of its own.
pub struct Tty {
    pub child: Child,
    terminal: File,
    slave: File,
    parser: Arc<Mutex<vt100::Parser>>,
    bytes: Arc<Mutex<Vec<u8>>>,
    news: Receiver<()>,
}

/// Starts the program on a terminal that nobody reads for the test, and that ends when its file is dropped.
pub fn start_bare(args: &[&str], folder: &Path, (columns, rows): (u16, u16)) -> (Child, File) {
    let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&terminal).unwrap();
    unlockpt(&terminal).unwrap();
    let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
    let slave = OpenOptions::new().read(true).write(true).open(name).unwrap();
    resize(&slave, columns, rows);
    let child = Command::new(env!("CARGO_BIN_EXE_quadrille"))
        .args(args)
        .env("XDG_DATA_HOME", folder)
        .envs([("TERM", "xterm-256color"), ("LC_ALL", "C.UTF-8")])
        .stdin(slave.try_clone().unwrap())
        .stdout(slave.try_clone().unwrap())
        .stderr(slave)
        .spawn()
        .unwrap();
    (child, File::from(terminal))
}

/// A folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tty").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

impl Tty {
    /// Starts the program in a window of this size.
    pub fn start(args: &[&str], folder: &Path, size: (u16, u16)) -> Tty {
        Tty::start_on("xterm-256color", args, folder, size)
    }

    /// Starts the program with another locale.
    pub fn start_in(locale: &str, args: &[&str], folder: &Path, size: (u16, u16)) -> Tty {
        Tty::start_with([("TERM", "xterm-256color"), ("LC_ALL", locale)], args, folder, size)
    }

    /// Starts the program on a terminal of this kind.
    pub fn start_on(term: &str, args: &[&str], folder: &Path, size: (u16, u16)) -> Tty {
        Tty::start_with([("TERM", term), ("LC_ALL", "C.UTF-8")], args, folder, size)
    }

    fn start_with(
        variables: [(&str, &str); 2],
        args: &[&str],
        folder: &Path,
        (columns, rows): (u16, u16),
    ) -> Tty {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap().into_string().unwrap();
        let slave = OpenOptions::new().read(true).write(true).open(name).unwrap();
        resize(&slave, columns, rows);
        // Measurements are of the release build.
        let usual = || env!("CARGO_BIN_EXE_quadrille").into();
        let program = std::env::var_os("QUADRILLE_PROGRAM").unwrap_or_else(usual);
        let child = Command::new(program)
            .args(args)
            .env("XDG_DATA_HOME", folder)
            .envs(variables)
            .env_remove("TERM_PROGRAM")
            .env_remove("NO_COLOR")
            .stdin(slave.try_clone().unwrap())
            .stdout(slave.try_clone().unwrap())
            .stderr(slave.try_clone().unwrap())
            .spawn()
            .unwrap();
        let parser = Arc::new(Mutex::new(vt100::Parser::new(rows, columns, 0)));
        let (send, news) = channel();
        let mut output = File::from(terminal);
        let terminal = output.try_clone().unwrap();
        let screen = parser.clone();
        let bytes = Arc::new(Mutex::new(Vec::new()));
        let sent = bytes.clone();
        std::thread::spawn(move || {
            let mut bytes = [0; 65536];
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                screen.lock().unwrap().process(&bytes[..count]);
                sent.lock().unwrap().extend_from_slice(&bytes[..count]);
                if send.send(()).is_err() {
                    return;
                }
            }
        });
        Tty { child, terminal, slave, parser, bytes, news }
    }

    /// Types bytes.
    pub fn send(&mut self, bytes: &str) {
        self.terminal.write_all(bytes.as_bytes()).unwrap();
    }

    /// Presses and releases the left button at a place, counted from 0.
    pub fn click(&mut self, (column, row): (usize, usize)) {
        let (x, y) = (column + 1, row + 1);
        self.send(&format!("\x1b[<0;{x};{y}M\x1b[<0;{x};{y}m"));
    }

    /// Whether the program has written this.
    pub fn has_written(&self, text: &str) -> bool {
        let bytes = self.bytes.lock().unwrap();
        bytes.windows(text.len()).any(|part| part == text.as_bytes())
    }

    /// What the program has written after this.
    pub fn after(&self, text: &str) -> Option<String> {
        let bytes = self.bytes.lock().unwrap();
        let at = bytes.windows(text.len()).position(|part| part == text.as_bytes())?;
        Some(String::from_utf8_lossy(&bytes[at + text.len()..]).into_owned())
    }

    /// How many bytes the program has written.
    pub fn written(&self) -> usize {
        self.bytes.lock().unwrap().len()
    }

    /// How often the program has written this.
    pub fn count(&self, text: &str) -> usize {
        let bytes = self.bytes.lock().unwrap();
        bytes.windows(text.len()).filter(|part| *part == text.as_bytes()).count()
    }

    /// Waits until nothing has been written for a while.
    pub fn is_quiet(&self) {
        let mut before = 0;
        while before != self.written() {
            before = self.written();
            std::thread::sleep(Duration::from_millis(400));
        }
    }

    /// The processor time that the program has used.
    pub fn processor_time(&self) -> Duration {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks: u64 = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        Duration::from_millis(1000 * ticks / rustix::param::clock_ticks_per_second())
    }

    /// The screen as text.
    pub fn text(&self) -> String {
        self.parser.lock().unwrap().screen().contents()
    }

    /// Whether the program has the whole screen, and the mouse.
    pub fn is_taken_over(&self) -> bool {
        let state = || {
            let parser = self.parser.lock().unwrap();
            let screen = parser.screen();
            let mouse = screen.mouse_protocol_mode() != vt100::MouseProtocolMode::None;
            (screen.alternate_screen(), mouse)
        };
        // Both are switched in one write, but may arrive in two reads.
        self.wait("both or neither", |_| state().0 == state().1);
        state().1
    }

    /// How the terminal is set.
    pub fn settings(&self) -> Termios {
        tcgetattr(&self.slave).unwrap()
    }

    /// Waits until something holds.
    pub fn wait(&self, what: &str, mut holds: impl FnMut(&Tty) -> bool) {
        let end = Instant::now() + PATIENCE;
        while !holds(self) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "{what} did not come:\n{}", self.text());
            // Something may have come between the look and the wait; the news of it is kept.
            let _ = self.news.recv_timeout(left.min(Duration::from_millis(200)));
        }
    }

    /// Waits until a text is on the screen.
    pub fn sees(&self, text: &str) {
        self.wait(&format!("`{text}`"), |tty| tty.text().contains(text));
    }

    /// Waits for the end of the program.
    pub fn ends(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "the program goes on:\n{}", self.text());
            let _ = self.news.recv_timeout(Duration::from_millis(20));
        }
    }

    /// Waits until the program is stopped, not ended.
    pub fn stops(&self) {
        let pid = rustix::process::Pid::from_child(&self.child);
        let options = WaitOptions::UNTRACED | WaitOptions::NOHANG;
        self.wait("the stop", |_| {
            let status = waitpid(Some(pid), options).unwrap();
            status.is_some_and(|(_, status)| status.stopped())
        });
    }

    /// Gives the window another size.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        self.parser.lock().unwrap().screen_mut().set_size(rows, columns);
        resize(&self.slave, columns, rows);
        self.signal(rustix::process::Signal::WINCH);
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).unwrap();
    }

    /// Where the middle of a cell is, by the coordinates beside a square board.
    pub fn cell(&self, name: &str) -> (usize, usize) {
        let text = self.text();
        let (letter, number) = name.split_at(1);
        let lines: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        let letters = format!("{letter} ");
        let below = lines.iter().rev().find(|line| {
            let words: String = line.iter().collect();
            words.trim_start().starts_with("a  ")
        });
        let below = below.unwrap_or_else(|| panic!("no letters in\n{text}"));
        let below: String = below.iter().chain([&' ']).collect();
        let column = below.find(&letters).unwrap();
        let is_row = |line: &&Vec<char>| {
            let words: String = line.iter().collect();
            // A row of the board begins with its number; its middle line may show any part of a cell.
            let rest =
                words.trim_start().strip_prefix(number).and_then(|rest| rest.strip_prefix(' '));
            rest.is_some_and(|rest| !rest.trim().is_empty())
        };
        let row = lines.iter().position(|line| is_row(&line)).unwrap();
        (column, row)
    }
}

impl Drop for Tty {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn resize(terminal: &File, columns: u16, rows: u16) {
    let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(terminal, size).unwrap();
}
