//! The file of a store: who may have it open, what format it has, who may read it.

use crate::StartError;
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

/// Marks a file as one of ours, in the header of every SQLite file: "Quad".
const APPLICATION: i64 = 0x5175_6164;

/// What each format adds to the one before. Format 1 is that of version 0.1, whose files are unmarked.
const FORMATS: [&[&str]; 2] = [
    &[
        "CREATE TABLE IF NOT EXISTS events (
            game TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
            seat SMALLINT, command TEXT, at BIGINT NOT NULL,
            PRIMARY KEY (game, seq), UNIQUE (game, seat, command))",
        // Only hashes: who reads the file cannot play.
        "CREATE TABLE IF NOT EXISTS tokens (
            game TEXT NOT NULL, seat SMALLINT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (game, seat))",
        // The games whose clock runs, so that a start finds them without reading all.
        "CREATE TABLE IF NOT EXISTS running (game TEXT NOT NULL PRIMARY KEY)",
        // Row 1 is when a server last ran, row 0 how often the writer had to find out what it had stored.
        "CREATE TABLE IF NOT EXISTS heartbeat (
            id SMALLINT NOT NULL PRIMARY KEY, at BIGINT NOT NULL)",
    ],
    &[
        "ALTER TABLE running ADD COLUMN deadline BIGINT",
        "ALTER TABLE running ADD COLUMN at BIGINT NOT NULL DEFAULT 0",
        // When no clock ran, for all games together.
        "CREATE TABLE pauses (since BIGINT NOT NULL PRIMARY KEY, until BIGINT NOT NULL)",
    ],
];

/// The tables of format 1 with their columns, by which an unmarked file is known.
const UNMARKED: [(&str, &[&str]); 4] = [
    ("events", &["game", "seq", "kind", "payload", "seat", "command", "at"]),
    ("heartbeat", &["id", "at"]),
    ("running", &["game"]),
    ("tokens", &["game", "seat", "hash"]),
];

/// How long another program may keep the file locked before that is an error.
const BUSY: Duration = Duration::from_secs(2);

/// The files that this process has open.
static OPEN: Mutex<Option<HashSet<Identity>>> = Mutex::new(None);

/// What a file is, by whatever name it is called: its number, or else its path to the end.
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

/// Holds a file for this process, by whatever name others call it.
///
/// On Linux the file itself is locked with `flock`, which SQLite does not use there. But whoever closes a file
/// gives up the locks that SQLite has on it in the whole process: so this is opened before any connection,
/// outlives them all, and a file that is open here already is not even touched.
pub struct Lock {
    held: Vec<File>,
    identity: Identity,
    /// Tells who waits for the file that it is free.
    free: Option<oneshot::Sender<()>>,
}

impl Lock {
    /// The lock, and what hears when nobody holds it any more.
    fn take(path: &Path) -> Result<(Lock, oneshot::Receiver<()>), Refused> {
        // Made first, so that its name can be followed to the end.
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
        let mut lock = Lock { held: Vec::new(), identity, free: Some(free) };
        // The servers of version 0.1 know this one only.
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
        // Both at once: a file that is closed and gone leaves its number to the next one.
        let mut open = open_files();
        for file in self.held.drain(..) {
            // A program that is just being started has the file open too: to close it here frees nothing.
            let _ = file.unlock();
        }
        if let Some(open) = open.as_mut() {
            open.remove(&self.identity);
        }
        drop(open);
        // Nobody may be waiting for it.
        let _ = self.free.take().map(|free| free.send(()));
    }
}

/// Files that nobody else may read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Why a file is not opened.
#[derive(Debug)]
enum Refused {
    /// Another server has it.
    Locked,
    /// It is something else.
    NoDatabase,
    /// It belongs to another program, as this shows.
    Foreign(String),
    /// It has a format that is not known here.
    Newer(i64),
    /// The system does not want to.
    Failed(String),
}

impl Refused {
    /// The reason in one line.
    fn line(&self, path: &Path) -> String {
        let name = path.display();
        let other = "name another file with --data";
        match self {
            Refused::Locked => format!("another server has `{name}` open; stop it or {other}"),
            Refused::NoDatabase => {
                format!("`{name}` is neither a file of games nor any SQLite database; {other}")
            }
            Refused::Foreign(sign) => {
                format!("`{name}` is a database of another program: it has {sign}; {other}")
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

/// Opens the file, new or old, and brings it to the present format. The receiver hears when it is free again.
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

/// A connection that writes what it has committed to the disk before it goes on.
pub fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.pragma_update(None, "synchronous", "full")?;
    Ok(connection)
}

/// A connection that changes nothing.
pub fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let connection = connect(path)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Readers and the writer do not wait for each other, and a commit is one write and one sync.
fn write_ahead(connection: &Connection) -> Result<(), Refused> {
    let mode: String =
        connection.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
    match mode.as_str() {
        "wal" => Ok(()),
        other => Err(Refused::Failed(format!("SQLite keeps a journal of kind `{other}` here"))),
    }
}

/// The format of a file; nought if there is nothing in it.
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

/// Whether an unmarked file is empty or of version 0.1, which may have been killed while it made its tables.
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

/// Adds what a file lacks, all or nothing. What format 1 says is said so that it can be said twice.
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

/// Files of version 0.1 could be read by everybody.
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
