//! The calls of a plan, prepared for all connections.

use std::collections::BTreeMap;

use super::hpack::{RequestField, RequestFields};
use super::rest::RestCall;

/// The state that all connections of a run share.
#[derive(Debug)]
pub struct Http2Calls {
    pub(super) fields: RequestFields,
    /// The last method is one long call for each connection.
    pub(super) is_stream: bool,
    /// Of a REST API; none for gRPC.
    pub(super) rest: Option<Vec<RestCall>>,
    /// gRPC messages are compressed.
    pub(super) gzip: bool,
    /// By method: its replies are any number of messages.
    pub(super) is_list: Vec<bool>,
    /// By method: its requests are messages with their lengths already.
    pub(super) is_framed: Vec<bool>,
    pub(super) ping: Option<Ping>,
}

/// One kind of request of a REST API.
#[derive(Debug, Clone)]
pub struct RestRequest {
    pub method: String,
    pub headers: Vec<(String, String)>,
    pub has_body: bool,
}

/// When a connection is checked.
#[derive(Debug, Clone, Copy)]
pub struct Ping {
    pub interval_ns: u64,
    pub timeout_ns: u64,
    /// Also while no call is in flight.
    pub when_idle: bool,
}

impl Http2Calls {
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
        Self::of(RequestFields { paths, others, is_https: false }, is_stream)
    }

    fn of(fields: RequestFields, is_stream: bool) -> Self {
        let (is_list, is_framed) = (Vec::new(), Vec::new());
        Self { fields, is_stream, rest: None, gzip: false, is_list, is_framed, ping: None }
    }

    /// Prepares requests of a REST API to an authority: method, headers and whether there is a body, for each call.
    #[must_use]
    pub fn rest(authority: &str, calls: &[RestRequest]) -> Self {
        let mut others = vec![RequestField::new(":authority", authority.as_bytes())];
        let prepare = |request: &RestRequest| {
            let headers = request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
            RestCall::new(&request.method, headers, request.has_body, &mut others)
        };
        let rest = calls.iter().map(prepare).collect();
        let calls = Self::of(RequestFields { paths: Vec::new(), others, is_https: false }, false);
        Self { rest: Some(rest), ..calls }
    }

    /// Compresses messages, and accepts compressed ones.
    #[must_use]
    pub fn with_gzip(mut self, gzip: bool) -> Self {
        if gzip {
            let names = ["grpc-encoding", "grpc-accept-encoding"];
            self.fields.others.extend(names.map(|name| RequestField::new(name, b"gzip")));
        }
        self.gzip = gzip;
        self
    }

    /// By method, whether it replies with a stream of messages, and whether requests come as messages with lengths.
    #[must_use]
    pub fn with_streams(mut self, is_list: Vec<bool>, is_framed: Vec<bool>) -> Self {
        (self.is_list, self.is_framed) = (is_list, is_framed);
        self
    }

    /// Sends keepalive pings.
    #[must_use]
    pub fn with_ping(mut self, ping: Option<Ping>) -> Self {
        self.ping = ping;
        self
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
