//! A disk under an SQLite file that is slow or full, or fails to sync.

use super::world::{MS, Micros, World, lock};
use rusqlite::ffi;
use server::store::disk::Disk;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The ways in which the disk can fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bad {
    /// All writes fail because the disk is full.
    Full,
    /// Commits fail because the disk is full.
    FullAtCommit,
    /// Commits succeed, but report a failed sync.
    Sync,
    /// Everything hangs.
    Hangs,
}

pub struct SimulatedDisk {
    world: Arc<World>,
    bad: Mutex<Option<(Micros, Bad)>>,
}

impl SimulatedDisk {
    pub fn new(world: &Arc<World>) -> Arc<SimulatedDisk> {
        Arc::new(SimulatedDisk { world: Arc::clone(world), bad: Mutex::default() })
    }

    pub fn goes_bad(&self, time: Micros, bad: Bad) {
        *lock(&self.bad) = Some((self.world.now() + time, bad));
    }

    fn is(&self, wanted: Bad) -> Option<Micros> {
        let now = self.world.now();
        lock(&self.bad).filter(|(until, bad)| *until > now && *bad == wanted).map(|own| own.0 - now)
    }

    fn fails(&self, bad: Bad, code: i32) -> rusqlite::Result<()> {
        match self.is(bad) {
            Some(_) => Err(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)),
            None => Ok(()),
        }
    }
}

impl Disk for SimulatedDisk {
    fn delay(&self) -> Duration {
        let hangs = self.is(Bad::Hangs).unwrap_or(0);
        Duration::from_micros(hangs + self.world.between(MS / 2, 6 * MS))
    }

    fn write(&self) -> rusqlite::Result<()> {
        self.fails(Bad::Full, ffi::SQLITE_FULL)
    }

    fn commit(&self) -> rusqlite::Result<()> {
        self.fails(Bad::FullAtCommit, ffi::SQLITE_FULL)
    }

    fn sync(&self) -> rusqlite::Result<()> {
        self.fails(Bad::Sync, ffi::SQLITE_IOERR_FSYNC)
    }
}
