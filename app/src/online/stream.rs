//! A connection to a server, plain or, where the program is built with it, over TLS.

use std::io::{Read, Result, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long a connection and a request may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A connection.
pub enum Stream {
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Secure(Box<rustls::StreamOwned<rustls::ClientConnection, TcpStream>>),
}

impl Stream {
    /// Connects to a host with its port, or says why not.
    pub fn open(host: &str, secure: bool) -> std::result::Result<Stream, String> {
        let stream = connected(host)?;
        match secure {
            false => Ok(Stream::Plain(stream)),
            #[cfg(feature = "tls")]
            true => secured(host, stream).map_err(|why| format!("cannot reach {host}: {why}")),
            #[cfg(not(feature = "tls"))]
            true => Err(format!("cannot reach {host}: {NO_TLS}")),
        }
    }

    /// How long a read waits.
    pub fn set_read_timeout(&self, time: Duration) -> Result<()> {
        match self {
            Stream::Plain(socket) => socket.set_read_timeout(Some(time)),
            #[cfg(feature = "tls")]
            Stream::Secure(stream) => stream.sock.set_read_timeout(Some(time)),
        }
    }
}

/// What is said of `https` where the program cannot speak it.
#[cfg(not(feature = "tls"))]
pub const NO_TLS: &str = "this program was built without TLS. Build it with \
    `cargo install --path app --locked --features tls`, or make a tunnel with \
    `ssh -L 8000:127.0.0.1:8000 HOST` and use http://127.0.0.1:8000/ID";

fn connected(host: &str) -> std::result::Result<TcpStream, String> {
    let said = |why: String| format!("cannot reach {host}: {why}");
    let addresses = host.to_socket_addrs().map_err(|error| said(error.to_string()))?;
    let mut last = said("it has no address".into());
    for address in addresses {
        match TcpStream::connect_timeout(&address, PATIENCE) {
            Ok(stream) => {
                let limits = stream
                    .set_read_timeout(Some(PATIENCE))
                    .and_then(|()| stream.set_write_timeout(Some(PATIENCE)))
                    .and_then(|()| stream.set_nodelay(true));
                return limits.map(|()| stream).map_err(|error| said(error.to_string()));
            }
            Err(error) => last = said(error.to_string()),
        }
    }
    Err(last)
}

/// Greets a server over TLS, and checks that it is the one it should be.
#[cfg(feature = "tls")]
fn secured(host: &str, stream: TcpStream) -> std::result::Result<Stream, String> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in rustls_native_certs::load_native_certs().certs {
        // One that cannot be read proves nothing, and the others may.
        let _ = roots.add(certificate);
    }
    if roots.is_empty() {
        return Err("this machine knows no certificates to check the server's with".into());
    }
    let config = rustls::ClientConfig::builder().with_root_certificates(roots);
    let config = std::sync::Arc::new(config.with_no_client_auth());
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    let name = rustls::pki_types::ServerName::try_from(name.to_owned());
    let name = name.map_err(|error| error.to_string())?;
    let session = rustls::ClientConnection::new(config, name).map_err(|error| error.to_string())?;
    let mut stream = rustls::StreamOwned::new(session, stream);
    // The greeting is exchanged with the first bytes; what is wrong with it should be told now.
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock).map_err(|error| error.to_string())?;
    }
    Ok(Stream::Secure(Box::new(stream)))
}

impl Read for Stream {
    fn read(&mut self, bytes: &mut [u8]) -> Result<usize> {
        match self {
            Stream::Plain(stream) => stream.read(bytes),
            #[cfg(feature = "tls")]
            Stream::Secure(stream) => match stream.read(bytes) {
                // Many servers close without a word of farewell.
                Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Ok(0),
                read => read,
            },
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        match self {
            Stream::Plain(stream) => stream.write(bytes),
            #[cfg(feature = "tls")]
            Stream::Secure(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> Result<()> {
        match self {
            Stream::Plain(stream) => stream.flush(),
            #[cfg(feature = "tls")]
            Stream::Secure(stream) => stream.flush(),
        }
    }
}
