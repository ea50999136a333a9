//! Logging to standard error.

pub use tracing::Level;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// Sets up logging; a second call has no effect.
pub fn init(format: Format, level: Level) {
    let log = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
    // A logger that was set up before takes precedence.
    let _ = match format {
        Format::Text => log.with_ansi(false).try_init(),
        Format::Json => log.json().flatten_event(true).with_current_span(false).try_init(),
    };
}
