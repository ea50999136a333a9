//! A network whose connections have delays, fall silent and are cut. Bytes of one connection stay in order, but
//! connections may overtake each other.

use super::world::{MS, Micros, World, lock};
use rules::random::Random;
use server::http::listener;
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::task::{Context, Poll, Waker};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::{Notify, oneshot};

/// How many bytes may be in flight in one direction.
const WINDOW: usize = 64 << 10;

/// One direction of a connection.
#[derive(Default)]
struct Pipe {
    chunks: VecDeque<(Micros, Vec<u8>)>,
    bytes: usize,
    /// When the last byte in flight arrives.
    last: Micros,
    /// When the end of the stream arrives.
    end: Option<Micros>,
    random: Option<Random>,
    /// Whether the reader is gone.
    unread: bool,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

#[derive(Default)]
struct Wire {
    /// By the number of the receiving side.
    pipes: [Pipe; 2],
    cut: bool,
}

impl Wire {
    fn cut(&mut self) {
        self.cut = true;
        for pipe in &mut self.pipes {
            let wakers = [pipe.reader.take(), pipe.writer.take()];
            wakers.into_iter().flatten().for_each(Waker::wake);
        }
    }
}

/// One end of a connection.
pub struct Stream {
    network: Arc<Network>,
    wire: Arc<Mutex<Wire>>,
    side: usize,
    processes: [usize; 2],
}

/// A server's listener.
#[derive(Default)]
struct Door {
    open: bool,
    waiting: VecDeque<(Stream, SocketAddr)>,
    /// Until when no packets pass.
    silent: Micros,
}

pub struct Network {
    pub world: Arc<World>,
    /// The base delay.
    delay: Micros,
    doors: Vec<(Mutex<Door>, Notify)>,
    wires: Mutex<Vec<(usize, Weak<Mutex<Wire>>)>>,
}

impl Network {
    pub fn new(world: &Arc<World>, processes: usize) -> Arc<Network> {
        let doors = (0..processes).map(|_| Default::default()).collect();
        let delay = [MS / 5, MS, 5 * MS, 20 * MS][world.draw(4) as usize];
        Arc::new(Network { world: Arc::clone(world), delay, doors, wires: Mutex::default() })
    }

    /// The delay of a packet, which sometimes includes a retransmission.
    fn delay(&self, server: usize, random: &mut Random) -> Micros {
        let again = if random.below(60) == 0 { 200 * MS } else { 0 };
        let silent = lock(&self.doors[server].0).silent.saturating_sub(self.world.now());
        silent + self.delay / 2 + random.below(self.delay as usize * 3 / 2) as Micros + again
    }

    /// Drops all packets between clients and this server for a while.
    pub fn silence(&self, server: usize, time: Micros) {
        lock(&self.doors[server].0).silent = self.world.now() + time;
    }

    /// Cuts all connections to a server.
    pub fn cut(&self, server: usize) {
        let mut wires = lock(&self.wires);
        wires.retain(|(_, wire)| wire.strong_count() > 0);
        for (_, wire) in wires.iter().filter(|(own, _)| *own == server) {
            wire.upgrade().iter().for_each(|wire| lock(wire).cut());
        }
    }

    /// Closes the listener when its process has ended.
    pub fn close(&self, server: usize) {
        let waiting = {
            let mut door = lock(&self.doors[server].0);
            door.open = false;
            std::mem::take(&mut door.waiting)
        };
        drop(waiting);
    }

    pub fn listen(self: &Arc<Self>, server: usize) -> Listener {
        lock(&self.doors[server].0).open = true;
        Listener { network: Arc::clone(self), server }
    }

    /// Connects a client.
    pub async fn connect(self: &Arc<Self>, from: SocketAddr, server: usize) -> io::Result<Stream> {
        let (tell, told) = oneshot::channel();
        let network = Arc::clone(self);
        let number = self.world.draw(u64::MAX);
        let mut random = self.world.own(number);
        self.world.after(self.delay(server, &mut random), server, move || {
            let back = network.delay(server, &mut random);
            let world = Arc::clone(&network.world);
            let connected = network.meet(from, server, number);
            world.after(back, 0, move || drop(tell.send(connected)));
        });
        let refused = || io::Error::from(io::ErrorKind::ConnectionRefused);
        told.await.ok().flatten().ok_or_else(refused)
    }

    fn meet(self: &Arc<Self>, from: SocketAddr, server: usize, number: u64) -> Option<Stream> {
        let mut wire = Wire::default();
        for (i, pipe) in (1..).zip(&mut wire.pipes) {
            pipe.random = Some(self.world.own(number.wrapping_add(i)));
        }
        let wire = Arc::new(Mutex::new(wire));
        let end = |side| {
            let (network, wire) = (Arc::clone(self), Arc::clone(&wire));
            Stream { network, wire, side, processes: [0, server] }
        };
        let (door, arrived) = &self.doors[server];
        let mut door = lock(door);
        if !door.open {
            // No stream exists yet whose drop would take a lock that is held here.
            return None;
        }
        door.waiting.push_back((end(1), from));
        arrived.notify_one();
        lock(&self.wires).push((server, Arc::downgrade(&wire)));
        Some(end(0))
    }
}

pub struct Listener {
    network: Arc<Network>,
    server: usize,
}

impl listener::Listener for Listener {
    type Stream = Stream;

    async fn accept(&self) -> io::Result<(Stream, SocketAddr)> {
        let (door, arrived) = &self.network.doors[self.server];
        loop {
            if let Some(first) = lock(door).waiting.pop_front() {
                return Ok(first);
            }
            arrived.notified().await;
        }
    }
}

impl Stream {
    fn server(&self) -> usize {
        self.processes[1]
    }

    /// Sends bytes, or the end of the stream if there are none.
    fn send(&self, bytes: Option<&[u8]>) -> io::Result<usize> {
        let (world, other) = (&self.network.world, 1 - self.side);
        let mut wire = lock(&self.wire);
        if wire.cut {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        let pipe = &mut wire.pipes[other];
        if pipe.unread || pipe.end.is_some() {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let delay = pipe.random.as_mut().map(|own| self.network.delay(self.server(), own));
        pipe.last = pipe.last.max(world.now() + delay.unwrap_or(0));
        let sent = bytes.map(|bytes| &bytes[..bytes.len().min(WINDOW - pipe.bytes)]);
        match sent {
            Some([]) => return Err(io::ErrorKind::WouldBlock.into()),
            Some(bytes) => {
                pipe.bytes += bytes.len();
                pipe.chunks.push_back((pipe.last, bytes.to_vec()));
            }
            None => pipe.end = Some(pipe.last),
        }
        let own = Arc::clone(&self.wire);
        world.at(pipe.last, self.processes[other], move || {
            let reader = lock(&own).pipes[other].reader.take();
            reader.into_iter().for_each(Waker::wake);
        });
        Ok(sent.map_or(0, <[u8]>::len))
    }

    fn receive(&self, most: usize) -> io::Result<Vec<u8>> {
        let now = self.network.world.now();
        let mut wire = lock(&self.wire);
        if wire.cut {
            return Err(io::ErrorKind::ConnectionReset.into());
        }
        let pipe = &mut wire.pipes[self.side];
        let arrived = pipe.chunks.front().is_some_and(|(at, _)| *at <= now);
        let Some((_, mut bytes)) = arrived.then(|| pipe.chunks.pop_front()).flatten() else {
            return match pipe.end.is_some_and(|at| at <= now) {
                true => Ok(Vec::new()),
                false => Err(io::ErrorKind::WouldBlock.into()),
            };
        };
        if bytes.len() > most {
            let rest = bytes.split_off(most);
            pipe.chunks.push_front((now, rest));
        }
        pipe.bytes -= bytes.len();
        let (own, other, world) = (Arc::clone(&self.wire), self.side, &self.network.world);
        if pipe.writer.is_some() {
            world.after(MS, self.processes[1 - other], move || {
                let writer = lock(&own).pipes[other].writer.take();
                writer.into_iter().for_each(Waker::wake);
            });
        }
        Ok(bytes)
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        lock(&self.wire).pipes[self.side].unread = true;
        let _ = self.send(None);
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.receive(buffer.remaining()) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                lock(&self.wire).pipes[self.side].reader = Some(cx.waker().clone());
                Poll::Pending
            }
            Err(error) => Poll::Ready(Err(error)),
            Ok(bytes) => {
                buffer.put_slice(&bytes);
                Poll::Ready(Ok(()))
            }
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.send(Some(bytes)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                lock(&self.wire).pipes[1 - self.side].writer = Some(cx.waker().clone());
                Poll::Pending
            }
            sent => Poll::Ready(sent),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let _ = self.send(None);
        Poll::Ready(Ok(()))
    }
}

impl listener::Stream for Stream {
    fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        self.send(Some(bytes))
    }

    fn try_read(&self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.receive(bytes.len())?;
        bytes[..read.len()].copy_from_slice(&read);
        Ok(read.len())
    }
}
