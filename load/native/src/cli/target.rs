//! The target's URL, and the options that apply to it.

use super::arguments::ToolArguments;
use crate::plan::{PlanError, Protocol};

/// The parts of a URL.
#[derive(Debug, PartialEq)]
pub struct Target {
    pub protocol: Protocol,
    pub is_encrypted: bool,
    pub host: String,
    pub port: u16,
    /// A path, or `package.Service/Method`.
    pub path: String,
}

impl Target {
    /// # Errors
    /// The URL is invalid.
    pub fn parse(url: &str) -> Result<Self, PlanError> {
        let wrong = |reason: &str| PlanError::rule(format!("{url}: {reason}"));
        let begins = "a URL must begin with http://, https://, grpc:// or grpcs://";
        let (scheme, rest) = url.split_once("://").ok_or_else(|| wrong(begins))?;
        let (protocol, is_encrypted, usual_port) = match scheme {
            "http" => (Protocol::Http, false, Some(80)),
            "https" => (Protocol::Http, true, Some(443)),
            "grpc" => (Protocol::Grpc, false, None),
            "grpcs" => (Protocol::Grpc, true, Some(443)),
            _ => return Err(wrong(begins)),
        };
        if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(wrong("write spaces and non-ASCII characters percent-encoded, such as %20"));
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if authority.contains('@') {
            return Err(wrong("pass credentials as a header, -H 'Authorization: …'"));
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        let host = host.trim_matches(['[', ']']).to_owned();
        if host.is_empty() {
            return Err(wrong("the host is missing"));
        }
        let port = match port {
            Some(text) => {
                text.parse().ok().filter(|port| *port > 0).ok_or_else(|| wrong("the port must be 1 to 65535"))?
            }
            None => usual_port.ok_or_else(|| wrong("the port is missing"))?,
        };
        let path = match (protocol, path.trim_start_matches('/')) {
            (Protocol::Grpc, method) if !method.contains('/') => {
                return Err(wrong("a gRPC URL must name its method: grpc://host:port/package.Service/Method"));
            }
            (Protocol::Grpc, method) => method.to_owned(),
            (Protocol::Http, _) if path.starts_with('/') => path.to_owned(),
            (Protocol::Http, _) => format!("/{path}"),
        };
        Ok(Self { protocol, is_encrypted, host, port, path })
    }

    /// Refuses options that do not apply to this URL: ignoring them would surprise.
    pub fn check(&self, options: &ToolArguments) -> Result<(), PlanError> {
        let (is_http, is_grpc) = (self.protocol == Protocol::Http, self.protocol == Protocol::Grpc);
        let rules = [
            (options.method.is_some(), is_http, "--method applies to http and https only"),
            (
                options.expect.is_some(),
                is_http,
                "--expect applies to http and https only; a gRPC call succeeds with OK",
            ),
            (options.proto.is_some(), is_grpc, "--proto applies to grpc and grpcs only"),
            (options.descriptor_set.is_some(), is_grpc, "--descriptor-set applies to grpc and grpcs only"),
            (options.stream, is_grpc, "--stream applies to grpc and grpcs only"),
            (options.ca_file.is_some(), self.is_encrypted, "--ca-file applies to https and grpcs only"),
            (options.server_name.is_some(), self.is_encrypted, "--server-name applies to https and grpcs only"),
        ];
        match rules.iter().find(|(is_given, has_meaning, _)| *is_given && !has_meaning) {
            Some((_, _, message)) => Err(PlanError::rule(*message)),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let target = |protocol, is_encrypted, host: &str, port, path: &str| Target {
            protocol,
            is_encrypted,
            host: host.to_owned(),
            port,
            path: path.to_owned(),
        };
        for (url, expected) in [
            ("http://localhost:8081/a?b", target(Protocol::Http, false, "localhost", 8081, "/a?b")),
            ("http://example.org", target(Protocol::Http, false, "example.org", 80, "/")),
            ("http://example.org?a=b", target(Protocol::Http, false, "example.org", 80, "/?a=b")),
            ("http://example.org/@a", target(Protocol::Http, false, "example.org", 80, "/@a")),
            ("https://example.org/a", target(Protocol::Http, true, "example.org", 443, "/a")),
            ("http://[::1]:80/", target(Protocol::Http, false, "::1", 80, "/")),
            ("grpc://h:9090/p.S/M", target(Protocol::Grpc, false, "h", 9090, "p.S/M")),
            ("grpcs://h/p.S/M", target(Protocol::Grpc, true, "h", 443, "p.S/M")),
        ] {
            assert_eq!(Target::parse(url).expect(url), expected, "{url}");
        }
    }

    #[test]
    fn an_invalid_url_is_explained() {
        for (url, words) in [
            ("localhost:80", "must begin with"),
            ("ftp://h/", "must begin with"),
            ("http://:80/", "host is missing"),
            ("http://h:99999/", "port must be"),
            ("http://h:0/", "port must be"),
            ("http://u:p@h/", "-H 'Authorization"),
            ("http://h/a b", "%20"),
            ("http://h/ü", "%20"),
            ("grpc://h/p.S/M", "port is missing"),
            ("grpc://h:1", "must name its method"),
            ("grpc://h:1/p.S", "must name its method"),
        ] {
            let error = Target::parse(url).expect_err(url).to_string();
            assert!(error.starts_with(url) && error.contains(words), "{error}");
        }
    }
}
