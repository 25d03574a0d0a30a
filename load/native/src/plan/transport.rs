//! Where the target listens and how requests travel.

use std::collections::BTreeMap;

use serde::Deserialize;

/// Where the target listens and how requests travel.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    pub protocol: Protocol,
    pub host: String,
    pub port: u16,
    /// Where connections go in place of the host: its name or address, which requests do not show.
    #[serde(default)]
    pub address: Option<String>,
    /// A Unix socket that connections go to.
    #[serde(default)]
    pub unix_socket: Option<String>,
    /// Connections that the virtual users share; one for each user when absent.
    pub connections: Option<u32>,
    pub batch: u32,
    pub stream: bool,
    /// Events that one user may have in flight on a stream.
    #[serde(default = "one")]
    pub window: u32,
    /// Whether connections are kept after a reply; HTTP only.
    #[serde(default = "yes")]
    pub keep_alive: bool,
    /// HTTP: the version of the protocol.
    #[serde(default)]
    pub http_version: HttpVersion,
    /// gRPC: messages are compressed.
    #[serde(default)]
    pub gzip: bool,
    /// gRPC and HTTP/2: keepalive pings.
    #[serde(default)]
    pub ping: Option<Ping>,
    pub timeout_ms: u64,
    /// The headers of every request in addition to its own: HTTP headers, or the metadata of gRPC calls.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Requests travel encrypted.
    #[serde(default)]
    pub tls: Option<Tls>,
}

fn yes() -> bool {
    true
}

fn one() -> u32 {
    1
}

/// When a connection is checked by a ping, and how long its answer may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ping {
    pub interval_ms: u64,
    pub timeout_ms: u64,
    /// Also while no call is in flight.
    #[serde(default)]
    pub when_idle: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum HttpVersion {
    #[default]
    #[serde(rename = "1.1")]
    One,
    #[serde(rename = "2")]
    Two,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    Http,
    Grpc,
}

impl Protocol {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Grpc => "grpc",
        }
    }
}

/// How the target's certificate is verified.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// PEM file of the authorities to trust; the system's when absent.
    pub ca_file: Option<String>,
    /// The name that the certificate must be for; the host when absent.
    pub server_name: Option<String>,
    /// Any certificate is accepted.
    #[serde(default)]
    pub insecure: bool,
    /// PEM files of the client's own certificate and its key.
    #[serde(default)]
    pub cert_file: Option<String>,
    #[serde(default)]
    pub key_file: Option<String>,
}

impl Transport {
    /// Whether connections speak HTTP/2.
    #[must_use]
    pub fn is_http2(&self) -> bool {
        self.protocol == Protocol::Grpc || self.http_version == HttpVersion::Two
    }

    /// Host and port as requests name them: the certificate's name where there is one.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = self.tls.as_ref().and_then(|tls| tls.server_name.as_ref()).unwrap_or(&self.host);
        // The zone of an address is this machine's own.
        let host = host.split('%').next().unwrap_or(host);
        let host = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        format!("{host}:{}", self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_use_the_name_in_the_certificate() {
        let mut transport = Transport {
            protocol: Protocol::Http,
            host: "::1".to_owned(),
            port: 80,
            address: None,
            unix_socket: None,
            connections: None,
            batch: 1,
            stream: false,
            window: 1,
            keep_alive: true,
            http_version: HttpVersion::One,
            gzip: false,
            ping: None,
            timeout_ms: 1,
            headers: BTreeMap::new(),
            tls: None,
        };
        assert_eq!(transport.authority(), "[::1]:80");
        transport.host = "fe80::1%eth0".to_owned();
        assert_eq!(transport.authority(), "[fe80::1]:80");
        transport.host = "::1".to_owned();
        transport.tls = Some(Tls::default());
        assert_eq!(transport.authority(), "[::1]:80");
        transport.tls = Some(Tls { server_name: Some("shop.test".to_owned()), ..Tls::default() });
        assert_eq!(transport.authority(), "shop.test:80");
    }
}
