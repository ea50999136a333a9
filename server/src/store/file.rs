//! The SQLite file: locking, format versions and permissions.

use crate::StartError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// The `application_id` in the header of our SQLite files: "Quad".
const APPLICATION: i64 = 0x5175_6164;

/// What each format adds to the previous one. Format 1 is that of version 0.1, which set no `application_id`.
const FORMATS: [&[&str]; 2] = [
    &[
        "CREATE TABLE IF NOT EXISTS events (
            game TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
            seat SMALLINT, command TEXT, at BIGINT NOT NULL,
            PRIMARY KEY (game, seq), UNIQUE (game, seat, command))",
        // Only hashes, so that reading the file is not enough to play.
        "CREATE TABLE IF NOT EXISTS tokens (
            game TEXT NOT NULL, seat SMALLINT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (game, seat))",
        // Games whose clock runs, so that startup need not read all games.
        "CREATE TABLE IF NOT EXISTS running (game TEXT NOT NULL PRIMARY KEY)",
        // Row 1 is the last heartbeat; row 0 counts how often the writer had to check what it had stored.
        "CREATE TABLE IF NOT EXISTS heartbeat (
            id SMALLINT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)",
    ],
    &[
        "ALTER TABLE running ADD COLUMN deadline BIGINT",
        "ALTER TABLE running ADD COLUMN at BIGINT NOT NULL DEFAULT 0",
        // When no clock ran; applies to all games.
        "CREATE TABLE pauses (since BIGINT NOT NULL PRIMARY KEY, until BIGINT NOT NULL)",
    ],
];

/// The tables of format 1 with their columns, by which files without an `application_id` are recognised.
const UNMARKED: [(&str, &[&str]); 4] = [
    ("events", &["game", "seq", "kind", "payload", "seat", "command", "at"]),
    ("heartbeat", &["id", "at"]),
    ("running", &["game"]),
    ("tokens", &["game", "seat", "hash"]),
];

/// How long to wait for a lock held by another program.
const BUSY: Duration = Duration::from_secs(2);

/// The files that this process has open.
static OPEN: Mutex<Option<HashSet<Identity>>> = Mutex::new(None);

/// Identifies a file whatever path leads to it: device and inode where available, otherwise the canonical path.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Identity(PathBuf, [u64; 2]);

impl Identity {
    #[cfg(unix)]
    fn new(path: &Path) -> std::io::Result<Identity> {
        use std::os::unix::fs::MetadataExt;
        path.metadata().map(|file| Identity(PathBuf::new(), [file.dev(), file.ino()]))
    }

    #[cfg(not(unix))]
    fn new(path: &Path) -> std::io::Result<Identity> {
        Ok(Identity(path.to_owned(), [0; 2]))
    }
}

fn open_files() -> MutexGuard<'static, Option<HashSet<Identity>>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Exclusive ownership of a file, whatever path leads to it.
///
/// On Linux the file itself is locked with `flock`, which SQLite does not use there. But closing any descriptor of a
/// file releases all of the process's POSIX locks on it, including SQLite's. So this is opened before any connection
/// and outlives them all, and a file that is already open here is not even touched.
pub struct Lock {
    held: Vec<File>,
    identity: Identity,
    /// Signals that the file is unlocked.
    free: Option<oneshot::Sender<()>>,
    changing: Mutex<()>,
}

impl Lock {
    /// Takes the lock in order to replace the file.
    pub fn on(path: &Path) -> Result<Lock, StartError> {
        let taken = Lock::take(path);
        taken.map(|(lock, _)| lock).map_err(|refused| StartError(refused.line(path)))
    }

    /// To be held by whoever changes the file until the change has been read back: if a game were deleted in between,
    /// the writer would believe that its commit was lost.
    pub fn change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock; the receiver resolves when it is released.
    fn take(path: &Path) -> Result<(Lock, oneshot::Receiver<()>), Refused> {
        // Create the file first, so that its path can be canonicalised.
        private().create_new(true).open(path).map(drop).or_else(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => Ok(()),
            _ => Err(error),
        })?;
        let path = path.canonicalize()?;
        let identity = Identity::new(&path)?;
        if !open_files().get_or_insert_default().insert(identity.clone()) {
            return Err(Refused::Locked);
        }
        let (free, freed) = oneshot::channel();
        let mut lock =
            Lock { held: Vec::new(), identity, free: Some(free), changing: Mutex::default() };
        // Servers of version 0.1 only respect this lock.
        let mut beside = OsString::from(path.as_os_str());
        beside.push(".lock");
        lock.hold(private().create(true).open(PathBuf::from(beside))?)?;
        if cfg!(target_os = "linux") {
            lock.hold(private().open(&path)?)?;
        }
        Ok((lock, freed))
    }

    fn hold(&mut self, file: File) -> Result<(), Refused> {
        let locked = file.try_lock();
        self.held.push(file);
        match locked {
            Ok(()) => Ok(()),
            Err(TryLockError::WouldBlock) => Err(Refused::Locked),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Unlock and unregister together: once the file is closed and deleted, its inode may be reused.
        let mut open = open_files();
        for file in self.held.drain(..) {
            // Closing is not enough: a child process that is being spawned may have inherited the descriptor.
            let _ = file.unlock();
        }
        if let Some(open) = open.as_mut() {
            open.remove(&self.identity);
        }
        drop(open);
        // Perhaps nobody is waiting.
        let _ = self.free.take().map(|free| free.send(()));
    }
}

/// Options to open files that only their owner can read.
pub fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Why a file was not opened.
#[derive(Debug)]
enum Refused {
    /// Another server has it open.
    Locked,
    /// It is not an SQLite file.
    NoDatabase,
    /// It belongs to another program; this is the evidence.
    Foreign(String),
    /// Its format is newer than this version.
    Newer(i64),
    /// An I/O or SQLite error.
    Failed(String),
}

impl Refused {
    /// The error message.
    fn line(&self, path: &Path) -> String {
        let name = path.display();
        let other = "name another file with --data";
        match self {
            Refused::Locked => format!("another server has `{name}` open; stop it or {other}"),
            Refused::NoDatabase => {
                format!("`{name}` is neither a file of games nor any SQLite database; {other}")
            }
            Refused::Foreign(sign) => {
                format!("`{name}` belongs to another program: it has {sign}; {other}")
            }
            Refused::Newer(format) => format!(
                "`{name}` has format {format}, but this version knows formats 1 to {}; \
                 use the version that wrote it, or {other}",
                FORMATS.len()
            ),
            Refused::Failed(error) => format!("cannot keep games in `{name}`: {error}"),
        }
    }
}

impl From<std::io::Error> for Refused {
    fn from(error: std::io::Error) -> Refused {
        Refused::Failed(error.to_string())
    }
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Refused {
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => Refused::NoDatabase,
            _ => Refused::Failed(error.to_string()),
        }
    }
}

/// Opens or creates the file and migrates it to the current format. The receiver resolves when it is unlocked.
pub fn open(path: &Path) -> Result<(Lock, Connection, oneshot::Receiver<()>), StartError> {
    let opened = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let (lock, freed) = Lock::take(path)?;
        let mut connection = connect(path)?;
        let format = format(&connection)?;
        write_ahead(&connection)?;
        upgrade(&mut connection, format)?;
        if format < FORMATS.len() {
            close_to_others(path)?;
        }
        Ok((lock, connection, freed))
    };
    opened().map_err(|refused: Refused| StartError(refused.line(path)))
}

/// Checks that a file holds games, in a format of this version.
pub fn check(path: &Path) -> Result<(), StartError> {
    let format = reader(path).map_err(Refused::from).and_then(|connection| format(&connection));
    match format {
        Ok(known) if known == FORMATS.len() => Ok(()),
        Ok(_) => Err(StartError(format!(
            "`{}` is empty or of version 0.1; start a server on it once, which brings it up to date",
            path.display()
        ))),
        Err(refused) => Err(StartError(refused.line(path))),
    }
}

/// Opens a connection whose commits are synced to disk.
pub fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "synchronous", "full")?;
    // What is deleted or replaced is overwritten: names, and the hashes of keys.
    connection.pragma_update(None, "secure_delete", true)?;
    // Otherwise statements whose plan might depend on a parameter are planned again for every new value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Opens a read-only connection.
pub fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// In WAL mode readers and the writer do not block each other, and a commit is one write and one sync.
fn write_ahead(connection: &Connection) -> Result<(), Refused> {
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    match mode.as_str() {
        "wal" => Ok(()),
        other => Err(Refused::Failed(format!(
            "SQLite uses the journal mode `{other}` here instead of WAL"
        ))),
    }
}

/// The format of a file; 0 if it is empty.
fn format(connection: &Connection) -> Result<usize, Refused> {
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    match (pragma("application_id")?, pragma("user_version")?) {
        (0, 0) => unmarked(connection),
        (APPLICATION, version) => match usize::try_from(version) {
            Ok(known @ 2..) if known <= FORMATS.len() => Ok(known),
            _ => Err(Refused::Newer(version)),
        },
        (id, _) => Err(Refused::Foreign(format!("application id {id}"))),
    }
}

/// Checks that a file without `application_id` is empty or from version 0.1, which may have been killed while it
/// created its tables.
fn unmarked(connection: &Connection) -> Result<usize, Refused> {
    let mut statement = connection.prepare(
        "SELECT name, (SELECT group_concat(name, ' ') FROM pragma_table_info(tables.name))
         FROM sqlite_schema AS tables WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for row in rows {
        let (name, columns): (String, String) = row?;
        let own = UNMARKED.iter().find(|(own, _)| *own == name);
        if own.is_none_or(|(_, own)| own.join(" ") != columns) {
            return Err(Refused::Foreign(format!("a table `{}`", rules::game::shorten(&name))));
        }
    }
    Ok(0)
}

/// Migrates a file in one transaction. The statements of format 1 are idempotent, since its tables may exist already.
fn upgrade(connection: &mut Connection, format: usize) -> rusqlite::Result<()> {
    if format == FORMATS.len() {
        return Ok(());
    }
    let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
    for statement in FORMATS.iter().skip(format).copied().flatten() {
        transaction.execute_batch(statement)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", FORMATS.len() as i64)?;
    transaction.commit()
}

/// Files of version 0.1 were readable by everybody.
#[cfg(unix)]
fn close_to_others(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    for end in ["", "-wal", "-shm"] {
        let mut name = OsString::from(path.as_os_str());
        name.push(end);
        let Ok(metadata) = std::fs::metadata(&name) else { continue };
        let mut rights = metadata.permissions();
        rights.set_mode(rights.mode() & 0o770);
        std::fs::set_permissions(&name, rights)?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> std::io::Result<()> {
    Ok(())
}
