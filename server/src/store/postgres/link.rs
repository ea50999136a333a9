//! Connections to the database: how they are made, and what it means when one is lost.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_postgres::config::SslMode;
use tokio_postgres::error::SqlState;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Row, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

/// How long the database may take to answer before the connection counts as lost.
const PATIENCE: Duration = Duration::from_secs(3);

/// The same for a connection that is being made.
const FIRST_WORD: Duration = Duration::from_secs(2);

/// What each connection asks for: nothing waits for long, and no transaction stays open.
const SETTINGS: &str = "SET statement_timeout = 2500; SET lock_timeout = 1000; \
    SET idle_in_transaction_session_timeout = 3000";

/// Why something was not answered.
#[derive(Clone, Debug)]
pub enum Fault {
    /// The database said why; nothing was done.
    Refused(SqlState, String),
    /// No connection could be had; nothing was asked.
    Away(String),
    /// The connection was lost after something had been asked: it may have been done.
    Lost(String),
}

impl Fault {
    /// What was said.
    pub fn reason(self) -> String {
        let (Fault::Refused(_, reason) | Fault::Away(reason) | Fault::Lost(reason)) = self;
        reason
    }

    /// Whether the same may be done in a moment.
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

    /// Whether the reason lies in what was asked, not in the database: bad data, a broken constraint, a value
    /// beyond a limit. Anything else keeps others from storing something, too.
    pub fn is_about_the_data(&self) -> bool {
        let Fault::Refused(code, _) = self else { return false };
        ["22", "23", "54"].iter().any(|class| code.code().starts_with(class))
    }
}

/// After a last word the connection is gone, and what it was about may be stored all the same.
impl From<tokio_postgres::Error> for Fault {
    fn from(error: tokio_postgres::Error) -> Fault {
        match error.as_db_error() {
            Some(said) if !["FATAL", "PANIC"].contains(&said.severity()) => {
                Fault::Refused(said.code().clone(), said.message().to_owned())
            }
            Some(said) => Fault::Lost(said.message().to_owned()),
            None => Fault::Lost(error.to_string()),
        }
    }
}

/// Where the database is, and how to speak to it.
pub struct Address {
    config: Config,
    tls: Option<MakeRustlsConnect>,
}

impl Address {
    /// Reads `postgres://user:password@host:port,host:port/name?sslmode=require&sslrootcert=FILE`.
    pub fn read(text: &str) -> Result<Address, String> {
        let (text, root) = without_root(text);
        let mut config: Config = text.parse().map_err(|error: tokio_postgres::Error| {
            let reason = std::error::Error::source(&error).map(ToString::to_string);
            format!("this is no address of a database: {}", reason.unwrap_or(error.to_string()))
        })?;
        // If several are named, one that is dead must leave time for the next.
        let hosts = u32::try_from(config.get_hosts().len()).unwrap_or(1).max(1);
        config.connect_timeout(FIRST_WORD / hosts).tcp_user_timeout(PATIENCE);
        config.application_name("quadrille");
        let wanted = root.is_some() || config.get_ssl_mode() == SslMode::Require;
        if wanted {
            config.ssl_mode(SslMode::Require);
        }
        let tls = wanted.then(|| tls(root.as_deref())).transpose()?;
        Ok(Address { config, tls })
    }

    async fn connect(&self) -> Result<Client, Fault> {
        let away = |error: tokio_postgres::Error| match error.as_db_error() {
            Some(said) => Fault::Away(said.message().to_owned()),
            None => Fault::Away(with_source(&error)),
        };
        let client = match &self.tls {
            Some(tls) => {
                let (client, connection) = self.config.connect(tls.clone()).await.map_err(away)?;
                tokio::spawn(connection);
                client
            }
            None => {
                let (client, connection) = self.config.connect(NoTls).await.map_err(away)?;
                tokio::spawn(connection);
                client
            }
        };
        client.batch_execute(SETTINGS).await.map_err(away)?;
        Ok(client)
    }
}

fn with_source(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// Takes out what only this program reads.
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
                format!("no certificate could be read from `{file}`: {error}")
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
        .map_err(|error| format!("no TLS: {error}"))?;
    let config = config.with_root_certificates(roots).with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// A connection and its prepared statements.
struct Told {
    client: Client,
    statements: Mutex<HashMap<&'static str, Statement>>,
}

impl Told {
    fn known(&self, sql: &'static str) -> Option<Statement> {
        self.statements.lock().unwrap_or_else(PoisonError::into_inner).get(sql).cloned()
    }

    async fn statement(&self, sql: &'static str) -> Result<Statement, tokio_postgres::Error> {
        if let Some(known) = self.known(sql) {
            return Ok(known);
        }
        let new = self.client.prepare(sql).await?;
        let mut statements = self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(statements.entry(sql).or_insert(new).clone())
    }
}

/// One connection at a time, replaced when it is lost.
pub struct Link {
    address: Arc<Address>,
    held: tokio::sync::Mutex<Held>,
}

/// The present connection, and when the last attempt to make one failed.
#[derive(Default)]
struct Held {
    told: Option<Arc<Told>>,
    failed: Option<(Instant, Fault)>,
}

/// The parameters of a statement.
pub type Values<'a> = &'a [&'a (dyn ToSql + Sync)];

impl Link {
    /// None yet: it is made when it is needed.
    pub fn new(address: &Arc<Address>) -> Link {
        Link { address: Arc::clone(address), held: tokio::sync::Mutex::default() }
    }

    async fn told(&self) -> Result<Arc<Told>, Fault> {
        let asked = Instant::now();
        let mut held = self.held.lock().await;
        if let Some(told) = held.told.as_ref().filter(|told| !told.client.is_closed()) {
            return Ok(Arc::clone(told));
        }
        // Everybody who waited for an attempt shares its failure. If each made one of their own, they would
        // wait for each other.
        if let Some((_, fault)) = held.failed.as_ref().filter(|(at, _)| *at >= asked) {
            return Err(fault.clone());
        }
        let connected = tokio::time::timeout(FIRST_WORD, self.address.connect()).await;
        let silent = || Err(Fault::Away("the database does not answer".into()));
        match connected.unwrap_or_else(|_| silent()) {
            Ok(client) => {
                let new = Arc::new(Told { client, statements: Mutex::default() });
                held.told = Some(Arc::clone(&new));
                Ok(new)
            }
            Err(fault) => {
                held.failed = Some((Instant::now(), fault.clone()));
                Err(fault)
            }
        }
    }

    /// Drops a connection, if it is still the present one.
    async fn drop(&self, lost: &Arc<Told>) {
        self.held.lock().await.told.take_if(|told| Arc::ptr_eq(told, lost));
    }

    /// Has a statement done, in a transaction of its own.
    pub async fn query(&self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, Fault> {
        let told = self.told().await?;
        let asked = async {
            // Until the statement is known, nothing can have been done.
            let statement = told.statement(sql).await.map_err(|error| match error.into() {
                Fault::Lost(reason) => Fault::Away(reason),
                other => other,
            })?;
            Ok(told.client.query(&statement, values).await?)
        };
        let silent = || Fault::Lost("the database does not answer any more".into());
        let answer = tokio::time::timeout(PATIENCE, asked).await.unwrap_or_else(|_| Err(silent()));
        if let Err(Fault::Lost(_) | Fault::Away(_)) = &answer {
            self.drop(&told).await;
        }
        answer
    }

    /// Reads something, once more if the connection was lost.
    pub async fn read(&self, sql: &'static str, values: Values<'_>) -> Result<Vec<Row>, Fault> {
        match self.query(sql, values).await {
            Err(fault) if fault.passes() => self.query(sql, values).await,
            other => other,
        }
    }

    /// Has a statement done and rolls it back, to learn whether it could be done. Nobody else may use the
    /// connection meanwhile.
    pub async fn rehearse(&self, sql: &'static str, values: Values<'_>) -> Result<(), Fault> {
        // One connection for all three: on another one the statement would be done for good.
        let told = self.told().await?;
        let tried = tokio::time::timeout(PATIENCE, async {
            let statement = told.statement(sql).await?;
            told.client.batch_execute("BEGIN").await?;
            let done = told.client.query(&statement, values).await;
            told.client.batch_execute("ROLLBACK").await?;
            Ok(done.map(drop)?)
        });
        let silent = || Fault::Lost("the database does not answer any more".into());
        let done = tried.await.unwrap_or_else(|_| Err(silent()));
        if let Err(Fault::Lost(_)) = &done {
            self.drop(&told).await;
        }
        done
    }

    /// Has several statements without parameters done in one transaction.
    pub async fn batch(&self, sql: &str) -> Result<(), Fault> {
        Ok(self.told().await?.client.batch_execute(sql).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_or_without_a_certificate_of_their_own() {
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
