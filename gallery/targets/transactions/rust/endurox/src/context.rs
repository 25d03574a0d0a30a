//! The thread that calls for one caller: an XATMI context, the calls that wait to be sent, and those that wait for their
//! replies.

use std::collections::{HashMap, VecDeque};
use std::ffi::{CString, c_int};
use std::fs;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::Duration;

use bus::{CallError, Payload};
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use tokio::sync::oneshot;
use tracing::warn;

use crate::buffers;
use crate::conversation::Conversations;
use crate::library::{Functions, TPBLK_NEXT, TPEBLOCK, TPELIMIT, TPESVCFAIL, TPGETANY, TPNOBLOCK};
use crate::typed::Typed;
use crate::waiting::{Waiting, answer, error_of, one_at_a_time};

/// How soon a call is sent again to a service whose queue was full while nothing came back.
const FULL_PAUSE: Timespec = Timespec { tv_sec: 0, tv_nsec: 1_000_000 };
/// How often calls that were given up are looked for; Enduro/X counts whole seconds.
const GIVEN_UP_PAUSE: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
const RECEIVED_BYTES: usize = 1024;

/// Wakes the thread when there is something in its channel.
#[derive(Debug)]
pub(crate) struct Wake(OwnedFd);

impl Wake {
    pub(crate) fn new() -> std::io::Result<Self> {
        Ok(Self(eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?))
    }

    pub(crate) fn wake(&self) {
        // It fails only when it has been woken 2^64 times without an end of its sleep.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    fn clear(&self) {
        // It fails when nothing woke the thread: it looks at its channel all the same.
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

/// Calls until the channel's other end is gone.
pub(crate) fn run(functions: &'static Functions, calls: &Receiver<Waiting>, wake: &Arc<Wake>) {
    let mut unsent = Unsent::default();
    let mut conversations = Conversations::new(functions);
    let mut connected: Option<Context> = None;
    loop {
        wake.clear();
        loop {
            match calls.try_recv() {
                Ok(call) => unsent.add(call),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => return,
            }
        }
        let context = match connected.take().map_or_else(|| Context::join(functions), Ok) {
            Ok(context) => connected.insert(context),
            Err(reason) => {
                warn!(reason, "Enduro/X cannot be reached");
                unsent.fail_all(&CallError::Unavailable);
                wait(&[wake.0.as_fd()], None);
                continue;
            }
        };
        context.send_all(&mut unsent, &mut conversations);
        if let Err(reason) = context.receive_all() {
            warn!(reason, "the connection to Enduro/X is made again");
            context.fail_all(&CallError::Disconnected);
            connected = None;
            continue;
        }
        wait(&[wake.0.as_fd(), context.replies()], context.pause(&unsent));
    }
}

/// Calls that no queue has taken yet, by their service: one full queue holds up no other.
#[derive(Default)]
struct Unsent(HashMap<&'static str, VecDeque<Waiting>>);

impl Unsent {
    fn add(&mut self, call: Waiting) {
        self.0.entry(call.service).or_default().push_back(call);
    }

    fn is_empty(&self) -> bool {
        self.0.values().all(VecDeque::is_empty)
    }

    fn fail_all(&mut self, error: &CallError) {
        for call in self.0.drain().flat_map(|(_, calls)| calls) {
            answer(call.reply, Err(error.clone()));
        }
    }
}

/// This thread's membership of the domain; it leaves when it is dropped.
struct Context {
    functions: &'static Functions,
    /// Of the queue with the replies: Enduro/X owns and closes it.
    replies: RawFd,
    received: Typed,
    outstanding: HashMap<c_int, oneshot::Sender<Result<Payload, CallError>>>,
}

impl Context {
    fn join(functions: &'static Functions) -> Result<Self, String> {
        let _alone = one_at_a_time();
        let before = reply_queues()?;
        // SAFETY: without options, on the thread that uses the context.
        if unsafe { (functions.tpinit)(std::ptr::null_mut()) } < 0 {
            return Err(functions.words(functions.error()));
        }
        let mut new = reply_queues()?.into_iter().filter(|each| !before.contains(each));
        let replies = new.next().ok_or("its queues are no files to wait for: it must be built with POSIX queues");
        let joined = replies.and_then(|replies| {
            let received = Typed::allocated(functions, c"STRING", RECEIVED_BYTES).map_err(|_| "no memory is left")?;
            Ok(Self { functions, replies, received, outstanding: HashMap::new() })
        });
        joined.map_err(|reason| {
            // SAFETY: on the thread that called tpinit.
            unsafe { (functions.tpterm)() };
            reason.to_owned()
        })
    }

    fn replies(&self) -> BorrowedFd<'_> {
        // SAFETY: Enduro/X keeps the queue open until tpterm, which ends this context.
        unsafe { BorrowedFd::borrow_raw(self.replies) }
    }

    /// How long to wait when nothing comes; None for ever.
    fn pause(&self, unsent: &Unsent) -> Option<&'static Timespec> {
        match (unsent.is_empty(), self.outstanding.is_empty()) {
            (false, _) => Some(&FULL_PAUSE),
            (true, false) => Some(&GIVEN_UP_PAUSE),
            (true, true) => None,
        }
    }

    /// Sends what the queues take.
    fn send_all(&mut self, unsent: &mut Unsent, conversations: &mut Conversations) {
        for calls in unsent.0.values_mut() {
            while let Some(call) = calls.pop_front() {
                if call.reply.is_closed() {
                    continue;
                }
                if let Some(unsent) = self.send(call, conversations) {
                    calls.push_front(unsent);
                    break;
                }
            }
        }
    }

    /// Gives the call back where the queue is full.
    fn send(&mut self, call: Waiting, conversations: &mut Conversations) -> Option<Waiting> {
        let typed = match buffers::to_typed(self.functions, &call.payload) {
            Ok(typed) => typed,
            Err(reason) => return failed(call, CallError::Protocol(reason)),
        };
        if buffers::size(self.functions, &call.payload, &typed) > conversations.largest_call() {
            conversations.call(call);
            return None;
        }
        let Ok(name) = CString::new(call.service) else { return failed(call, CallError::Unavailable) };
        // SAFETY: the name ends with a zero byte, and the buffer is of Enduro/X.
        let descriptor = unsafe {
            (self.functions.tpsblktime)(gives_up_s(call.deadline), TPBLK_NEXT);
            (self.functions.tpacall)(name.as_ptr(), typed.pointer(), typed.length(), TPNOBLOCK)
        };
        if descriptor > 0 {
            self.outstanding.insert(descriptor, call.reply);
            return None;
        }
        match self.functions.error() {
            TPEBLOCK | TPELIMIT => Some(call),
            error => failed(call, error_of(self.functions, error)),
        }
    }

    /// Takes every reply that is there. `Err`: the queue cannot be read any more.
    fn receive_all(&mut self) -> Result<(), String> {
        loop {
            let mut descriptor = 0;
            let (data, length) = self.received.as_mut();
            // SAFETY: `data` is a typed buffer, which Enduro/X replaces where another is needed.
            let received =
                unsafe { (self.functions.tpgetrply)(&raw mut descriptor, data, length, TPGETANY | TPNOBLOCK) };
            let error = if received < 0 { self.functions.error() } else { 0 };
            if error == TPEBLOCK {
                return Ok(());
            }
            let Some(reply) = self.outstanding.remove(&descriptor) else {
                if received < 0 {
                    return Err(self.functions.words(error));
                }
                continue;
            };
            let result = match error {
                0 => buffers::from_typed(self.functions, &self.received).map_err(CallError::Protocol),
                TPESVCFAIL => Err(CallError::Failed(self.failure())),
                error => Err(error_of(self.functions, error)),
            };
            answer(reply, result);
            if self.received.pointer().is_null() {
                self.received = Typed::allocated(self.functions, c"STRING", RECEIVED_BYTES)?;
            }
        }
    }

    /// The reason that a failed service gives.
    fn failure(&self) -> String {
        match buffers::from_typed(self.functions, &self.received) {
            Ok(payload) => String::from_utf8_lossy(&payload.bytes).into_owned(),
            Err(reason) => reason,
        }
    }

    fn fail_all(&mut self, error: &CallError) {
        for (_, reply) in self.outstanding.drain() {
            answer(reply, Err(error.clone()));
        }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let _alone = one_at_a_time();
        // SAFETY: on the thread that called tpinit; it closes and removes the queue.
        unsafe { (self.functions.tpterm)() };
    }
}

fn failed(call: Waiting, error: CallError) -> Option<Waiting> {
    answer(call.reply, Err(error));
    None
}

/// When Enduro/X gives a call up and lets its descriptor be used again: whole seconds, and none before the deadline.
pub(crate) fn gives_up_s(deadline: Duration) -> c_int {
    c_int::try_from(deadline.as_secs().saturating_add(2)).unwrap_or(c_int::MAX)
}

fn wait(descriptors: &[BorrowedFd<'_>], longest: Option<&Timespec>) {
    let mut polled: Vec<_> = descriptors.iter().map(|each| PollFd::from_borrowed_fd(*each, PollFlags::IN)).collect();
    // A signal ends it early: the loop looks at everything and waits again.
    let _ = poll(&mut polled, longest);
}

/// The descriptors of this process that are queues for replies: Enduro/X gives them that name.
fn reply_queues() -> Result<Vec<RawFd>, String> {
    let entries = fs::read_dir("/proc/self/fd").map_err(|error| format!("/proc/self/fd: {error}"))?;
    let queue = |entry: fs::DirEntry| {
        let name = fs::read_link(entry.path()).ok()?;
        name.to_string_lossy().contains(",clt,reply,").then(|| entry.file_name().to_str()?.parse().ok())?
    };
    Ok(entries.filter_map(|entry| queue(entry.ok()?)).collect())
}
