//! Settings from the environment, validated before anything starts.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZero;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread::available_parallelism;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tracing::Level;

use crate::token::Token;

/// Constants of a target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name in its manifest, also the application name of its connections.
    pub name: &'static str,
    /// The crate whose log lines are shown beside those of the core.
    pub module: &'static str,
    /// Variable that holds the port.
    pub port_variable: &'static str,
    /// The documented port.
    pub default_port: u16,
    /// Protocols that it offers by ALPN over TLS, the preferred one first.
    pub protocols: &'static [&'static str],
    /// The default limits; the variable of one that is zero is not read.
    pub limits: Limits,
}

/// How long a client may take, and how much it may ask at once. Zero where a target has no such limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For the head of a request; over gRPC for the handshake of a connection.
    pub read_header: Duration,
    /// For a body or a message.
    pub read: Duration,
    /// For a connection without a request. Over HTTP/2 it is pinged then, and ends without an answer.
    pub idle: Duration,
    /// Requests in flight on a connection of HTTP/2.
    pub streams: u32,
}

impl Limits {
    /// A target without any.
    pub const NONE: Self = Self { read_header: Duration::ZERO, read: Duration::ZERO, idle: Duration::ZERO, streams: 0 };
}

/// How events reach the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// Many requests share a transaction.
    GroupCommit,
    /// Each request has its own.
    PerRequest,
}

impl fmt::Display for WriteMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::GroupCommit => "group-commit",
            Self::PerRequest => "per-request",
        })
    }
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object a line.
    Json,
}

/// The certificate and its key, both as PEM.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The server's certificate and the intermediate ones.
    pub certificates: PathBuf,
    /// The private key of the server's certificate.
    pub key: PathBuf,
}

/// All settings, validated.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address and credentials of the database.
    pub database: PgConnectOptions,
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// How events reach the database.
    pub write_mode: WriteMode,
    /// Maximum number of connections to the database.
    pub pool_size: usize,
    /// Batches in flight at once.
    pub flushers: usize,
    /// Threads that serve requests.
    pub workers: usize,
    /// Bytes that unfinished requests may occupy together.
    pub intake_bytes: usize,
    /// Limits of each connection.
    pub limits: Limits,
    /// Maximum number of queued events; in per-request mode of requests in flight.
    pub queue_events: usize,
    /// Certificate and key, if TLS is configured.
    pub tls: Option<TlsFiles>,
    /// The token that requests must carry, if set.
    pub token: Option<Token>,
    /// The minimum level of log lines.
    pub log_level: Level,
    /// The format of log lines.
    pub log_format: LogFormat,
}

/// A setting that cannot be used. Names it, its value, and the values that can be used.
#[derive(Debug, PartialEq, Eq)]
pub struct SettingError(String);

impl SettingError {
    /// `<variable> is "<value>": use <advice>`
    pub(crate) fn new(variable: &str, value: &str, advice: &str) -> Self {
        Self(format!("{variable} is {value:?}: use {advice}"))
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingError {}

/// The variable that names the certificate file.
pub const CERTIFICATE_VARIABLE: &str = "TLS_CERT_FILE";
/// The variable that names the key file.
pub const KEY_VARIABLE: &str = "TLS_KEY_FILE";
const DEFAULT_DATABASE: &str = "postgresql://postgres:password@localhost:5432/car_entities";

impl Settings {
    /// Reads the process's environment.
    pub fn from_environment(target: &Target) -> Result<Self, SettingError> {
        Self::read(target, |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// Reads variables; one that is empty counts as unset.
    pub fn read(target: &Target, variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let variables = Variables(|name: &str| variable(name).filter(|value| !value.is_empty()));
        let cores = available_parallelism().map_or(1, NonZero::get);
        let write_mode = variables
            .word("WRITE_MODE", &[("group-commit", WriteMode::GroupCommit), ("per-request", WriteMode::PerRequest)])?;
        let flushers = variables.number("FLUSHERS", 2, 1..=8)?;
        let pool_size: usize = variables.number("DB_POOL_SIZE", 10, 1..=1_000)?;
        Ok(Self {
            database: variables.database(target.name)?,
            address: SocketAddr::new(
                variables.address("BIND")?,
                variables.number(target.port_variable, target.default_port, 0..=u16::MAX)?,
            ),
            write_mode,
            pool_size: match write_mode {
                WriteMode::GroupCommit => pool_size.min(flushers + 1),
                WriteMode::PerRequest => pool_size,
            },
            flushers,
            workers: variables.number("WORKERS", cores, 1..=1_024)?,
            intake_bytes: variables.number("INTAKE_MB", 64, 1..=65_536)? << 20,
            limits: Limits {
                read_header: variables.duration("READ_HEADER_TIMEOUT", target.limits.read_header)?,
                read: variables.duration("READ_TIMEOUT", target.limits.read)?,
                idle: variables.duration("IDLE_TIMEOUT", target.limits.idle)?,
                streams: match target.limits.streams {
                    0 => 0,
                    default => variables.number("MAX_STREAMS", default, 1..=1_000_000)?,
                },
            },
            queue_events: variables.number("QUEUE_EVENTS", 20_000, 1..=10_000_000)?,
            tls: variables.tls_files()?,
            token: variables.token("API_TOKEN")?,
            log_level: variables.word(
                "LOG_LEVEL",
                &[("info", Level::INFO), ("error", Level::ERROR), ("warn", Level::WARN), ("debug", Level::DEBUG)],
            )?,
            log_format: variables.word("LOG_FORMAT", &[("text", LogFormat::Text), ("json", LogFormat::Json)])?,
        })
    }
}

struct Variables<F>(F);

impl<F: Fn(&str) -> Option<String>> Variables<F> {
    /// One of some words; the first is the default.
    fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, SettingError> {
        let Some(value) = (self.0)(name) else {
            return Ok(words[0].1);
        };
        match words.iter().find(|(word, _)| *word == value) {
            Some((_, meaning)) => Ok(*meaning),
            None => Err(SettingError::new(name, &value, &one_of(words))),
        }
    }

    fn number<T>(&self, name: &str, default: T, allowed: RangeInclusive<T>) -> Result<T, SettingError>
    where
        T: FromStr + PartialOrd + fmt::Display,
    {
        let Some(value) = (self.0)(name) else {
            return Ok(default);
        };
        match value.parse() {
            Ok(number) if allowed.contains(&number) => Ok(number),
            _ => {
                let advice = format!("a whole number from {} to {}", allowed.start(), allowed.end());
                Err(SettingError::new(name, &value, &advice))
            }
        }
    }

    /// Zero if the default is: the target has no such limit.
    fn duration(&self, name: &str, default: Duration) -> Result<Duration, SettingError> {
        let Some(value) = (self.0)(name).filter(|_| !default.is_zero()) else {
            return Ok(default);
        };
        match humantime::parse_duration(&value) {
            Ok(duration) if !duration.is_zero() => Ok(duration),
            _ => Err(SettingError::new(name, &value, "a duration such as 5s or 500ms")),
        }
    }

    fn address(&self, name: &str) -> Result<IpAddr, SettingError> {
        match (self.0)(name) {
            Some(value) => {
                value.parse().map_err(|_| SettingError::new(name, &value, "an IP address such as 127.0.0.1 or ::"))
            }
            None => Ok(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        }
    }

    fn tls_files(&self) -> Result<Option<TlsFiles>, SettingError> {
        let file = |name| (self.0)(name).map(PathBuf::from);
        match (file(CERTIFICATE_VARIABLE), file(KEY_VARIABLE)) {
            (Some(certificates), Some(key)) => Ok(Some(TlsFiles { certificates, key })),
            (None, None) => Ok(None),
            (Some(_), None) => Err(alone(CERTIFICATE_VARIABLE, KEY_VARIABLE)),
            (None, Some(_)) => Err(alone(KEY_VARIABLE, CERTIFICATE_VARIABLE)),
        }
    }

    /// A secret: the error does not repeat it.
    fn token(&self, name: &str) -> Result<Option<Token>, SettingError> {
        let unusable = || SettingError(format!("{name} cannot be used: use 1 to 256 visible ASCII characters"));
        (self.0)(name).map(|text| Token::new(&text).ok_or_else(unusable)).transpose()
    }

    /// The URL contains a password: the error does not repeat it.
    fn database(&self, application: &str) -> Result<PgConnectOptions, SettingError> {
        let url = (self.0)("DATABASE_URL").unwrap_or_else(|| DEFAULT_DATABASE.to_owned());
        let is_postgresql = url.starts_with("postgresql://") || url.starts_with("postgres://");
        match PgConnectOptions::from_str(&url) {
            Ok(options) if is_postgresql => Ok(options.application_name(application)),
            _ => Err(SettingError(
                "DATABASE_URL is not a PostgreSQL URL: use postgresql://USER:PASSWORD@HOST:PORT/DATABASE".to_owned(),
            )),
        }
    }
}

fn alone(set: &str, missing: &str) -> SettingError {
    SettingError(format!("{set} is set and {missing} is not: use both or neither"))
}

/// `a, b or c`
fn one_of<T>(words: &[(&str, T)]) -> String {
    let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
    match words.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Target = Target {
        name: "target",
        module: "target",
        port_variable: "SERVER_PORT",
        default_port: 8081,
        protocols: &[],
        limits: Limits {
            read_header: Duration::from_secs(1),
            read: Duration::from_secs(2),
            idle: Duration::from_secs(3),
            streams: 4,
        },
    };

    fn read(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::read(&TARGET, |name| {
            variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        })
        .map_err(|error| error.to_string())
    }

    #[test]
    fn defaults() {
        let settings = read(&[("WRITE_MODE", ""), ("DATABASE_URL", "")]).expect("defaults are usable");
        assert_eq!(settings.address.to_string(), "127.0.0.1:8081");
        assert_eq!(settings.write_mode, WriteMode::GroupCommit);
        assert_eq!((settings.flushers, settings.queue_events), (2, 20_000));
        assert_eq!((settings.intake_bytes, settings.limits), (64 << 20, TARGET.limits));
        assert_eq!((settings.tls, settings.token), (None, None));
        assert_eq!((settings.log_level, settings.log_format), (Level::INFO, LogFormat::Text));
        assert_eq!((settings.database.get_host(), settings.database.get_port()), ("localhost", 5432));
    }

    #[test]
    fn every_setting_can_be_set() {
        let settings = read(&[
            ("DATABASE_URL", "postgres://u:p@db.example:6543/d"),
            ("SERVER_PORT", "0"),
            ("BIND", "::1"),
            ("WRITE_MODE", "per-request"),
            ("DB_POOL_SIZE", "7"),
            ("FLUSHERS", "8"),
            ("WORKERS", "3"),
            ("INTAKE_MB", "9"),
            ("READ_HEADER_TIMEOUT", "500ms"),
            ("READ_TIMEOUT", "5s"),
            ("IDLE_TIMEOUT", "1m 30s"),
            ("MAX_STREAMS", "7"),
            ("QUEUE_EVENTS", "1"),
            ("TLS_CERT_FILE", "cert.pem"),
            ("TLS_KEY_FILE", "key.pem"),
            ("API_TOKEN", "secret"),
            ("LOG_LEVEL", "debug"),
            ("LOG_FORMAT", "json"),
        ])
        .expect("these are usable");
        assert_eq!(settings.database.get_database(), Some("d"));
        assert_eq!(settings.address.to_string(), "[::1]:0");
        assert_eq!(settings.write_mode, WriteMode::PerRequest);
        assert_eq!((settings.pool_size, settings.flushers), (7, 8));
        assert_eq!((settings.workers, settings.queue_events), (3, 1));
        let limits = Limits {
            read_header: Duration::from_millis(500),
            read: Duration::from_secs(5),
            idle: Duration::from_secs(90),
            streams: 7,
        };
        assert_eq!((settings.intake_bytes, settings.limits), (9 << 20, limits));
        let files = TlsFiles { certificates: "cert.pem".into(), key: "key.pem".into() };
        assert_eq!((settings.tls, settings.token), (Some(files), Token::new("secret")));
        assert_eq!((settings.log_level, settings.log_format), (Level::DEBUG, LogFormat::Json));
    }

    #[test]
    fn group_commit_opens_no_more_connections_than_it_uses() {
        for (pool_size, flushers, connections) in [("10", "2", 3), ("2", "8", 2), ("10", "1", 2)] {
            let settings = read(&[("DB_POOL_SIZE", pool_size), ("FLUSHERS", flushers)]).expect("usable");
            assert_eq!(settings.pool_size, connections);
        }
    }

    #[test]
    fn a_setting_that_cannot_be_used_is_named_with_what_can() {
        for (name, value, message) in [
            ("WRITE_MODE", "batch", r#"WRITE_MODE is "batch": use group-commit or per-request"#),
            ("LOG_LEVEL", "INFO", r#"LOG_LEVEL is "INFO": use info, error, warn or debug"#),
            ("LOG_FORMAT", "xml", r#"LOG_FORMAT is "xml": use text or json"#),
            ("FLUSHERS", "9", r#"FLUSHERS is "9": use a whole number from 1 to 8"#),
            ("FLUSHERS", "0", r#"FLUSHERS is "0": use a whole number from 1 to 8"#),
            ("DB_POOL_SIZE", "ten", r#"DB_POOL_SIZE is "ten": use a whole number from 1 to 1000"#),
            ("WORKERS", "-1", r#"WORKERS is "-1": use a whole number from 1 to 1024"#),
            ("INTAKE_MB", "0", r#"INTAKE_MB is "0": use a whole number from 1 to 65536"#),
            ("READ_TIMEOUT", "30", r#"READ_TIMEOUT is "30": use a duration such as 5s or 500ms"#),
            ("IDLE_TIMEOUT", "0s", r#"IDLE_TIMEOUT is "0s": use a duration such as 5s or 500ms"#),
            ("MAX_STREAMS", "0", r#"MAX_STREAMS is "0": use a whole number from 1 to 1000000"#),
            ("QUEUE_EVENTS", "1e3", r#"QUEUE_EVENTS is "1e3": use a whole number from 1 to 10000000"#),
            ("SERVER_PORT", "65536", r#"SERVER_PORT is "65536": use a whole number from 0 to 65535"#),
            ("TLS_CERT_FILE", "c", "TLS_CERT_FILE is set and TLS_KEY_FILE is not: use both or neither"),
            ("TLS_KEY_FILE", "k", "TLS_KEY_FILE is set and TLS_CERT_FILE is not: use both or neither"),
            ("API_TOKEN", "my secret", "API_TOKEN cannot be used: use 1 to 256 visible ASCII characters"),
            ("BIND", "localhost", r#"BIND is "localhost": use an IP address such as 127.0.0.1 or ::"#),
        ] {
            assert_eq!(read(&[(name, value)]).err().as_deref(), Some(message));
        }
    }

    #[test]
    fn a_limit_that_a_target_does_not_have_is_not_read() {
        let target = Target { limits: Limits::NONE, ..TARGET };
        let settings =
            Settings::read(&target, |name| ["READ_TIMEOUT", "MAX_STREAMS"].contains(&name).then(|| "none".to_owned()));
        assert_eq!(settings.expect("usable").limits, Limits::NONE);
    }

    #[test]
    fn a_database_url_that_cannot_be_used_is_not_repeated() {
        for url in ["mysql://u:secret@h/d", "secret", "postgresql://u:secret@h:port/d"] {
            let message = read(&[("DATABASE_URL", url)]).expect_err("unusable");
            assert!(message.starts_with("DATABASE_URL is not a PostgreSQL URL: use ") && !message.contains("secret"));
        }
    }
}
