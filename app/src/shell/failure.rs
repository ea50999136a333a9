//! How commands end: exit codes, and the one line that explains them.

use crate::shell::similar;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use rules::game::shorten;
use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
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
    pub fn user(message: impl Display) -> Failure {
        Failure::User(message.to_string())
    }

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
            Failure::Help(error) => match print(error.render().to_string()) {
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
    fn from(error: clap::Error) -> Failure {
        let asks_nothing = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
        if !error.use_stderr() || error.kind() == asks_nothing {
            return Failure::Help(error);
        }
        Failure::User(format!("{} (try `quadrille --help`)", said(&error)))
    }
}

/// An error of the command line parser, in our words.
fn said(error: &clap::Error) -> String {
    let value = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        Some(ContextValue::Strings(texts)) => texts.first().cloned(),
        _ => None,
    };
    let all = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let arg = value(ContextKind::InvalidArg).unwrap_or_default();
    // `--depth <MOVES>` is named as it is typed, `--depth`.
    let name = arg.split(' ').next().unwrap_or_default().trim_end_matches("...");
    let got = shorten(&value(ContextKind::InvalidValue).unwrap_or_default());
    match error.kind() {
        ErrorKind::UnknownArgument if arg.starts_with('-') => similar::unknown_flag(&arg)
            .unwrap_or_else(|| format!("there is no flag `{}`", shorten(&arg))),
        // Where a position may begin with a hyphen, a mistyped flag is taken for one, and its value is left over.
        ErrorKind::UnknownArgument => std::env::args()
            .skip(2)
            .find_map(|own| similar::unknown_flag(&own))
            .unwrap_or_else(|| format!("`{}` is one word too many", shorten(&arg))),
        ErrorKind::InvalidSubcommand => {
            similar::unknown_command(&value(ContextKind::InvalidSubcommand).unwrap_or_default())
        }
        ErrorKind::InvalidValue if got.is_empty() => format!("{name} lacks a value"),
        ErrorKind::InvalidValue => {
            let known = all(ContextKind::ValidValue);
            match similar::nearest(&got, &known.split(", ").collect::<Vec<_>>()) {
                Some(own) => format!("{name} cannot be `{got}`; did you mean `{own}`?"),
                None => format!("{name} must be one of {known}, got `{got}`"),
            }
        }
        ErrorKind::ValueValidation => {
            let why = error.source().map(ToString::to_string).unwrap_or_default();
            match why.rsplit_once(" is not in ") {
                Some((_, range)) => format!("{name} must be {}, got `{got}`", range_said(range)),
                None if why.starts_with("number too") => {
                    format!("{name} must be a smaller number, got `{got}`")
                }
                None if why.contains("digit")
                    || why.contains("float")
                    || why.contains("integer") =>
                {
                    format!("{name} must be a number, got `{got}`")
                }
                None if why.is_empty() => format!("{name} cannot be `{got}`"),
                None => format!("{name}: {why}"),
            }
        }
        ErrorKind::MissingRequiredArgument => {
            format!("something is missing: {}", all(ContextKind::InvalidArg))
        }
        ErrorKind::ArgumentConflict => {
            let other = all(ContextKind::PriorArg);
            match other.is_empty() || other == arg {
                true => format!("{name} can be given only once"),
                false => format!("{name} and {other} do not go together"),
            }
        }
        _ => {
            let text = error.render().to_string();
            let first = text.lines().next().unwrap_or_default();
            first.strip_prefix("error: ").unwrap_or(first).to_owned()
        }
    }
}

/// `1..=100` as "1 to 100".
fn range_said(range: &str) -> String {
    match range.split_once("..") {
        Some((least, "")) => format!("{least} or more"),
        Some((least, most)) => format!("{least} to {}", most.trim_start_matches('=')),
        None => range.to_owned(),
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

pub fn print(bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes.as_ref())?;
    out.flush()?;
    Ok(())
}

/// Writes a file that the user named, or to standard output where none is named.
pub fn write(file: Option<&Path>, bytes: impl AsRef<[u8]>) -> Result<(), Failure> {
    let Some(file) = file else { return print(bytes) };
    std::fs::write(file, bytes)
        .map_err(|error| Failure::user(format!("cannot write {}: {error}", file.display())))
}

/// Calls `call` as soon as standard output is closed, even if nothing is being written.
#[cfg(unix)]
pub fn when_nobody_reads(call: impl FnOnce() + Send + 'static) {
    use rustix::event::{PollFd, PollFlags, poll};
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

/// Never calls it: on this system only the next write tells that a pipe was closed.
#[cfg(not(unix))]
pub fn when_nobody_reads(_: impl FnOnce() + Send + 'static) {}
