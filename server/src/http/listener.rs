//! Listening sockets: a TCP port, or a Unix socket for a proxy on this machine.

use std::io;
#[cfg(unix)]
use std::net::Ipv4Addr;
use std::net::SocketAddr;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};

/// Accepts connections; a simulation provides its own.
pub trait Listener: Send + Sync + 'static {
    type Stream: Stream;

    fn accept(&self) -> impl Future<Output = io::Result<(Self::Stream, SocketAddr)>> + Send;
}

/// An accepted connection.
pub trait Stream: AsyncRead + AsyncWrite + Unpin + Send + Sync + 'static {
    /// Disables Nagle's algorithm, if the stream has it.
    fn hurry(&self) {}

    /// Writes what it can without blocking.
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize>;

    /// Reads what it can without blocking.
    fn try_read(&self, bytes: &mut [u8]) -> io::Result<usize>;
}

/// A listening socket.
pub enum Door {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(crate::admin::socket::Bound),
}

impl From<TcpListener> for Door {
    fn from(listener: TcpListener) -> Door {
        Door::Tcp(listener)
    }
}

impl Listener for TcpListener {
    type Stream = Incoming;

    async fn accept(&self) -> io::Result<(Incoming, SocketAddr)> {
        TcpListener::accept(self).await.map(|(stream, peer)| (Incoming::Tcp(stream), peer))
    }
}

impl Listener for Door {
    type Stream = Incoming;

    /// The next connection and its address; the loopback address for a Unix socket.
    async fn accept(&self) -> io::Result<(Incoming, SocketAddr)> {
        match self {
            Door::Tcp(own) => Listener::accept(own).await,
            #[cfg(unix)]
            Door::Unix(own) => {
                let (stream, _) = own.listener.accept().await?;
                Ok((Incoming::Unix(stream), (Ipv4Addr::LOCALHOST, 0).into()))
            }
        }
    }
}

/// A connection of either kind.
pub enum Incoming {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(tokio::net::UnixStream),
}

/// Forwards to the stream inside.
macro_rules! either {
    ($stream:expr, $own:ident => $do:expr) => {
        match $stream {
            Incoming::Tcp($own) => $do,
            #[cfg(unix)]
            Incoming::Unix($own) => $do,
        }
    };
}

impl Stream for Incoming {
    #[cfg_attr(not(unix), allow(irrefutable_let_patterns))]
    fn hurry(&self) {
        if let Incoming::Tcp(own) = self {
            let _ = own.set_nodelay(true);
        }
    }

    fn try_read(&self, buf: &mut [u8]) -> io::Result<usize> {
        either!(self, own => own.try_read(buf))
    }

    fn try_write(&self, buf: &[u8]) -> io::Result<usize> {
        either!(self, own => own.try_write(buf))
    }
}

impl AsyncRead for Incoming {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        either!(&mut *self, own => Pin::new(own).poll_read(cx, buf))
    }
}

impl AsyncWrite for Incoming {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(&mut *self, own => Pin::new(own).poll_write(cx, buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(&mut *self, own => Pin::new(own).poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        either!(self, own => own.is_write_vectored())
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut *self, own => Pin::new(own).poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut *self, own => Pin::new(own).poll_shutdown(cx))
    }
}
