//! How commands end: exit codes, and the one line that explains them.

use clap::error::ErrorKind;
use rustix::event::{PollFd, PollFlags, poll};
use std::fmt::Display;
use std::io::{self, Write};
use std::process::ExitCode;

/// Why a command did not finish.
#[derive(Debug)]
pub enum Failure {
    /// The user asked for something impossible: one line, exit code 2.
    User(String),
    /// Help or version was asked for: printed, exit code 0.
    Help(clap::Error),
    /// Nobody reads the output any more: exit code 0.
    Closed,
    /// Anything else: exit code 1.
    Other(anyhow::Error),
}

impl Failure {
    /// The user's error, in one line.
    pub fn user(message: impl Display) -> Failure {
        Failure::User(message.to_string())
    }

    /// What went wrong, in words.
    pub fn message(&self) -> String {
        match self {
            Failure::User(message) => message.clone(),
            Failure::Other(error) => format!("{error:#}"),
            Failure::Help(error) => error.to_string(),
            Failure::Closed => "the output was closed".into(),
        }
    }

    /// Prints the explanation and gives the exit code.
    pub fn report(self) -> ExitCode {
        let line = |text: &str| text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        match self {
            Failure::Closed => ExitCode::SUCCESS,
            Failure::Help(error) => match print(error.render().to_string().as_bytes()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(failure) => failure.report(),
            },
            Failure::User(message) => {
                let _ = writeln!(io::stderr(), "quadrille: {}", line(&message));
                ExitCode::from(2)
            }
            Failure::Other(error) => {
                let _ = writeln!(io::stderr(), "quadrille: {}", line(&format!("{error:#}")));
                ExitCode::FAILURE
            }
        }
    }
}

impl From<clap::Error> for Failure {
    /// Folds clap's paragraphs into one line: what is wrong, the hints, where to read more.
    fn from(error: clap::Error) -> Failure {
        let asks_nothing = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if !error.use_stderr() || error.kind() == asks_nothing {
            return Failure::Help(error);
        }
        let text = error.render().to_string();
        let message: Vec<_> = text
            .lines()
            .map(str::trim)
            .take_while(|line| !line.starts_with("Usage:"))
            .filter(|line| !line.is_empty())
            .collect();
        let message = message.join(" ");
        let message = message.strip_prefix("error: ").unwrap_or(&message);
        Failure::User(format!("{message} (try `quadrille --help`)"))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Other(error.into()),
        }
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Failure {
        Failure::Other(error)
    }
}

pub fn print(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Calls this when nobody reads standard output any more, even if nothing is being written.
pub fn when_nobody_reads(call: impl FnOnce() + Send + 'static) {
    std::thread::spawn(move || {
        let out = io::stdout();
        // Errors and hang-ups are always reported; no other event is asked for.
        let mut watched = [PollFd::new(&out, PollFlags::empty())];
        let told = loop {
            match poll(&mut watched, None) {
                Err(rustix::io::Errno::INTR) => {}
                told => break told,
            }
        };
        if told.is_ok() {
            call();
        }
    });
}
