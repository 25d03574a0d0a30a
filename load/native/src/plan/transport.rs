//! Where the target listens and how requests travel.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::PlanError;

/// Where the target listens and how requests travel.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Transport {
    pub protocol: Protocol,
    pub host: String,
    pub port: u16,
    /// Connections that the virtual users share; one for each user when absent.
    pub connections: Option<u32>,
    pub batch: u32,
    pub stream: bool,
    /// Events that one user may have under way on a stream.
    #[serde(default = "one")]
    pub window: u32,
    pub timeout_ms: u64,
    /// What every request carries beside its own: HTTP headers, or the metadata of gRPC calls.
    #[serde(default)]
    pub headers: BTreeMap<String, String>,
    /// Requests travel encrypted.
    #[serde(default)]
    pub tls: Option<Tls>,
}

fn one() -> u32 {
    1
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

/// How the target proves who it is.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    /// PEM file of the authorities to trust; the system's when absent.
    pub ca_file: Option<String>,
    /// The name that the certificate must be for; the host when absent.
    pub server_name: Option<String>,
}

/// A frame of HTTP/2 takes 16 KiB, and a header block goes into one.
const LONGEST_HEADERS: usize = 8 * 1024;
/// The engine writes these itself.
const RESERVED: [&str; 6] = ["connection", "content-length", "content-type", "host", "te", "transfer-encoding"];

impl Transport {
    /// Host and port as requests name them: the certificate's name where there is one.
    #[must_use]
    pub fn authority(&self) -> String {
        let host = self.tls.as_ref().and_then(|tls| tls.server_name.as_ref()).unwrap_or(&self.host);
        let host = if host.contains(':') { format!("[{host}]") } else { host.clone() };
        format!("{host}:{}", self.port)
    }

    /// Refuses headers that would break the protocol.
    pub(super) fn check_headers(&self) -> Result<(), PlanError> {
        for (name, value) in &self.headers {
            let is_name = !name.is_empty() && name.bytes().all(|byte| is_token(byte) && !byte.is_ascii_uppercase());
            if !is_name || name.starts_with("grpc-") || RESERVED.contains(&name.as_str()) {
                return Err(PlanError::rule(format!("transport.headers: {name:?} cannot be set")));
            }
            if value.trim() != value || !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
                return Err(PlanError::rule(format!("transport.headers: the value of {name} is no visible ASCII")));
            }
        }
        let bytes: usize = self.headers.iter().map(|(name, value)| name.len() + value.len()).sum();
        if bytes > LONGEST_HEADERS {
            return Err(PlanError::rule(format!("transport.headers: more than {LONGEST_HEADERS} bytes")));
        }
        Ok(())
    }
}

/// Whether a header's name may hold this byte (RFC 9110).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn transport(headers: &[(&str, &str)]) -> Transport {
        Transport {
            protocol: Protocol::Http,
            host: "::1".to_owned(),
            port: 80,
            connections: None,
            batch: 1,
            stream: false,
            window: 1,
            timeout_ms: 1,
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            tls: None,
        }
    }

    #[test]
    fn headers_that_would_break_the_protocol_are_refused() {
        let long = "x".repeat(LONGEST_HEADERS);
        for (name, value, is_right) in [
            ("authorization", "Bearer a.b-c", true),
            ("x_1", "", true),
            ("X-Upper", "a", false),
            ("", "a", false),
            ("a b", "a", false),
            (":path", "/", false),
            ("host", "a", false),
            ("content-length", "3", false),
            ("grpc-timeout", "1S", false),
            ("a", "b\r\nc: d", false),
            ("a", " b", false),
            ("a", "ü", false),
            ("a", &long, false),
        ] {
            assert_eq!(transport(&[(name, value)]).check_headers().is_ok(), is_right, "{name:?}: {value:?}");
        }
    }

    #[test]
    fn requests_name_whom_the_certificate_is_for() {
        let mut transport = transport(&[]);
        assert_eq!(transport.authority(), "[::1]:80");
        transport.tls = Some(Tls::default());
        assert_eq!(transport.authority(), "[::1]:80");
        transport.tls = Some(Tls { server_name: Some("shop.test".to_owned()), ca_file: None });
        assert_eq!(transport.authority(), "shop.test:80");
    }
}
