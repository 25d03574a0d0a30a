//! One client: its socket, its protocol, and what waits to be written to it.

use super::{grpc, http, tls};
use crate::engine::poller::Ready;
use crate::engine::socket::{Moved, Socket};

/// Replies, prepared once.
#[derive(Debug)]
pub struct Replies {
    pub http: Vec<u8>,
    pub grpc: grpc::Reply,
}

#[derive(Debug)]
pub struct Client {
    pub socket: Socket,
    /// Distinguishes it from earlier clients in the same slot.
    pub visit: u64,
    session: Option<tls::Session>,
    protocol: Protocol,
    /// Bytes that the socket has not accepted yet.
    backlog: Vec<u8>,
}

#[derive(Debug)]
enum Protocol {
    /// Not known yet from the bytes so far.
    Unknown(Vec<u8>),
    Http(http::Requests),
    Grpc(Box<grpc::Session>),
}

impl Client {
    pub fn new(socket: Socket, visit: u64, session: Option<tls::Session>) -> Self {
        Self { socket, visit, session, protocol: Protocol::Unknown(Vec::new()), backlog: Vec::new() }
    }

    /// Takes requests and appends their replies. False when the client must be dropped.
    pub fn read(&mut self, event: &Ready, replies: &Replies, buffer: &mut [u8], out: &mut Vec<u8>) -> bool {
        if event.readable {
            loop {
                match self.socket.read(buffer) {
                    Moved::Bytes(count) => {
                        if !self.receive(&buffer[..count], replies, out) {
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

    fn receive(&mut self, input: &[u8], replies: &Replies, out: &mut Vec<u8>) -> bool {
        let protocol = &mut self.protocol;
        match &mut self.session {
            None => protocol.take(input, replies, out),
            Some(session) => session.decrypt(input, |plain| protocol.take(plain, replies, out)),
        }
    }

    /// Writes what the socket accepts and keeps the rest. False when the client must be dropped.
    pub fn write(&mut self, out: &mut Vec<u8>) -> bool {
        if let Some(session) = &mut self.session {
            session.encrypt(out);
        }
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

impl Protocol {
    fn take(&mut self, input: &[u8], replies: &Replies, out: &mut Vec<u8>) -> bool {
        match self {
            Self::Http(requests) => requests.take(input, &replies.http, out),
            Self::Grpc(session) => session.take(input, &replies.grpc, out),
            Self::Unknown(seen) => {
                seen.extend_from_slice(input);
                let known = seen.len().min(grpc::PREFACE.len());
                if seen[..known] != grpc::PREFACE[..known] {
                    let seen = std::mem::take(seen);
                    *self = Self::Http(http::Requests::default());
                    return self.take(&seen, replies, out);
                }
                if known < grpc::PREFACE.len() {
                    return true;
                }
                let rest = seen.split_off(known);
                *self = Self::Grpc(Box::new(grpc::Session::new(out)));
                self.take(&rest, replies, out)
            }
        }
    }
}
