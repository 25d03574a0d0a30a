//! HTTP/2 frames (RFC 9113, section 4).

/// The connection preface of a client.
pub const PREFACE: &[u8; 24] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

pub const HEADER_BYTES: usize = 9;
/// The largest payload that needs no agreement.
pub const DEFAULT_MAX_FRAME: usize = 16_384;
/// The window before anything is agreed.
pub const DEFAULT_WINDOW: i64 = 65_535;
pub const LARGEST_WINDOW: i64 = i32::MAX as i64;

pub mod kind {
    pub const DATA: u8 = 0;
    pub const HEADERS: u8 = 1;
    pub const RST_STREAM: u8 = 3;
    pub const SETTINGS: u8 = 4;
    pub const PUSH_PROMISE: u8 = 5;
    pub const PING: u8 = 6;
    pub const GOAWAY: u8 = 7;
    pub const WINDOW_UPDATE: u8 = 8;
    pub const CONTINUATION: u8 = 9;
}

pub mod flag {
    pub const ACK: u8 = 1;
    pub const END_STREAM: u8 = 1;
    pub const END_HEADERS: u8 = 4;
    pub const PADDED: u8 = 8;
    pub const PRIORITY: u8 = 32;
}

pub mod setting {
    pub const HEADER_TABLE_SIZE: u16 = 1;
    pub const ENABLE_PUSH: u16 = 2;
    pub const MAX_CONCURRENT_STREAMS: u16 = 3;
    pub const INITIAL_WINDOW_SIZE: u16 = 4;
    pub const MAX_FRAME_SIZE: u16 = 5;
}

/// The head of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHead {
    pub length: usize,
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
}

impl FrameHead {
    /// Reads a head; none when there are not enough bytes.
    #[inline]
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let head: &[u8; HEADER_BYTES] = bytes.first_chunk()?;
        Some(Self {
            length: usize::from(head[0]) << 16 | usize::from(head[1]) << 8 | usize::from(head[2]),
            kind: head[3],
            flags: head[4],
            stream: u32::from_be_bytes([head[5] & 0x7f, head[6], head[7], head[8]]),
        })
    }

    #[inline]
    #[must_use]
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Appends the head of a frame.
#[inline]
pub fn write_head(length: usize, kind: u8, flags: u8, stream: u32, out: &mut Vec<u8>) {
    let length = (length as u32).to_be_bytes();
    let stream = stream.to_be_bytes();
    out.extend_from_slice(&[length[1], length[2], length[3], kind, flags, stream[0], stream[1], stream[2], stream[3]]);
}

/// Appends a SETTINGS frame.
pub fn write_settings(settings: &[(u16, u32)], out: &mut Vec<u8>) {
    write_head(settings.len() * 6, kind::SETTINGS, 0, 0, out);
    for (name, value) in settings {
        out.extend_from_slice(&name.to_be_bytes());
        out.extend_from_slice(&value.to_be_bytes());
    }
}

/// Appends a WINDOW_UPDATE frame; stream 0 is the connection.
pub fn write_window_update(stream: u32, increment: u32, out: &mut Vec<u8>) {
    write_head(4, kind::WINDOW_UPDATE, 0, stream, out);
    out.extend_from_slice(&increment.to_be_bytes());
}

/// Appends a RST_STREAM frame.
pub fn write_reset(stream: u32, code: u32, out: &mut Vec<u8>) {
    write_head(4, kind::RST_STREAM, 0, stream, out);
    out.extend_from_slice(&code.to_be_bytes());
}

/// The content of a DATA or HEADERS frame without padding and priority; none when they do not fit.
#[must_use]
pub fn content<'a>(head: &FrameHead, payload: &'a [u8]) -> Option<&'a [u8]> {
    let mut content = payload;
    if head.has(flag::PADDED) {
        let (padding, rest) = content.split_first()?;
        content = rest.get(..rest.len().checked_sub(usize::from(*padding))?)?;
    }
    if head.kind == kind::HEADERS && head.has(flag::PRIORITY) {
        content = content.get(5..)?;
    }
    Some(content)
}

/// The first four bytes of a payload as a number.
#[must_use]
pub fn number(payload: &[u8]) -> Option<u32> {
    payload.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}
