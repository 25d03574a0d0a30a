//! gRPC over HTTP/2: unary calls, many at once on a connection, or one long call that messages travel on.

mod calls;
mod connection;
pub mod frame;
pub mod hpack;
mod huffman;
pub mod messages;
mod outgoing;

pub use calls::GrpcCalls;
pub use connection::Grpc;
