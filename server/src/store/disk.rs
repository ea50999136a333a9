//! The disk under an SQLite file, as far as a simulation can change it.

use std::time::Duration;

/// A simulated disk. Each step of a transaction may fail with an error of SQLite.
pub trait Disk: Send + Sync {
    /// How long the next transaction takes.
    fn delay(&self) -> Duration;

    /// Before a transaction begins.
    fn write(&self) -> rusqlite::Result<()>;

    /// Instead of a commit that fails and leaves nothing behind.
    fn commit(&self) -> rusqlite::Result<()>;

    /// After a commit whose failure leaves the outcome open.
    fn sync(&self) -> rusqlite::Result<()>;
}
