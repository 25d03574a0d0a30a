//! Calls that are larger than a message, or may have such a reply: both go in parts, over their own connection.

use std::ffi::{CString, c_char, c_int, c_long};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use bus::{CallError, Payload};

use crate::library::{Functions, TPEEVENT, TPEV_SENDONLY, TPEV_SVCFAIL, TPEV_SVCSUCC, TPRECVONLY, TPSENDONLY};
use crate::typed::Typed;
use crate::waiting::{Waiting, answer, error_of, one_at_a_time};

/// The size of a message by Enduro/X's default.
const USUAL_MESSAGE: usize = 57_344;
/// The bytes of a message beside the buffer: names of queues and services, times and numbers.
const MESSAGE_HEAD: usize = 2048;

/// The most bytes of a buffer that one message takes.
pub(crate) fn largest_part() -> usize {
    let configured = std::env::var("NDRX_MSGSIZEMAX").ok().and_then(|size| size.parse().ok());
    configured.unwrap_or(USUAL_MESSAGE).saturating_sub(MESSAGE_HEAD).max(1024)
}

/// A thread that makes one conversation after another; it starts with the first.
pub(crate) struct Conversations {
    functions: &'static Functions,
    largest_call: usize,
    calls: Option<Sender<Waiting>>,
}

impl Conversations {
    pub(crate) fn new(functions: &'static Functions) -> Self {
        // Half, because a reply may be twice as large as its call and must fit too.
        Self { functions, largest_call: largest_part() / 2, calls: None }
    }

    /// The largest call that needs no conversation.
    pub(crate) fn largest_call(&self) -> usize {
        self.largest_call
    }

    pub(crate) fn call(&mut self, call: Waiting) {
        let functions = self.functions;
        let calls = self.calls.get_or_insert_with(|| {
            let (calls, waiting) = channel();
            thread::spawn(move || run(functions, &waiting));
            calls
        });
        if let Err(unsent) = calls.send(call) {
            answer(unsent.0.reply, Err(CallError::Unavailable));
        }
    }
}

fn run(functions: &'static Functions, calls: &Receiver<Waiting>) {
    {
        let _alone = one_at_a_time();
        // SAFETY: without options; where it fails, so do the conversations, each with its own error.
        unsafe { (functions.tpinit)(std::ptr::null_mut()) };
    }
    for call in calls {
        if !call.reply.is_closed() {
            let result = converse(functions, &call);
            answer(call.reply, result);
        }
    }
    let _alone = one_at_a_time();
    // SAFETY: on the thread that called tpinit.
    unsafe { (functions.tpterm)() };
}

fn converse(functions: &'static Functions, call: &Waiting) -> Result<Payload, CallError> {
    let name = CString::new(call.service).map_err(|_| CallError::Unavailable)?;
    // SAFETY: the name ends with a zero byte, and there is no buffer.
    let connection = unsafe { (functions.tpconnect)(name.as_ptr(), std::ptr::null_mut(), 0, TPSENDONLY) };
    if connection < 0 {
        return Err(error_of(functions, functions.error()));
    }
    let conversation = Conversation { functions, connection };
    conversation.send(&call.payload.to_tagged()).map_err(CallError::Protocol)?;
    match conversation.receive() {
        Ok((bytes, TPEV_SVCSUCC)) => {
            Payload::from_tagged(&bytes).ok_or_else(|| CallError::Protocol("the reply is no typed buffer".into()))
        }
        Ok((bytes, TPEV_SVCFAIL)) => Err(CallError::Failed(String::from_utf8_lossy(&bytes).into_owned())),
        Ok(_) => {
            conversation.end();
            Err(CallError::Disconnected)
        }
        Err(error) => {
            conversation.end();
            Err(error_of(functions, error))
        }
    }
}

/// A connection over which one side sends at a time.
pub(crate) struct Conversation {
    pub(crate) functions: &'static Functions,
    pub(crate) connection: c_int,
}

impl Conversation {
    /// Sends bytes in parts; with the last the other side may send.
    fn send(&self, bytes: &[u8]) -> Result<(), String> {
        let mut parts = bytes.chunks(largest_part()).peekable();
        while let Some(part) = parts.next() {
            self.send_part(part, if parts.peek().is_none() { TPRECVONLY } else { 0 })?;
        }
        Ok(())
    }

    /// Sends all parts but the last, which ends the conversation and is returned.
    pub(crate) fn send_but_last<'a>(&self, bytes: &'a [u8]) -> Result<&'a [u8], String> {
        let mut parts = bytes.chunks(largest_part()).peekable();
        while let Some(part) = parts.next() {
            if parts.peek().is_none() {
                return Ok(part);
            }
            self.send_part(part, 0)?;
        }
        Ok(&[])
    }

    fn send_part(&self, part: &[u8], flags: c_long) -> Result<(), String> {
        let typed = Typed::carray(self.functions, part)?;
        let mut event = 0;
        // SAFETY: the buffer is of Enduro/X.
        let sent =
            unsafe { (self.functions.tpsend)(self.connection, typed.pointer(), typed.length(), flags, &raw mut event) };
        match sent {
            0 => Ok(()),
            _ => Err(self.functions.words(self.functions.error())),
        }
    }

    /// The other side's bytes up to an event: its end, or this side's turn to send.
    pub(crate) fn receive(&self) -> Result<(Vec<u8>, c_long), c_int> {
        let mut bytes = Vec::new();
        loop {
            let mut typed = Typed::carray(self.functions, &[]).map_err(|_| self.functions.error())?;
            let mut event = 0;
            let (data, length): (&mut *mut c_char, _) = typed.as_mut();
            *length = 0;
            // SAFETY: `data` is a typed buffer, which Enduro/X replaces where another is needed.
            let received = unsafe { (self.functions.tprecv)(self.connection, data, length, 0, &raw mut event) };
            let error = if received < 0 { self.functions.error() } else { 0 };
            if ![0, TPEEVENT].contains(&error) {
                return Err(error);
            }
            match typed.type_name().as_str() {
                "STRING" => bytes.extend_from_slice(typed.string_bytes()),
                _ => bytes.extend_from_slice(typed.carray_bytes()),
            }
            if error == TPEEVENT {
                return Ok((bytes, event));
            }
        }
    }

    /// Whether an event lets this side send.
    pub(crate) fn may_send(event: c_long) -> bool {
        event == TPEV_SENDONLY
    }

    /// Ends what did not end by itself.
    fn end(&self) {
        // SAFETY: a connection that has ended is refused.
        unsafe { (self.functions.tpdiscon)(self.connection) };
    }
}
