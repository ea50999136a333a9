//! Connections that read, on threads that may wait for a disk.

use super::StoreError;
use super::file::{self, Lock};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// How many read at the same time.
const MOST: usize = 4;

/// The connections. One that met an error is closed and replaced.
pub struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
    /// Dropped last: to close a file gives up the locks of the whole process on it.
    _lock: Arc<Lock>,
}

impl Readers {
    /// None yet: they are opened when they are needed.
    pub fn new(path: &Path, lock: Arc<Lock>) -> Readers {
        Readers {
            path: path.to_owned(),
            idle: Mutex::default(),
            permits: Semaphore::new(MOST),
            _lock: lock,
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads something.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _permit = self.permits.acquire().await.map_err(|_| StoreError::Closed)?;
        let own = Arc::clone(self);
        let task = tokio::task::spawn_blocking(move || own.read_now(read));
        task.await.map_err(|_| StoreError::Closed)?
    }

    fn read_now<T>(
        &self,
        read: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let connection = self.idle().pop();
        let connection = match connection {
            Some(connection) => connection,
            None => file::reader(&self.path)?,
        };
        let found = read(&connection)?;
        if !self.permits.is_closed() {
            self.idle().push(connection);
        }
        Ok(found)
    }

    /// Closes those that are idle now, and others when they have read.
    pub fn close(&self) {
        self.permits.close();
        self.idle().clear();
    }
}
