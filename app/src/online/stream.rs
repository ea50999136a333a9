//! A connection to a server, plain or, where the program is built with it, over TLS.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long a connection and a request may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Bytes to and from a server.
pub trait Stream: Read + Write + Send {
    /// The socket below, of which the timeouts can be set.
    fn socket(&self) -> &TcpStream;
}

impl Stream for TcpStream {
    fn socket(&self) -> &TcpStream {
        self
    }
}

#[cfg(feature = "tls")]
impl Stream for rustls::StreamOwned<rustls::ClientConnection, TcpStream> {
    fn socket(&self) -> &TcpStream {
        &self.sock
    }
}

/// Connects to a host with its port, or says why not.
pub fn open(host: &str, secure: bool) -> Result<Box<dyn Stream>, String> {
    let stream = connected(host)?;
    match secure {
        false => Ok(Box::new(stream)),
        #[cfg(feature = "tls")]
        true => secured(host, stream).map_err(|why| format!("cannot reach {host}: {why}")),
        #[cfg(not(feature = "tls"))]
        true => Err(format!("cannot reach {host}: {NO_TLS}")),
    }
}

/// The message for `https` where the program cannot speak it.
#[cfg(not(feature = "tls"))]
pub const NO_TLS: &str = "this program was built without TLS. Build it with \
    `cargo install --path app --locked --features tls`, or make a tunnel with \
    `ssh -L 8000:127.0.0.1:8000 HOST` and use http://127.0.0.1:8000/ID";

fn connected(host: &str) -> Result<TcpStream, String> {
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

/// Makes a TLS handshake, and checks the server's certificate.
#[cfg(feature = "tls")]
fn secured(host: &str, stream: TcpStream) -> Result<Box<dyn Stream>, String> {
    let mut roots = rustls::RootCertStore::empty();
    for certificate in rustls_native_certs::load_native_certs().certs {
        // An unreadable root certificate proves nothing, but others may.
        let _ = roots.add(certificate);
    }
    if roots.is_empty() {
        return Err("this machine has no root certificates to check the server's with".into());
    }
    let config = rustls::ClientConfig::builder().with_root_certificates(roots);
    let config = std::sync::Arc::new(config.with_no_client_auth());
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name).trim_matches(['[', ']']);
    let name = rustls::pki_types::ServerName::try_from(name.to_owned());
    let name = name.map_err(|error| error.to_string())?;
    let session = rustls::ClientConnection::new(config, name).map_err(|error| error.to_string())?;
    let mut stream = rustls::StreamOwned::new(session, stream);
    // The handshake comes with the first bytes; its errors should be reported now.
    while stream.conn.is_handshaking() {
        stream.conn.complete_io(&mut stream.sock).map_err(|error| error.to_string())?;
    }
    Ok(Box::new(stream))
}
