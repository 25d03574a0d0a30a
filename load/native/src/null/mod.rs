//! The server that costs least: whatever is asked, the same reply, over HTTP/1.1 and gRPC on one port.

mod delay;
mod grpc;
mod http;

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use crate::engine::poller::{Poller, Ready};
use crate::engine::socket::{Moved, Socket};

pub use delay::Delay;
use delay::Delayed;

/// Replies, prepared once.
#[derive(Debug)]
struct Replies {
    http: Vec<u8>,
    grpc: grpc::Reply,
}

/// A listening null server.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    replies: Replies,
    delay: Delay,
}

/// A client, told from others that had its place before.
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
        Ok(Self { listener, replies, delay: Delay::default() })
    }

    /// Replies take this long.
    #[must_use]
    pub fn delayed(mut self, delay: Delay) -> Self {
        self.delay = delay;
        self
    }

    /// # Errors
    /// The system does not say.
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
                if !stays || !client.write(&mut out) {
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
                // The client has gone again, or descriptors are short for a moment: the others go on.
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
            let protocol = Protocol::Unknown(Vec::new());
            clients[slot] = Some(Client { socket, visit: *visits, protocol, backlog: Vec::new() });
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

#[derive(Debug)]
struct Client {
    socket: Socket,
    visit: u64,
    protocol: Protocol,
    /// Bytes that the socket had no room for.
    backlog: Vec<u8>,
}

#[derive(Debug)]
enum Protocol {
    /// What has come so far does not tell.
    Unknown(Vec<u8>),
    Http(http::Requests),
    Grpc(Box<grpc::Session>),
}

impl Client {
    /// Takes requests and appends their replies. False when the client is to be forgotten.
    fn read(&mut self, event: &Ready, replies: &Replies, buffer: &mut [u8], out: &mut Vec<u8>) -> bool {
        if event.readable {
            loop {
                match self.socket.read(buffer) {
                    Moved::Bytes(count) => {
                        if !self.take(&buffer[..count], replies, out) {
                            return false;
                        }
                        if count < buffer.len() && !event.ended {
                            break;
                        }
                    }
                    Moved::WouldBlock => break,
                    Moved::End | Moved::Failed(_) => return false,
                }
            }
        }
        true
    }

    fn take(&mut self, input: &[u8], replies: &Replies, out: &mut Vec<u8>) -> bool {
        match &mut self.protocol {
            Protocol::Http(requests) => requests.take(input, &replies.http, out),
            Protocol::Grpc(session) => session.take(input, &replies.grpc, out),
            Protocol::Unknown(seen) => {
                seen.extend_from_slice(input);
                let known = seen.len().min(grpc::PREFACE.len());
                if seen[..known] != grpc::PREFACE[..known] {
                    let seen = std::mem::take(seen);
                    self.protocol = Protocol::Http(http::Requests::default());
                    return self.take(&seen, replies, out);
                }
                if known < grpc::PREFACE.len() {
                    return true;
                }
                let rest = seen.split_off(known);
                self.protocol = Protocol::Grpc(Box::new(grpc::Session::new(out)));
                self.take(&rest, replies, out)
            }
        }
    }

    /// Writes what there is room for and keeps the rest. False when the client is to be forgotten.
    fn write(&mut self, out: &mut Vec<u8>) -> bool {
        if !self.backlog.is_empty() {
            self.backlog.append(out);
            std::mem::swap(&mut self.backlog, out);
        }
        let mut written = 0;
        while written < out.len() {
            match self.socket.write(&out[written..]) {
                Moved::Bytes(count) => written += count,
                Moved::WouldBlock => break,
                Moved::End | Moved::Failed(_) => return false,
            }
        }
        self.backlog.extend_from_slice(&out[written..]);
        true
    }
}
