//! The target's URL, and the options that apply to it.

use std::collections::BTreeMap;

use crate::cli::arguments::HitArguments;
use crate::plan::{HttpVersion, Protocol, Tls, Transport};

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
    /// The target of requests; the error shows a right URL.
    pub fn parse(url: &str) -> Result<Self, String> {
        let target = Self::server(url)?;
        if target.protocol == Protocol::Grpc && !target.path.contains('/') {
            return Err(format!("\"{url}\" names no method: write grpc://127.0.0.1:9090/package.Service/Method."));
        }
        Ok(target)
    }

    /// Likewise, where a URL of gRPC need not name a method.
    pub fn server(url: &str) -> Result<Self, String> {
        let wrong = || format!("\"{url}\" is not a URL of an HTTP server: write http://127.0.0.1:3000/path.");
        let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
        let (protocol, is_encrypted, usual_port) = match scheme {
            "http" => (Protocol::Http, false, Some(80)),
            "https" => (Protocol::Http, true, Some(443)),
            "grpc" => (Protocol::Grpc, false, None),
            "grpcs" => (Protocol::Grpc, true, Some(443)),
            _ => return Err(wrong()),
        };
        if !url.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!("\"{url}\" holds characters that a URL cannot hold: percent-encode them."));
        }
        let (authority, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        if authority.contains('@') {
            let advice = "send them with --basic USER:PASSWORD";
            return Err(format!("The URL holds a user name or password: {advice}."));
        }
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
            _ => (authority, None),
        };
        // A percent sign before the zone of an address is written as %25 (RFC 6874).
        let host = host.trim_matches(['[', ']']).replacen("%25", "%", 1);
        if host.is_empty() {
            return Err(wrong());
        }
        let no_port = || format!("\"{url}\" is not a URL: the port must be 1 to 65535.");
        let port = match port {
            Some(text) => text.parse().ok().filter(|port| *port > 0),
            None => usual_port,
        };
        let port = port.ok_or_else(no_port)?;
        let path = path.split('#').next().unwrap_or_default();
        let path = match (protocol, path.trim_start_matches('/')) {
            (Protocol::Grpc, method) => method.to_owned(),
            (Protocol::Http, _) if path.starts_with('/') => path.to_owned(),
            (Protocol::Http, _) => format!("/{path}"),
        };
        Ok(Self { protocol, is_encrypted, host, port, path })
    }

    /// How its requests travel where no option says otherwise.
    pub fn transport(&self) -> Transport {
        Transport {
            protocol: self.protocol,
            host: self.host.clone(),
            port: self.port,
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
            timeout_ms: 30_000,
            headers: BTreeMap::new(),
            tls: self.is_encrypted.then(Tls::default),
        }
    }

    /// Host and port.
    pub fn address(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// Refuses options that do not apply to this URL: ignoring them would surprise.
    pub fn check(&self, options: &HitArguments) -> Result<(), String> {
        let (is_http, is_grpc) = (self.protocol == Protocol::Http, self.protocol == Protocol::Grpc);
        let rules = [
            (options.method.is_some(), is_http, "--method applies to http and https only"),
            (
                options.expect.is_some(),
                is_http,
                "--expect applies to http and https only; a gRPC call succeeds with OK",
            ),
            (options.http2, is_http, "--http2 applies to http and https only; gRPC is HTTP/2"),
            (options.disable_keepalive, is_http, "--disable-keepalive applies to http and https only"),
            (!options.form.is_empty(), is_http, "--form applies to http and https only"),
            (options.urls.is_some(), is_http, "--urls applies to http and https only"),
            (options.proto.is_some(), is_grpc, "--proto applies to grpc and grpcs only"),
            (options.descriptor_set.is_some(), is_grpc, "--descriptor-set applies to grpc and grpcs only"),
            (options.stream, is_grpc, "--stream applies to grpc and grpcs only"),
            (options.insecure, self.is_encrypted, "--insecure applies to https and grpcs only"),
            (options.cert.is_some(), self.is_encrypted, "--cert applies to https and grpcs only"),
            (options.ca_file.is_some(), self.is_encrypted, "--ca-file applies to https and grpcs only"),
            (options.server_name.is_some(), self.is_encrypted, "--server-name applies to https and grpcs only"),
        ];
        match rules.iter().find(|(is_given, has_meaning, _)| *is_given && !has_meaning) {
            Some((_, _, message)) => Err(format!("{message}.")),
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
            ("http://example.org/a#b", target(Protocol::Http, false, "example.org", 80, "/a")),
            ("http://example.org/@a", target(Protocol::Http, false, "example.org", 80, "/@a")),
            ("https://example.org/a", target(Protocol::Http, true, "example.org", 443, "/a")),
            ("http://[fe80::1%25eth0]:80/", target(Protocol::Http, false, "fe80::1%eth0", 80, "/")),
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
            ("127.0.0.1:3000", "is not a URL of an HTTP server: write http://127.0.0.1:3000/path."),
            ("ftp://h/x", "is not a URL of an HTTP server"),
            ("http://:80/", "is not a URL of an HTTP server"),
            ("http://h:99999/", "is not a URL: the port must be 1 to 65535."),
            ("http://h:0/", "is not a URL"),
            ("http://h/a b", "holds characters that a URL cannot hold: percent-encode them."),
            ("http://h/ü", "percent-encode"),
            ("grpc://h/p.S/M", "the port must be"),
            ("grpc://h:1", "names no method"),
            ("grpc://h:1/p.S", "names no method"),
        ] {
            let error = Target::parse(url).expect_err(url);
            assert!(error.starts_with(&format!("\"{url}\"")) && error.contains(words), "{error}");
        }
        let error = Target::parse("http://me:secret@h/").expect_err("a password");
        assert!(error.contains("send them with --basic") && !error.contains("secret"), "{error}");
    }
}
