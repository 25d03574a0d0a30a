//! Frames over Unix sockets: every server listens on its own socket in one folder, and every caller connects to
//! all of them. A server's end is seen at once, because the kernel closes its sockets.
//!
//! A frame is a u32 length of what follows, a u64 id, a kind, and the rest ([`frame`]). Replies may come in any order.

mod client;
mod connection;
mod frame;
mod server;
mod slots;

pub use client::LocalBus;
pub use frame::{Frame, FrameError, MAX_FRAME};
pub use server::serve;

/// The socket of a server instance.
#[must_use]
pub fn socket_name(instance: usize) -> String {
    format!("server-{instance}.sock")
}
