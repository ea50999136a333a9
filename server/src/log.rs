//! Lines about what happens, for people or for programs.

pub use tracing::Level;

/// How lines of the log look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Begins to log to standard error; a second call changes nothing.
pub fn init(format: Format, level: Level) {
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
    // Another log that was set up before is kept.
    let _ = match format {
        Format::Text => log.with_ansi(false).try_init(),
        Format::Json => log.json().flatten_event(true).with_current_span(false).try_init(),
    };
}
