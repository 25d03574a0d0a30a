//! Sending within the windows that the server grants.

use super::frame::{self, DEFAULT_MAX_FRAME, DEFAULT_WINDOW, LARGEST_WINDOW, flag, kind};

/// The limits that the server grants a connection.
#[derive(Debug)]
pub struct Grant {
    pub window: i64,
    pub initial_stream_window: i64,
    pub max_frame: usize,
    pub max_streams: usize,
}

impl Default for Grant {
    fn default() -> Self {
        Self {
            window: DEFAULT_WINDOW,
            initial_stream_window: DEFAULT_WINDOW,
            max_frame: DEFAULT_MAX_FRAME,
            max_streams: usize::MAX,
        }
    }
}

/// The unsent data of a stream.
#[derive(Debug)]
pub struct Outgoing {
    window: i64,
    pending: Vec<u8>,
    sent: usize,
    /// Whether the stream ends with what is pending.
    ends: bool,
}

impl Outgoing {
    pub fn new(grant: &Grant) -> Self {
        Self { window: grant.initial_stream_window, pending: Vec::new(), sent: 0, ends: false }
    }

    /// Whether something waits for a window.
    #[inline]
    pub fn is_blocked(&self) -> bool {
        self.sent < self.pending.len()
    }

    /// Sends a message, as far as the windows reach.
    #[inline]
    pub fn send(
        &mut self,
        stream: u32,
        (prefix, body): (&[u8], &[u8]),
        ends: bool,
        grant: &mut Grant,
        out: &mut Vec<u8>,
    ) {
        let length = prefix.len() + body.len();
        let fits = length <= grant.max_frame && length as i64 <= grant.window.min(self.window);
        if fits && !self.is_blocked() {
            self.window -= length as i64;
            grant.window -= length as i64;
            let flags = if ends { flag::END_STREAM } else { 0 };
            frame::write_head(length, kind::DATA, flags, stream, out);
            out.extend_from_slice(prefix);
            out.extend_from_slice(body);
            return;
        }
        self.pending.extend_from_slice(prefix);
        self.pending.extend_from_slice(body);
        self.ends = ends;
        self.go_on(stream, grant, out);
    }

    /// Sends what waits, as far as the windows reach.
    pub fn go_on(&mut self, stream: u32, grant: &mut Grant, out: &mut Vec<u8>) {
        while self.is_blocked() {
            let left = self.pending.len() - self.sent;
            let room = usize::try_from(grant.window.min(self.window)).unwrap_or(0);
            let length = left.min(room).min(grant.max_frame);
            if length == 0 {
                return;
            }
            self.window -= length as i64;
            grant.window -= length as i64;
            let flags = if self.ends && length == left { flag::END_STREAM } else { 0 };
            frame::write_head(length, kind::DATA, flags, stream, out);
            out.extend_from_slice(&self.pending[self.sent..self.sent + length]);
            self.sent += length;
        }
        self.pending.clear();
        self.sent = 0;
    }

    /// Changes the window; none when it grows beyond what is allowed.
    pub fn widen(&mut self, by: i64) -> Option<()> {
        self.window += by;
        (self.window <= LARGEST_WINDOW).then_some(())
    }
}
