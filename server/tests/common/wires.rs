//! Proxied connections between processes that can be cut silently: what is sent then is lost.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::time::Duration;

/// A wire to a port.
pub struct Wire {
    pub port: u16,
    /// The port that new connections go to.
    to: Arc<AtomicU16>,
    cut: Arc<AtomicBool>,
    /// Incremented when the wire is mended: older connections are then closed.
    mended: Arc<AtomicU64>,
}

impl Wire {
    pub fn new(to: u16) -> Wire {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (cut, mended) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let state = (Arc::clone(&cut), Arc::clone(&mended));
        let to = Arc::new(AtomicU16::new(to));
        let leads = Arc::clone(&to);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let state = state.clone();
                let to = leads.load(Ordering::SeqCst);
                std::thread::spawn(move || {
                    let Ok(server) = TcpStream::connect(("127.0.0.1", to)) else { return };
                    let ends = [client.try_clone(), server.try_clone()];
                    let [Ok(back_to), Ok(back_from)] = ends else { return };
                    let other = state.clone();
                    std::thread::spawn(move || carry(back_from, back_to, &other));
                    carry(client, server, &state);
                });
            }
        });
        Wire { port, to, cut, mended }
    }

    /// Redirects new connections to another port.
    pub fn redirect(&self, to: u16) {
        self.to.store(to, Ordering::SeqCst);
    }

    pub fn cut(&self) {
        self.cut.store(true, Ordering::SeqCst);
    }

    pub fn mend(&self) {
        if self.cut.swap(false, Ordering::SeqCst) {
            self.mended.fetch_add(1, Ordering::SeqCst);
        }
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, state: &(Arc<AtomicBool>, Arc<AtomicU64>)) {
    let born = state.1.load(Ordering::SeqCst);
    let _ = from.set_read_timeout(Some(Duration::from_millis(100)));
    let _ = (from.set_nodelay(true), to.set_nodelay(true));
    let mut bytes = vec![0; 1 << 16];
    let mut lost = false;
    loop {
        let read = match from.read(&mut bytes) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => 0,
            Err(_) => break,
        };
        // A connection that has lost bytes cannot be resumed.
        if lost && state.1.load(Ordering::SeqCst) != born {
            break;
        }
        lost |= state.0.load(Ordering::SeqCst) && read > 0;
        if !lost && read > 0 && to.write_all(&bytes[..read]).is_err() {
            break;
        }
    }
    let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
}
