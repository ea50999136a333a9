//! The disk under an SQLite file, as far as a simulation can influence it.

use std::time::Duration;

/// A simulated disk. Each step of a transaction may fail with an SQLite error.
pub trait Disk: Send + Sync {
    /// How long the next transaction takes.
    fn delay(&self) -> Duration;

    /// Called before a transaction begins.
    fn write(&self) -> rusqlite::Result<()>;

    /// Called before a commit; an error means that it failed and left nothing behind.
    fn commit(&self) -> rusqlite::Result<()>;

    /// Called after a commit; an error leaves its outcome open.
    fn sync(&self) -> rusqlite::Result<()>;
}
