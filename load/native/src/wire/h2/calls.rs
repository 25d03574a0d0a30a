//! The gRPC calls of a plan, prepared for all connections.

use std::collections::BTreeMap;

use super::hpack::{RequestField, RequestFields};

/// What all connections of a run share.
#[derive(Debug)]
pub struct GrpcCalls {
    pub(super) fields: RequestFields,
    /// The last method is one long call for each connection.
    pub(super) is_stream: bool,
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
        let paths = methods.iter().map(path).collect();
        Self { fields: RequestFields { paths, others, is_https: false }, is_stream }
    }

    /// Adds metadata to every call.
    #[must_use]
    pub fn with_metadata(mut self, metadata: &BTreeMap<String, String>) -> Self {
        let field = |(name, value): (&String, &String)| RequestField::new(name, value.as_bytes());
        self.fields.others.extend(metadata.iter().map(field));
        self
    }

    /// Sets the scheme of encrypted calls, `https`.
    #[must_use]
    pub fn over_tls(mut self) -> Self {
        self.fields.is_https = true;
        self
    }
}
