//! Settings from the environment, validated before anything starts.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::{NonZero, NonZeroU32};
use std::ops::RangeInclusive;
use std::str::FromStr;
use std::thread::available_parallelism;
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tracing::Level;

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
    /// The default limits; the variable of one that is zero is not read.
    pub limits: Limits,
}

/// How long a client may take, and how much it may ask at once. Zero where a target has no such limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For a body or a message.
    pub read: Duration,
    /// For a connection without a request: it is pinged then, and ends without an answer.
    pub idle: Duration,
    /// Requests in flight on a connection.
    pub streams: u32,
}

/// Where users are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// In a database.
    PostgreSql,
    /// Gone when the process ends.
    Memory,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object a line.
    Json,
}

/// All settings, validated.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where to listen; port 0 takes a free one.
    pub address: SocketAddr,
    /// Where users are.
    pub store: Store,
    /// Address and credentials of the database.
    pub database: PgConnectOptions,
    /// Maximum number of connections to the database.
    pub connections: u32,
    /// Each request has its own statements and transaction.
    pub per_request: bool,
    /// Shared transactions in flight at once, as many shared reads by id, and as many shared first pages.
    pub flushers: usize,
    /// Maximum number of queued requests.
    pub queue: usize,
    /// Bytes that unfinished large requests may occupy together.
    pub intake_bytes: usize,
    /// Limits of each connection.
    pub limits: Limits,
    /// Threads that serve requests.
    pub workers: usize,
    /// The time that a call has where it sets no deadline.
    pub timeout: Duration,
    /// The limit of requests per second.
    pub rate: Option<NonZeroU32>,
    /// Pings on idle connections.
    pub keepalive: bool,
    /// Replies are compressed for clients that accept gzip.
    pub reply_gzip: bool,
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
    fn new(variable: &str, value: &str, advice: &str) -> Self {
        Self(format!("{variable} is {value:?}: use {advice}"))
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SettingError {}

const DEFAULT_DATABASE: &str = "postgresql://postgres:password@localhost:5432/users";
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(5);

impl Settings {
    /// Reads the process's environment.
    pub fn from_environment(target: &Target) -> Result<Self, SettingError> {
        Self::read(target, |name| std::env::var_os(name).map(|value| value.to_string_lossy().into_owned()))
    }

    /// Reads variables; one that is empty counts as unset.
    pub fn read(target: &Target, variable: impl Fn(&str) -> Option<String>) -> Result<Self, SettingError> {
        let variables = Variables(|name: &str| variable(name).filter(|value| !value.is_empty()));
        let cores = available_parallelism().map_or(1, NonZero::get);
        let port = variables.number(target.port_variable, target.default_port, 0..=u16::MAX)?;
        Ok(Self {
            address: SocketAddr::new(variables.address("BIND")?, port),
            store: variables.word("STORE", &[("postgresql", Store::PostgreSql), ("memory", Store::Memory)])?,
            database: variables.database(target.name)?,
            connections: variables.number("DB_POOL_SIZE", 10, 1..=1_000)?,
            per_request: variables.word("WRITE_MODE", &[("group-commit", false), ("per-request", true)])?,
            flushers: variables.number("FLUSHERS", 2, 1..=64)?,
            queue: variables.number("QUEUE_REQUESTS", 20_000, 1..=10_000_000)?,
            intake_bytes: variables.number("INTAKE_MB", 64, 1..=2_048)? << 20,
            limits: Limits {
                read: variables.limit("READ_TIMEOUT", target.limits.read)?,
                idle: variables.limit("IDLE_TIMEOUT", target.limits.idle)?,
                streams: match target.limits.streams {
                    0 => 0,
                    default => variables.number("MAX_STREAMS", default, 1..=1_000_000)?,
                },
            },
            workers: variables.number("WORKERS", cores, 1..=1_024)?,
            timeout: variables.duration("REQUEST_TIMEOUT", DEFAULT_TIMEOUT)?,
            rate: NonZeroU32::new(variables.number("RATE_LIMIT", 0, 0..=1_000_000_000)?),
            keepalive: variables.word("KEEPALIVE", &[("on", true), ("off", false)])?,
            reply_gzip: variables.word("REPLY_GZIP", &[("off", false), ("on", true)])?,
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
    fn limit(&self, name: &str, default: Duration) -> Result<Duration, SettingError> {
        if default.is_zero() { Ok(default) } else { self.duration(name, default) }
    }

    fn duration(&self, name: &str, default: Duration) -> Result<Duration, SettingError> {
        let Some(value) = (self.0)(name) else {
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
        default_port: 8082,
        limits: Limits { read: Duration::from_secs(1), idle: Duration::from_secs(2), streams: 3 },
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
        assert_eq!(settings.address.to_string(), "127.0.0.1:8082");
        assert_eq!((settings.store, settings.per_request), (Store::PostgreSql, false));
        assert_eq!((settings.connections, settings.flushers, settings.queue), (10, 2, 20_000));
        assert_eq!((settings.timeout, settings.rate), (Duration::from_secs(5), None));
        assert!(settings.keepalive && !settings.reply_gzip);
        assert_eq!((settings.intake_bytes, settings.limits), (64 << 20, TARGET.limits));
        assert_eq!((settings.log_level, settings.log_format), (Level::INFO, LogFormat::Text));
    }

    #[test]
    fn every_setting_can_be_set() {
        let settings = read(&[
            ("DATABASE_URL", "postgres://u:p@db.example:6543/d"),
            ("SERVER_PORT", "0"),
            ("BIND", "::1"),
            ("STORE", "memory"),
            ("WRITE_MODE", "per-request"),
            ("DB_POOL_SIZE", "7"),
            ("FLUSHERS", "8"),
            ("WORKERS", "3"),
            ("QUEUE_REQUESTS", "1"),
            ("REQUEST_TIMEOUT", "500ms"),
            ("RATE_LIMIT", "9"),
            ("INTAKE_MB", "9"),
            ("READ_TIMEOUT", "500ms"),
            ("IDLE_TIMEOUT", "1m 30s"),
            ("MAX_STREAMS", "7"),
            ("KEEPALIVE", "off"),
            ("REPLY_GZIP", "on"),
            ("LOG_LEVEL", "error"),
            ("LOG_FORMAT", "json"),
        ])
        .expect("all are usable");
        assert_eq!(settings.address.to_string(), "[::1]:0");
        assert_eq!((settings.database.get_host(), settings.database.get_port()), ("db.example", 6543));
        assert_eq!((settings.store, settings.per_request), (Store::Memory, true));
        assert_eq!((settings.connections, settings.flushers, settings.queue, settings.workers), (7, 8, 1, 3));
        assert_eq!((settings.timeout, settings.rate), (Duration::from_millis(500), NonZeroU32::new(9)));
        assert!(!settings.keepalive && settings.reply_gzip);
        let limits = Limits { read: Duration::from_millis(500), idle: Duration::from_secs(90), streams: 7 };
        assert_eq!((settings.intake_bytes, settings.limits), (9 << 20, limits));
        assert_eq!((settings.log_level, settings.log_format), (Level::ERROR, LogFormat::Json));
    }

    #[test]
    fn an_unusable_setting_is_named_with_what_can_be_used() {
        for (variable, value, message) in [
            ("SERVER_PORT", "65536", r#"SERVER_PORT is "65536": use a whole number from 0 to 65535"#),
            ("BIND", "localhost", r#"BIND is "localhost": use an IP address such as 127.0.0.1 or ::"#),
            ("STORE", "redis", r#"STORE is "redis": use postgresql or memory"#),
            ("FLUSHERS", "0", r#"FLUSHERS is "0": use a whole number from 1 to 64"#),
            ("REQUEST_TIMEOUT", "soon", r#"REQUEST_TIMEOUT is "soon": use a duration such as 5s or 500ms"#),
            ("REQUEST_TIMEOUT", "0s", r#"REQUEST_TIMEOUT is "0s": use a duration such as 5s or 500ms"#),
            ("READ_TIMEOUT", "30", r#"READ_TIMEOUT is "30": use a duration such as 5s or 500ms"#),
            ("MAX_STREAMS", "0", r#"MAX_STREAMS is "0": use a whole number from 1 to 1000000"#),
            ("LOG_LEVEL", "all", r#"LOG_LEVEL is "all": use info, error, warn or debug"#),
        ] {
            assert_eq!(read(&[(variable, value)]).err().as_deref(), Some(message));
        }
    }

    #[test]
    fn a_limit_that_a_target_does_not_have_is_not_read() {
        let limits = Limits { read: Duration::ZERO, idle: Duration::ZERO, streams: 0 };
        let settings = Settings::read(&Target { limits, ..TARGET }, |name| {
            ["READ_TIMEOUT", "MAX_STREAMS"].contains(&name).then(|| "none".to_owned())
        });
        assert_eq!(settings.expect("usable").limits, limits);
    }

    #[test]
    fn the_error_of_a_url_does_not_repeat_its_password() {
        for url in ["mysql://u:secret@h/d", "postgresql://u:secret@h:port/d"] {
            let error = read(&[("DATABASE_URL", url)]).expect_err("unusable");
            assert!(error.starts_with("DATABASE_URL is not") && !error.contains("secret"), "{error}");
        }
    }
}
