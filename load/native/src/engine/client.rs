//! One request after the other on a connection of its own, through the same wire as the load.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::address::Address;
use crate::failure::Failure;
use crate::wire::{Code, Reply, Request, Wire};

/// A reply, whatever its status.
#[derive(Debug, Clone)]
pub struct Answer {
    pub code: Code,
    /// The status line and headers, where the call keeps them.
    pub head: Vec<u8>,
    pub body: Vec<u8>,
}

/// Why there is no reply.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{reason}")]
pub struct NoAnswer {
    pub failure: Failure,
    pub reason: String,
}

impl NoAnswer {
    fn of(failure: Failure, reason: Option<String>) -> Self {
        let reason = reason.or_else(|| failure.meaning().map(str::to_owned));
        Self { failure, reason: reason.unwrap_or_else(|| failure.name().into_owned()) }
    }
}

/// A connection that waits for each reply.
pub(super) struct Client<W: Wire> {
    shared: Arc<W::Shared>,
    address: Address,
    timeout: Duration,
    open: Option<(TcpStream, W)>,
    out: Vec<u8>,
}

impl<W: Wire> Client<W> {
    pub fn new(shared: Arc<W::Shared>, address: Address, timeout: Duration) -> Self {
        Self { shared, address, timeout, open: None, out: Vec::new() }
    }

    /// Sends a request and waits for its reply; once more on a new connection if the target has closed the old one.
    pub fn ask(&mut self, request: &Request<'_>) -> Result<Answer, NoAnswer> {
        let is_used = self.open.is_some();
        match self.try_once(request) {
            Err(_) if is_used => {
                self.open = None;
                self.try_once(request)
            }
            result => result,
        }
    }

    fn try_once(&mut self, request: &Request<'_>) -> Result<Answer, NoAnswer> {
        let until = Instant::now() + self.timeout;
        let is_usable = self.open.as_ref().is_some_and(|(_, wire)| wire.has_room() && !wire.is_closing());
        let (mut socket, mut wire) = match self.open.take() {
            Some(open) if is_usable => open,
            _ => self.connect(until)?,
        };
        wire.send(request, &mut self.out);
        let mut answer = None;
        exchange(&mut socket, &mut wire, &mut self.out, until, &mut answer, |_, answer| answer.is_some())?;
        let answer = answer.unwrap_or(Err(Failure::Closed)).map_err(|failure| NoAnswer::of(failure, wire.reason()));
        self.open = Some((socket, wire));
        answer
    }

    fn connect(&mut self, until: Instant) -> Result<(TcpStream, W), NoAnswer> {
        let connected = self.address.connect(left(until));
        let mut socket = connected.map_err(|error| failed_to_connect(&error))?;
        // Small requests must not wait for the acknowledgement of earlier ones (Nagle).
        let _ = socket.set_nodelay(true);
        let mut wire = W::new(&self.shared);
        self.out.clear();
        wire.greet(&mut self.out);
        exchange(&mut socket, &mut wire, &mut self.out, until, &mut None, |wire, _| wire.has_room())?;
        Ok((socket, wire))
    }
}

type Answered = Option<Result<Answer, Failure>>;

/// Writes what is to be sent and reads what comes, until `is_done`.
fn exchange<W: Wire>(
    socket: &mut TcpStream,
    wire: &mut W,
    out: &mut Vec<u8>,
    until: Instant,
    answer: &mut Answered,
    is_done: impl Fn(&W, &Answered) -> bool,
) -> Result<(), NoAnswer> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        // A server may answer, and close, before it has read all.
        let written = socket.set_write_timeout(Some(left(until))).and_then(|()| socket.write_all(out));
        out.clear();
        if is_done(wire, answer) {
            return Ok(());
        }
        if Instant::now() >= until {
            return Err(NoAnswer::of(Failure::Timeout, None));
        }
        socket.set_read_timeout(Some(left(until))).map_err(|error| moved(&error))?;
        let mut sink = |reply: Reply<'_>| {
            *answer =
                Some(reply.outcome.map(|code| Answer { code, head: reply.head.to_vec(), body: reply.body.to_vec() }));
        };
        let received = match socket.read(&mut buffer) {
            Ok(0) => {
                wire.end(&mut sink);
                Err(Failure::Closed)
            }
            Ok(count) => wire.receive(&buffer[..count], out, &mut sink),
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            Err(error) => return Err(moved(written.as_ref().err().unwrap_or(&error))),
        };
        if let Err(failure) = received {
            let reason = wire.reason();
            // The alert, or whatever else was to be sent at last.
            let _ = socket.write_all(out);
            out.clear();
            return if is_done(wire, answer) { Ok(()) } else { Err(NoAnswer::of(failure, reason)) };
        }
    }
}

/// The time that is left, and never zero, which a socket would take for no limit.
fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

fn failed_to_connect(error: &io::Error) -> NoAnswer {
    let failure = match error.kind() {
        ErrorKind::ConnectionRefused => Failure::Refused,
        ErrorKind::TimedOut | ErrorKind::WouldBlock => Failure::ConnectTimeout,
        ErrorKind::AddrNotAvailable | ErrorKind::AddrInUse => Failure::PortsExhausted,
        ErrorKind::ConnectionReset => Failure::Reset,
        _ => Failure::Unreachable,
    };
    NoAnswer::of(failure, None)
}

fn moved(error: &io::Error) -> NoAnswer {
    let failure = match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::Timeout,
        _ => Failure::Reset,
    };
    NoAnswer::of(failure, None)
}
