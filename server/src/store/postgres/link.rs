//! Connections to the database: how they are opened, and what a lost one means.

use super::rows::{Cells, Row};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::collections::HashMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout};
use tokio_postgres::config::SslMode;
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::types::ToSql;
use tokio_postgres::{AsyncMessage, CancelToken, Client, Config, NoTls, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Timeout of a statement, after which the connection counts as lost.
const PATIENCE: Duration = Duration::from_secs(3);

/// Timeout of a connection attempt.
const FIRST_WORD: Duration = Duration::from_secs(2);

/// How long a new connection may wait for the standby; shorter than [`FIRST_WORD`].
const CATCHING_UP: Duration = Duration::from_millis(1_500);

/// Ends when the synchronous standbys, if there are any, have everything that was committed before: locking a row is
/// logged like a change, but waits for no other lock. A commit that waited for its standby when the database was killed
/// is visible afterwards although the standby never received it.
const CAUGHT_UP: &str = "SELECT format FROM quadrille_format FOR KEY SHARE";

/// Session settings: statements and locks time out, no transaction stays open, and a commit is durable when it is
/// reported, whatever the database's defaults are.
const SETTINGS: &str = "SET statement_timeout = 2500; SET lock_timeout = 1000; \
    SET idle_in_transaction_session_timeout = 3000; \
    SET default_transaction_isolation = 'read committed'; \
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'";

/// Why a statement failed.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The database reported an error; nothing was stored.
    Refused(SqlState, String),
    /// No connection could be opened; nothing was sent.
    Away(String),
    /// The connection was lost after the statement was sent, so it may have been executed.
    Lost(String),
}

impl Fault {
    /// The error message.
    pub fn reason(self) -> String {
        let (Fault::Refused(_, reason) | Fault::Away(reason) | Fault::Lost(reason)) = self;
        reason
    }

    /// Whether a retry may succeed.
    pub fn passes(&self) -> bool {
        let Fault::Refused(code, _) = self else { return true };
        [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::LOCK_NOT_AVAILABLE,
            SqlState::QUERY_CANCELED,
        ]
        .contains(code)
    }

    /// Whether the data are to blame (invalid data, a violated constraint, an exceeded limit) rather than the
    /// database. Any other error would affect all appends.
    pub fn is_about_the_data(&self) -> bool {
        let Fault::Refused(code, _) = self else { return false };
        ["22", "23", "54"].iter().any(|class| code.code().starts_with(class))
    }
}

/// FATAL and PANIC end the connection, so the statement may have been executed all the same.
impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Fault {
        match error.as_db_error() {
            // Only the parsed severity is never translated, but not every database sends it.
            Some(said)
                if matches!(said.parsed_severity(), Some(Severity::Fatal | Severity::Panic))
                    || ["FATAL", "PANIC"].contains(&said.severity()) =>
            {
                Fault::Lost(said.message().to_owned())
            }
            Some(said) => Fault::Refused(said.code().clone(), said.message().to_owned()),
            None => Fault::Lost(error.to_string()),
        }
    }
}

/// The future answer of a database.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, Fault>> + Send + 'a>>;

/// A database to connect to; a simulation provides its own.
pub trait Database: Send + Sync {
    fn connect(&self) -> Answer<'_, Arc<dyn Session>>;
}

/// An open connection to a database.
pub trait Session: Send + Sync {
    fn is_closed(&self) -> bool;

    /// Executes a statement, in the open transaction or one of its own.
    fn query<'a>(&'a self, sql: &'static str, values: Values<'a>) -> Answer<'a, Cells>;

    /// Executes statements without parameters.
    fn batch<'a>(&'a self, sql: &'a str) -> Answer<'a, ()>;
}

/// How to reach a PostgreSQL server.
pub struct Address {
    config: Config,
    tls: Option<MakeRustlsConnect>,
}

impl Address {
    /// Parses `postgres://user:password@host:port,host:port/name?sslmode=require&sslrootcert=FILE`.
    pub fn read(text: &str) -> Result<Address, String> {
        let (text, root) = without_root(text);
        // Certificates and host names are always checked, which is what libpq calls verify-full.
        let text = text.replace("sslmode=verify-full", "sslmode=require");
        let told = text.contains("sslmode=");
        let mut config: Config = text.parse().map_err(|error: tokio_postgres::Error| {
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            format!("not a database URL: {}", reason.unwrap_or(error.to_string()))
        })?;
        // With several hosts, a dead one must leave time for the next.
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(1).max(1);
        config.connect_timeout(FIRST_WORD / hosts).tcp_user_timeout(PATIENCE);
        config.application_name("quadrille");
        let wanted = root.is_some() || config.get_ssl_mode() == SslMode::Require;
        if wanted {
            config.ssl_mode(SslMode::Require);
        }
        if !wanted && !told {
            tracing::warn!("the link to the database is not encrypted; add sslmode=verify-full");
        }
        let tls = wanted.then(|| tls(root.as_deref())).transpose()?;
        Ok(Address { config, tls })
    }

    async fn open(&self) -> Result<Connection, Fault> {
        let away = |error: tokio_postgres::Error| match error.as_db_error() {
            Some(said) => Fault::Away(said.message().to_owned()),
            None => Fault::Away(with_source(&error)),
        };
        let warnings = Arc::new(AtomicUsize::new(0));
        let client = match &self.tls {
            Some(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await.map_err(away)?;
                tokio::spawn(listen(connection, Arc::clone(&warnings)));
                client
            }
            None => {
                let (client, connection) = self.config.connect(NoTls).await.map_err(away)?;
                tokio::spawn(listen(connection, Arc::clone(&warnings)));
                client
            }
        };
        client.batch_execute(SETTINGS).await.map_err(away)?;
        Ok(Connection { client, warnings, statements: Mutex::default() })
    }

    /// Ends a statement that nobody waits for any more; the database itself would not notice.
    async fn cancel(&self, token: CancelToken) {
        let _ = match &self.tls {
            Some(tls) => token.cancel_query(tls.clone()).await,
            None => token.cancel_query(NoTls).await,
        };
    }
}

/// Serves a connection until it ends, and counts the database's warnings.
async fn listen<S, T>(mut connection: tokio_postgres::Connection<S, T>, warnings: Arc<AtomicUsize>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    T: AsyncRead + AsyncWrite + Unpin,
{
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notice(notice) = message
            && notice.parsed_severity() == Some(Severity::Warning)
        {
            tracing::warn!(warning = notice.message(), "the database warns");
            warnings.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// Waits for [`CAUGHT_UP`].
async fn catch_up(session: &dyn Session) -> Result<(), Fault> {
    match session.batch(CAUGHT_UP).await {
        // It has no tables yet, or cannot be written to.
        Err(fault @ Fault::Refused(..)) if !fault.passes() => Ok(()),
        other => other,
    }
}

impl Database for Address {
    fn connect(&self) -> Answer<'_, Arc<dyn Session>> {
        Box::pin(async {
            let connection = self.open().await?;
            let token = connection.client.cancel_token();
            let Ok(done) = timeout(CATCHING_UP, catch_up(&connection)).await else {
                self.cancel(token).await;
                return Err(Fault::Away("the database waits for its standby".into()));
            };
            done.map_err(|fault| Fault::Away(fault.reason()))?;
            Ok(Arc::new(connection) as Arc<dyn Session>)
        })
    }
}

fn with_source(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Removes `sslrootcert`, which tokio-postgres does not know.
fn without_root(text: &str) -> (String, Option<String>) {
    let Some((base, query)) = text.split_once('?') else { return (text.to_owned(), None) };
    let mut root = None;
    let kept: Vec<_> = query
        .split('&')
        .filter(|pair| match pair.strip_prefix("sslrootcert=") {
            Some(file) => {
                root = Some(file.to_owned());
                false
            }
            None => true,
        })
        .collect();
    match kept.is_empty() {
        true => (base.to_owned(), root),
        false => (format!("{base}?{}", kept.join("&")), root),
    }
}

fn tls(root: Option<&str>) -> Result<MakeRustlsConnect, String> {
    let mut roots = rustls::RootCertStore::empty();
    match root {
        Some(file) => {
            let failed = |error: &dyn std::fmt::Display| {
                format!("cannot read certificates from `{file}`: {error}")
            };
            let found = CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))?;
            for certificate in found {
                let certificate = certificate.map_err(|error| failed(&error))?;
                roots.add(certificate).map_err(|error| failed(&error))?;
            }
        }
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("cannot set up TLS: {error}"))?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// A connection and its prepared statements.
struct Connection {
    client: Client,
    /// How many warnings the database has sent.
    warnings: Arc<AtomicUsize>,
    statements: Mutex<HashMap<&'static str, Statement>>,
}

impl Connection {
    fn prepared(&self, sql: &'static str) -> Option<Statement> {
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned()
    }

    async fn statement(&self, sql: &'static str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(known) = self.prepared(sql) {
            return Ok(known);
        }
        let new = self.client.prepare(sql).await?;
        let mut statements = self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(statements.entry(sql).or_insert(new).clone())
    }

    /// A warning may say that a commit did not wait for its standby, so its outcome counts as unknown.
    async fn unless_warned<T>(
        &self,
        asked: impl Future<Output = Result<T, Fault>>,
    ) -> Result<T, Fault> {
        let before = self.warnings.load(Ordering::SeqCst);
        let done = asked.await?;
        match self.warnings.load(Ordering::SeqCst) == before {
            true => Ok(done),
            false => Err(Fault::Lost("the database warned".into())),
        }
    }
}

impl Session for Connection {
    fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    fn query<'a>(&'a self, sql: &'static str, values: Values<'a>) -> Answer<'a, Cells> {
        Box::pin(async move {
            // While the statement is being prepared, nothing can have been executed.
            let statement = self.statement(sql).await.map_err(|error| match error.into() {
                Fault::Lost(reason) => Fault::Away(reason),
                other => other,
            })?;
            let rows =
                self.unless_warned(async { Ok(self.client.query(&statement, values).await?) });
            rows.await?.iter().map(Row::read).collect()
        })
    }

    fn batch<'a>(&'a self, sql: &'a str) -> Answer<'a, ()> {
        let asked = async move { Ok(self.client.batch_execute(sql).await?) };
        Box::pin(self.unless_warned(asked))
    }
}

/// A connection that is reopened when it is lost.
pub struct Link {
    database: Arc<dyn Database>,
    held: tokio::sync::Mutex<Held>,
}

/// The current connection, and the last failed attempt to open one.
#[derive(Default)]
struct Held {
    connection: Option<Arc<dyn Session>>,
    failed: Option<(Instant, Fault)>,
}

/// The parameters of a statement.
pub type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

impl Link {
    /// The connection is opened on demand.
    pub fn new(database: &Arc<dyn Database>) -> Link {
        Link { database: Arc::clone(database), held: tokio::sync::Mutex::default() }
    }

    async fn connection(&self) -> Result<Arc<dyn Session>, Fault> {
        let asked = Instant::now();
        let mut held = self.held.lock().await;
        if let Some(connection) =
            held.connection.as_ref().filter(|connection| !connection.is_closed())
        {
            return Ok(Arc::clone(connection));
        }
        // Everybody who waited for an attempt shares its failure; separate attempts would queue up behind each other.
        if let Some((_, fault)) = held.failed.as_ref().filter(|(at, _)| *at >= asked) {
            return Err(fault.clone());
        }
        let connected = timeout(FIRST_WORD, self.database.connect()).await;
        let silent = || Err(Fault::Away("the database does not answer".into()));
        match connected.unwrap_or_else(|_| silent()) {
            Ok(new) => {
                held.connection = Some(Arc::clone(&new));
                Ok(new)
            }
            Err(fault) => {
                held.failed = Some((Instant::now(), fault.clone()));
                Err(fault)
            }
        }
    }

    /// Drops a connection, if it is still the current one.
    async fn drop(&self, lost: &Arc<dyn Session>) {
        self.held.lock().await.connection.take_if(|connection| Arc::ptr_eq(connection, lost));
    }

    /// Executes a statement in its own transaction.
    pub async fn query(&self, sql: &'static str, values: Values<'_>) -> Result<Cells, Fault> {
        let connection = self.connection().await?;
        let asked = connection.query(sql, values);
        let silent = || Fault::Lost("the database stopped answering".into());
        let answer = timeout(PATIENCE, asked).await.unwrap_or_else(|_| Err(silent()));
        if let Err(Fault::Lost(_) | Fault::Away(_)) = &answer {
            self.drop(&connection).await;
        }
        answer
    }

    /// Executes an idempotent statement, retrying once after a transient error.
    pub async fn read(&self, sql: &'static str, values: Values<'_>) -> Result<Cells, Fault> {
        match self.query(sql, values).await {
            Err(fault) if fault.passes() => self.query(sql, values).await,
            other => other,
        }
    }

    /// Executes a statement and rolls it back, to find out whether it would succeed, and be replicated. Nobody else may
    /// use the connection meanwhile.
    pub async fn rehearse(&self, sql: &'static str, values: Values<'_>) -> Result<(), Fault> {
        // All three statements must use the same connection, or the middle one would be committed.
        let connection = self.connection().await?;
        let tried = timeout(PATIENCE, async {
            connection.batch("BEGIN").await?;
            let done = connection.query(sql, values).await;
            connection.batch("ROLLBACK").await?;
            done?;
            catch_up(connection.as_ref()).await
        });
        let silent = || Fault::Lost("the database stopped answering".into());
        let done = tried.await.unwrap_or_else(|_| Err(silent()));
        if let Err(Fault::Lost(_) | Fault::Away(_)) = &done {
            self.drop(&connection).await;
        }
        done
    }

    /// Executes several statements without parameters in one transaction.
    pub async fn batch(&self, sql: &str) -> Result<(), Fault> {
        self.connection().await?.batch(sql).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_or_without_a_certificate_of_their_own() {
        assert!(
            Address::read("postgres://a@b/c?sslmode=verify-full")
                .is_ok_and(|own| own.tls.is_some())
        );
        let parts = without_root("postgres://a@b/c?sslmode=require&sslrootcert=/ca.pem&x=1");
        assert_eq!(parts.0, "postgres://a@b/c?sslmode=require&x=1");
        assert_eq!(parts.1.as_deref(), Some("/ca.pem"));
        assert_eq!(without_root("postgres://b?sslrootcert=f").0, "postgres://b");
        assert!(Address::read("postgres://ann@localhost/games").is_ok());
        assert!(Address::read("postgres://a@b:1,c:2/d?target_session_attrs=read-write").is_ok());
        assert!(Address::read("postgres://b?sslrootcert=/no/such/file").is_err());
        assert!(Address::read("postgres://b?what=ever").is_err());
    }
}
