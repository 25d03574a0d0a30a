//! Enduro/X: its libraries are opened at run time, from `$NDRX_HOME/lib`; nothing of it is linked or shipped.
//!
//! A caller has its own thread with its own XATMI context, because the calls of a context must come from one thread:
//! `tpacall` sends, `tpgetrply` collects, and any number of calls are outstanding. Enduro/X does not report a server that
//! is killed in mid-call: the call's deadline ends it. Its own timeouts have whole seconds, and end only abandoned calls.
//!
//! Texts travel as STRING, or as CARRAY where they have a zero byte, and fielded buffers as UBF, so that services that
//! know nothing of this crate can be called. What is larger than a message of the domain's queues (`NDRX_MSGSIZEMAX`)
//! travels in parts, as a conversation, which only the servers of this crate understand.
#![expect(unsafe_code, reason = "the functions of a C library")]

mod buffers;
mod client;
mod context;
mod conversation;
mod library;
mod server;
mod typed;
mod waiting;

pub use client::EnduroxBus;
pub use library::installed;
pub use server::serve;
