use thiserror::Error;

use crate::payload::{Payload, PayloadType};

/// The largest frame, without its length: a buffer of 16 MiB and some names.
pub const MAX_FRAME: usize = (16 << 20) + 1024;
const LENGTH: usize = 4;

/// The messages between the two sides of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Frame<'a> {
    /// From a server, once, first: what it offers.
    Advertise(Vec<String>),
    /// From a caller.
    Call {
        /// Chosen by the caller, given back with the reply.
        id: u64,
        /// The service's name.
        service: &'a str,
        /// The call.
        payload: Payload,
    },
    /// From a server.
    Reply {
        /// That of the call.
        id: u64,
        /// Err: the service's failure.
        result: Result<Payload, String>,
    },
}

/// Why bytes are no frame. The connection cannot be used any more.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    /// The length is more than [`MAX_FRAME`].
    #[error("a frame of {0} bytes is larger than {MAX_FRAME}")]
    Size(usize),
    /// The frame ends within a part of it.
    #[error("a frame ends too early")]
    Short,
    /// No frame is of this kind, or no buffer of this type.
    #[error("a frame has the unknown kind or type {0}")]
    Unknown(u8),
    /// A name or a failure is not UTF-8.
    #[error("a frame's text is not UTF-8")]
    Text,
}

const ADVERTISE: u8 = 1;
const CALL: u8 = 2;
const REPLY: u8 = 3;
const FAILURE: u8 = 4;

impl<'a> Frame<'a> {
    /// Appends the advertisement of services.
    pub fn write_advertise(names: &[&str], to: &mut Vec<u8>) {
        frame(0, ADVERTISE, to, |to| {
            for name in names {
                write_name(name, to);
            }
        });
    }

    /// Appends a call.
    pub fn write_call(id: u64, service: &str, payload: &Payload, to: &mut Vec<u8>) {
        frame(id, CALL, to, |to| {
            write_name(service, to);
            write_payload(payload, to);
        });
    }

    /// Appends a reply.
    pub fn write_reply(id: u64, result: &Result<Payload, String>, to: &mut Vec<u8>) {
        match result {
            Ok(payload) => frame(id, REPLY, to, |to| write_payload(payload, to)),
            Err(failure) => frame(id, FAILURE, to, |to| to.extend_from_slice(failure.as_bytes())),
        }
    }

    /// The first frame of the bytes and how many bytes it has; None until it is complete.
    pub fn read(bytes: &'a [u8]) -> Result<Option<(Self, usize)>, FrameError> {
        let Some((length, rest)) = bytes.split_first_chunk::<LENGTH>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length > MAX_FRAME {
            return Err(FrameError::Size(length));
        }
        let Some(body) = rest.get(..length) else { return Ok(None) };
        Ok(Some((Self::of_body(body)?, LENGTH + length)))
    }

    fn of_body(body: &'a [u8]) -> Result<Self, FrameError> {
        let (id, rest) = body.split_first_chunk::<8>().ok_or(FrameError::Short)?;
        let (kind, rest) = rest.split_first().ok_or(FrameError::Short)?;
        let id = u64::from_le_bytes(*id);
        Ok(match *kind {
            ADVERTISE => Self::Advertise(read_names(rest)?),
            CALL => {
                let (service, rest) = read_name(rest)?;
                Self::Call { id, service, payload: read_payload(rest)? }
            }
            REPLY => Self::Reply { id, result: Ok(read_payload(rest)?) },
            FAILURE => Self::Reply { id, result: Err(text(rest)?.to_owned()) },
            unknown => return Err(FrameError::Unknown(unknown)),
        })
    }
}

fn frame(id: u64, kind: u8, to: &mut Vec<u8>, body: impl FnOnce(&mut Vec<u8>)) {
    let start = to.len();
    to.extend_from_slice(&[0; LENGTH]);
    to.extend_from_slice(&id.to_le_bytes());
    to.push(kind);
    body(to);
    let length = u32::try_from(to.len() - start - LENGTH).expect("a buffer has at most 16 MiB");
    to[start..start + LENGTH].copy_from_slice(&length.to_le_bytes());
}

fn write_name(name: &str, to: &mut Vec<u8>) {
    to.push(u8::try_from(name.len()).expect("a service's name has at most 255 bytes"));
    to.extend_from_slice(name.as_bytes());
}

fn write_payload(payload: &Payload, to: &mut Vec<u8>) {
    to.push(payload.payload_type as u8);
    to.extend_from_slice(&payload.bytes);
}

fn read_name(from: &[u8]) -> Result<(&str, &[u8]), FrameError> {
    let (length, rest) = from.split_first().ok_or(FrameError::Short)?;
    let (name, rest) = rest.split_at_checked((*length).into()).ok_or(FrameError::Short)?;
    Ok((text(name)?, rest))
}

fn read_names(mut from: &[u8]) -> Result<Vec<String>, FrameError> {
    let mut names = Vec::new();
    while !from.is_empty() {
        let (name, rest) = read_name(from)?;
        names.push(name.to_owned());
        from = rest;
    }
    Ok(names)
}

fn read_payload(from: &[u8]) -> Result<Payload, FrameError> {
    let (number, bytes) = from.split_first().ok_or(FrameError::Short)?;
    let payload_type = PayloadType::from_number(*number).ok_or(FrameError::Unknown(*number))?;
    Ok(Payload { payload_type, bytes: bytes.to_vec() })
}

fn text(bytes: &[u8]) -> Result<&str, FrameError> {
    str::from_utf8(bytes).map_err(|_| FrameError::Text)
}
