//! Listens, and serves all clients on one thread.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls::ServerConfig;

use super::client::{Client, Replies};
use super::delay::{Delay, Delayed};
use super::{grpc, http, tls};
use crate::engine::poller::{Poller, Ready};
use crate::engine::socket::Socket;

/// A listening null server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    replies: Replies,
    delay: Delay,
    tls: Option<Arc<ServerConfig>>,
}

/// A client, distinguished from earlier ones in the same slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    slot: usize,
    visit: u64,
}

const LISTENER: u64 = u64::MAX;
const READ_BUFFER: usize = 256 * 1024;
const LONGEST_WAIT: Duration = Duration::from_secs(3_600);

impl Server {
    /// Listens; `http_reply` is JSON, `grpc_reply` an encoded message.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub fn bind(address: &str, http_reply: &[u8], grpc_reply: &[u8]) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        // Thousands of users connect at once.
        rustix::net::listen(&listener, 4_096)?;
        let replies = Replies { http: http::reply(http_reply), grpc: grpc::Reply::new(grpc_reply) };
        Ok(Self { listener, replies, delay: Delay::default(), tls: None })
    }

    /// Delays replies.
    #[must_use]
    pub fn delayed(mut self, delay: Delay) -> Self {
        self.delay = delay;
        self
    }

    /// Accepts TLS only.
    #[must_use]
    pub fn encrypted(mut self, config: Arc<ServerConfig>) -> Self {
        self.tls = Some(config);
        self
    }

    /// # Errors
    /// The system cannot return it.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// The system refuses to wait for sockets.
    pub fn serve(&self) -> io::Result<()> {
        let mut poller = Poller::new()?;
        poller.watch_listener(self.listener.as_fd(), LISTENER)?;
        let mut clients: Vec<Option<Client>> = Vec::new();
        let mut visits = 0;
        let mut delayed = Delayed::new(self.delay);
        let mut buffer = vec![0; READ_BUFFER];
        let mut out = Vec::new();
        let mut ready: Vec<Ready> = Vec::new();
        loop {
            let wait = delayed.as_ref().and_then(|delayed| delayed.wait(Instant::now()));
            poller.wait(wait.unwrap_or(LONGEST_WAIT), &mut ready)?;
            for event in &ready {
                if event.token == LISTENER {
                    self.accept(&poller, &mut clients, &mut visits)?;
                    continue;
                }
                let slot = event.token as usize;
                let Some(client) = clients.get_mut(slot).and_then(Option::as_mut) else {
                    continue;
                };
                let stays = client.read(event, &self.replies, &mut buffer, &mut out);
                if let Some(delayed) = delayed.as_mut().filter(|_| !out.is_empty()) {
                    delayed.put(Place { slot, visit: client.visit }, std::mem::take(&mut out), Instant::now());
                }
                // Bytes written before the error still reach the client.
                if !client.write(&mut out) || !stays {
                    clients[slot] = None;
                }
                out.clear();
            }
            if let Some(delayed) = &mut delayed {
                write_due(delayed, &mut clients);
            }
        }
    }

    fn accept(&self, poller: &Poller, clients: &mut Vec<Option<Client>>, visits: &mut u64) -> io::Result<()> {
        loop {
            let (stream, _) = match self.listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                // The client has disconnected, or descriptors are short for a moment: other clients continue.
                Err(_) => return Ok(()),
            };
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            let slot = clients.iter().position(Option::is_none).unwrap_or_else(|| {
                clients.push(None);
                clients.len() - 1
            });
            let socket = Socket::from_fd(OwnedFd::from(stream));
            poller.watch(socket.as_fd(), slot as u64)?;
            *visits += 1;
            let session = self.tls.as_ref().map(tls::Session::new).transpose().map_err(io::Error::other)?;
            clients[slot] = Some(Client::new(socket, *visits, session));
        }
    }
}

fn write_due(delayed: &mut Delayed<Place>, clients: &mut [Option<Client>]) {
    let now = Instant::now();
    while let Some(mut waiting) = delayed.take(now) {
        let Place { slot, visit } = waiting.to;
        let Some(client) = clients[slot].as_mut().filter(|client| client.visit == visit) else {
            continue;
        };
        if !client.write(&mut waiting.bytes) {
            clients[slot] = None;
        }
    }
}
