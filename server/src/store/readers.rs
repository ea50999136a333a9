//! A pool of SQLite connections for reading, used on blocking threads.

use super::StoreError;
use super::file::{self, Lock};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::Semaphore;

/// The size of the pool.
const MOST: usize = 4;

/// The connection pool. A connection that fails is closed and replaced.
pub struct Readers {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    permits: Semaphore,
    /// Whether to read on the caller's thread, as in a simulation.
    inline: bool,
    /// Dropped last: closing any descriptor of a file releases all of the process's locks on it.
    lock: Option<Arc<Lock>>,
}

impl Readers {
    /// Connections are opened on demand.
    pub fn new(path: &Path, lock: Option<Arc<Lock>>, inline: bool) -> Readers {
        Readers {
            path: path.to_owned(),
            idle: Mutex::default(),
            permits: Semaphore::new(MOST),
            inline,
            lock,
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// None if another process may have the file open, which then changes it.
    pub fn lock(&self) -> Option<&Lock> {
        self.lock.as_deref()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a read on a blocking thread.
    pub async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let _permit = self.permits.acquire().await.map_err(|_| StoreError::Closed)?;
        if self.inline {
            return self.read_now(read);
        }
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

    /// Closes idle connections now, and the others once they are done.
    pub fn close(&self) {
        self.permits.close();
        self.idle().clear();
    }
}
