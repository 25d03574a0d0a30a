//! Frames that concern the connection: settings, windows and its end.

use super::{Handled, Http2, LAST_STREAM};
use crate::failure::Failure;
use crate::wire::Reply;
use crate::wire::h2::frame::{self, FrameHead, LARGEST_WINDOW, flag, kind, setting};

impl Http2 {
    pub(super) fn go_away(&mut self, payload: &[u8], sink: &mut impl FnMut(Reply<'_>)) -> Handled {
        let last = frame::number(payload).ok_or(Failure::Malformed)? & LAST_STREAM;
        self.is_going_away = true;
        let mut refused: Vec<u32> = self.streams.keys().copied().filter(|id| *id > last).collect();
        refused.sort_unstable();
        refused.into_iter().for_each(|id| self.break_stream(id, Failure::GoAway, sink));
        Ok(())
    }

    pub(super) fn settings(&mut self, head: &FrameHead, payload: &[u8], out: &mut Vec<u8>) -> Handled {
        if head.has(flag::ACK) {
            return Ok(());
        }
        if !payload.len().is_multiple_of(6) {
            return Err(Failure::Malformed);
        }
        for entry in payload.chunks_exact(6) {
            let name = u16::from_be_bytes([entry[0], entry[1]]);
            let value = u32::from_be_bytes([entry[2], entry[3], entry[4], entry[5]]);
            self.apply(name, value, out)?;
        }
        frame::write_head(0, kind::SETTINGS, flag::ACK, 0, out);
        self.is_greeted = true;
        Ok(())
    }

    fn apply(&mut self, name: u16, value: u32, out: &mut Vec<u8>) -> Handled {
        match name {
            // Later changes can only be to tables that we do not use beyond what we have inserted.
            setting::HEADER_TABLE_SIZE if !self.is_greeted => {
                self.encoder.limit_table(&self.shared.fields, value as usize);
            }
            setting::MAX_CONCURRENT_STREAMS => self.grant.max_streams = value as usize,
            setting::MAX_FRAME_SIZE => {
                if !(16_384..1 << 24).contains(&value) {
                    return Err(Failure::Malformed);
                }
                self.grant.max_frame = value as usize;
            }
            setting::INITIAL_WINDOW_SIZE => {
                let window = i64::from(value);
                if window > LARGEST_WINDOW {
                    return Err(Failure::Malformed);
                }
                let change = window - self.grant.initial_stream_window;
                self.grant.initial_stream_window = window;
                for stream in self.streams.values_mut() {
                    stream.outgoing.widen(change).ok_or(Failure::Malformed)?;
                }
                self.go_on(out);
            }
            _ => {}
        }
        Ok(())
    }

    pub(super) fn window_update(&mut self, head: &FrameHead, payload: &[u8], out: &mut Vec<u8>) -> Handled {
        let increment = i64::from(frame::number(payload).ok_or(Failure::Malformed)? & LAST_STREAM);
        if head.stream == 0 {
            self.grant.window += increment;
            if self.grant.window > LARGEST_WINDOW {
                return Err(Failure::Malformed);
            }
            self.go_on(out);
        } else if let Some(stream) = self.streams.get_mut(&head.stream) {
            stream.outgoing.widen(increment).ok_or(Failure::Malformed)?;
            stream.outgoing.go_on(head.stream, &mut self.grant, out);
        }
        Ok(())
    }

    /// Lets all streams send that have waited for a window, the oldest first.
    fn go_on(&mut self, out: &mut Vec<u8>) {
        let mut blocked: Vec<u32> =
            self.streams.iter().filter(|(_, stream)| stream.outgoing.is_blocked()).map(|(id, _)| *id).collect();
        blocked.sort_unstable();
        for id in blocked {
            if let Some(stream) = self.streams.get_mut(&id) {
                stream.outgoing.go_on(id, &mut self.grant, out);
            }
        }
    }
}
