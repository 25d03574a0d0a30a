//! HTTP/2: gRPC calls, many at once on a connection or one long call that messages travel on, and requests of REST APIs.

mod calls;
mod connection;
pub mod frame;
pub mod hpack;
mod huffman;
pub mod messages;
mod outgoing;
mod rest;

pub use calls::{Http2Calls, Ping, RestRequest};
pub use connection::Http2;
