//! gRPC over HTTP/2: unary calls, many at once on a connection, or one long call that messages travel on.

mod connection;
pub mod frame;
pub mod hpack;
mod huffman;
pub mod messages;
mod outgoing;

pub use connection::Grpc;

use hpack::{RequestField, RequestFields};

/// What all connections of a run share.
#[derive(Debug)]
pub struct GrpcCalls {
    fields: RequestFields,
    /// The last method is one long call for each connection.
    is_stream: bool,
}

impl GrpcCalls {
    /// Prepares calls of `package.Service/Method` to an authority.
    #[must_use]
    pub fn new(authority: &str, methods: &[&str], is_stream: bool) -> Self {
        let path = |method: &&str| RequestField::new(":path", format!("/{method}").as_bytes());
        let others = vec![
            RequestField::new(":authority", authority.as_bytes()),
            RequestField::new("content-type", b"application/grpc"),
            RequestField::new("te", b"trailers"),
            RequestField::new("user-agent", concat!("bakeoff-load/", env!("CARGO_PKG_VERSION")).as_bytes()),
        ];
        Self { fields: RequestFields { paths: methods.iter().map(path).collect(), others }, is_stream }
    }
}
