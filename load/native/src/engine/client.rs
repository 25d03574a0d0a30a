//! One request after the other on a connection of its own, through the same wire as the load.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;

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
    /// Whether a reply began to arrive, and did not end.
    #[must_use]
    pub fn has_begun(&self) -> bool {
        self.failure == Failure::Timeout && self.failure.meaning() != Some(&*self.reason)
    }

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
        match self.ask_once(request) {
            Err(_) if is_used => {
                self.open = None;
                self.ask_once(request)
            }
            result => result,
        }
    }

    /// Sends a request on the connection of the one before; it fails if the target has closed that.
    pub fn ask_on_same_connection(&mut self, request: &Request<'_>) -> Result<Answer, NoAnswer> {
        if self.is_usable() { self.ask_once(request) } else { Err(NoAnswer::of(Failure::Closed, None)) }
    }

    fn is_usable(&self) -> bool {
        self.open.as_ref().is_some_and(|(_, wire)| wire.has_room() && !wire.is_closing())
    }

    /// Sends a request, on a new connection where the target has said that it closes the old one. What fails then is no
    /// reply.
    pub fn ask_once(&mut self, request: &Request<'_>) -> Result<Answer, NoAnswer> {
        let until = Instant::now() + self.timeout;
        let is_usable = self.is_usable();
        let (mut socket, mut wire) = match self.open.take() {
            Some(open) if is_usable => open,
            _ => self.connect(until)?,
        };
        wire.send(request, &mut self.out);
        let mut answer = None;
        let sent = exchange(&mut socket, &mut wire, &mut self.out, until, &mut answer, |_, answer| answer.is_some())?;
        let answer = answer.unwrap_or(Err(Failure::Closed)).map_err(|failure| NoAnswer::of(failure, wire.reason()));
        // What is left of a request would be taken for the next one.
        self.open = (sent == Sent::Whole).then_some((socket, wire));
        if self.open.is_none() {
            self.out.clear();
        }
        answer
    }

    fn connect(&mut self, until: Instant) -> Result<(TcpStream, W), NoAnswer> {
        let connected = self.address.connect(left(until));
        let mut socket = connected.map_err(|error| failed_to_connect(&error))?;
        // Small requests must not wait for the acknowledgement of earlier ones (Nagle).
        let _ = socket.set_nodelay(true);
        socket.set_nonblocking(true).map_err(|error| moved(&error))?;
        let mut wire = W::new(&self.shared);
        self.out.clear();
        wire.greet(&mut self.out);
        let _ = exchange(&mut socket, &mut wire, &mut self.out, until, &mut None, |wire, _| wire.has_room())?;
        Ok((socket, wire))
    }
}

type Answered = Option<Result<Answer, Failure>>;

/// How much of a request the target took before it replied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Whole,
    Part,
}

/// Writes what is to be sent and reads what comes, until `is_done`. A target may answer before it has read all.
fn exchange<W: Wire>(
    socket: &mut TcpStream,
    wire: &mut W,
    out: &mut Vec<u8>,
    until: Instant,
    answer: &mut Answered,
    is_done: impl Fn(&W, &Answered) -> bool,
) -> Result<Sent, NoAnswer> {
    let mut buffer = vec![0; 64 * 1024];
    let (mut written, mut refused) = (0, None);
    let mut own = out.len();
    loop {
        if written == out.len() || refused.is_some() {
            own = own.saturating_sub(written);
            out.clear();
            written = 0;
        }
        if is_done(wire, answer) && (out.is_empty() || answer.is_some()) {
            let sent = if written >= own && refused.is_none() { Sent::Whole } else { Sent::Part };
            // What answers the target's own frames goes out with the next request.
            out.drain(..written);
            return Ok(sent);
        }
        let ready = readiness(socket, !out.is_empty(), until).map_err(|error| moved(&error))?;
        if ready.is_empty() {
            out.clear();
            return Err(NoAnswer::of(Failure::Timeout, wire.reason()));
        }
        if ready.contains(PollFlags::OUT) && !out.is_empty() {
            match socket.write(&out[written..]) {
                Ok(count) => written += count,
                Err(error) if is_to_be_tried_again(&error) => {}
                // The answer may be there to read nevertheless.
                Err(error) => refused = Some(error),
            }
        }
        if ready == PollFlags::OUT {
            continue;
        }
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
            Err(error) if is_to_be_tried_again(&error) => Ok(()),
            Err(error) => return Err(moved(refused.as_ref().unwrap_or(&error))),
        };
        if let Err(failure) = received {
            let reason = wire.reason();
            // The alert, or whatever else was to be sent at last.
            let _ = socket.write(&out[written..]);
            out.clear();
            return if is_done(wire, answer) { Ok(Sent::Part) } else { Err(NoAnswer::of(failure, reason)) };
        }
    }
}

/// Waits until something can be read, or written where that is wanted; nothing once the time is over.
fn readiness(socket: &TcpStream, writes: bool, until: Instant) -> io::Result<PollFlags> {
    let wanted = if writes { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN };
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: left.subsec_nanos().into() };
        let mut polled = [PollFd::new(socket, wanted)];
        match poll(&mut polled, Some(&timeout)) {
            Ok(_) => return Ok(polled[0].revents()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

fn is_to_be_tried_again(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::WouldBlock)
}

/// The time that is left, and never zero, which a socket would take for no limit.
fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
}

fn failed_to_connect(error: &io::Error) -> NoAnswer {
    let failure = match error.kind() {
        // A Unix socket that does not exist.
        ErrorKind::ConnectionRefused | ErrorKind::NotFound => Failure::Refused,
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
