use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use tracing::level_filters::LevelFilter;

/// How the gateway works, from its environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// `BIND` and `SERVER_PORT`.
    pub address: SocketAddr,
    /// `WORKERS`: threads that answer requests.
    pub workers: usize,
    /// `BUS` and where it is.
    pub transport: Transport,
    /// `CALLS`: how many calls may be outstanding at once.
    pub calls: Calls,
    /// `BATCH`: how many transactions one call takes at most.
    pub batch: usize,
    /// `MAX_IN_FLIGHT`: requests beyond this many are refused.
    pub max_in_flight: i64,
    /// `CALL_TIMEOUT_MS`.
    pub deadline: Duration,
    /// `READ_HEADER_TIMEOUT`: a request's head must arrive within it.
    pub read_header_timeout: Duration,
    /// `READ_TIMEOUT`: a body must arrive within it.
    pub read_timeout: Duration,
    /// `IDLE_TIMEOUT`: a connection without a request ends after it.
    pub idle_timeout: Duration,
    /// `INTAKE_MB`, in bytes: memory that unfinished requests may occupy together.
    pub intake_bytes: usize,
    /// `LOG_LEVEL`; debug logs every request.
    pub log_level: LevelFilter,
}

/// A bus and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// Unix sockets.
    Local {
        /// `BUS_DIR`: where the servers' sockets are.
        folder: PathBuf,
        /// `SERVERS`: how many there are.
        servers: usize,
    },
    /// A NATS server.
    Nats {
        /// `NATS_URL`
        url: String,
        /// `NATS_PREFIX`: how its subjects start.
        prefix: String,
    },
    /// Enduro/X, as the `NDRX_*` variables describe it.
    Endurox,
}

/// How many calls may be outstanding at once, in all workers together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Calls {
    /// One, as with one client behind a mutex.
    Serial,
    /// As many as a pool of clients with one call each has: `POOL_SIZE`.
    Pooled(usize),
    /// Any number.
    Async,
}

impl Settings {
    /// Reads the variables that the README lists.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let read = Reader { variable };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            address: SocketAddr::new(
                read.value("BIND", IpAddr::V4(Ipv4Addr::LOCALHOST), "an IP address")?,
                read.value("SERVER_PORT", 8080, "a port from 0 to 65535")?,
            ),
            workers: read.positive("WORKERS", cores)?,
            transport: match read.text("BUS", "local").as_str() {
                "local" => Transport::Local {
                    folder: read.required("BUS_DIR", "the folder of the servers' sockets")?.into(),
                    servers: read.positive("SERVERS", 1)?,
                },
                "nats" => Transport::Nats {
                    url: read.required("NATS_URL", "such as nats://127.0.0.1:4222")?,
                    prefix: read.text("NATS_PREFIX", "bakeoff"),
                },
                "endurox" => {
                    read.required("NDRX_HOME", "the folder where Enduro/X is installed")?;
                    Transport::Endurox
                }
                other => return Err(format!("BUS is \"{other}\": give local, nats or endurox")),
            },
            calls: match read.text("CALLS", "async").as_str() {
                "serial" => Calls::Serial,
                "pooled" => Calls::Pooled(read.positive("POOL_SIZE", 10)?),
                "async" => Calls::Async,
                other => return Err(format!("CALLS is \"{other}\": give serial, pooled or async")),
            },
            batch: read.positive("BATCH", 1)?,
            max_in_flight: read.positive("MAX_IN_FLIGHT", 10_000)?.try_into().unwrap_or(i64::MAX),
            deadline: Duration::from_millis(read.value("CALL_TIMEOUT_MS", 5000, "milliseconds")?),
            read_header_timeout: read.duration("READ_HEADER_TIMEOUT", Duration::from_secs(5))?,
            read_timeout: read.duration("READ_TIMEOUT", Duration::from_secs(30))?,
            idle_timeout: read.duration("IDLE_TIMEOUT", Duration::from_secs(5))?,
            intake_bytes: read.megabytes("INTAKE_MB", 64)?,
            log_level: read.value("LOG_LEVEL", LevelFilter::INFO, "error, warn, info, debug or trace")?,
        })
    }
}

const MEGABYTES: &str = "a number from 1 to 2048";

struct Reader<F> {
    variable: F,
}

impl<F: Fn(&str) -> Option<String>> Reader<F> {
    fn text(&self, name: &str, default: &str) -> String {
        (self.variable)(name).unwrap_or_else(|| default.into())
    }

    fn required(&self, name: &str, what: &str) -> Result<String, String> {
        (self.variable)(name).filter(|value| !value.is_empty()).ok_or_else(|| format!("{name} is not set: give {what}"))
    }

    fn value<T: FromStr>(&self, name: &str, default: T, what: &str) -> Result<T, String> {
        match (self.variable)(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| format!("{name} is \"{text}\": give {what}")),
        }
    }

    fn duration(&self, name: &str, default: Duration) -> Result<Duration, String> {
        let text = (self.variable)(name);
        match text.as_deref().map(humantime::parse_duration) {
            None => Ok(default),
            Some(Ok(duration)) if !duration.is_zero() => Ok(duration),
            Some(_) => Err(format!("{name} is \"{}\": give a duration such as 5s or 500ms", text.unwrap_or_default())),
        }
    }

    fn megabytes(&self, name: &str, default: usize) -> Result<usize, String> {
        match self.value(name, default, MEGABYTES)? {
            number @ 1..=2_048 => Ok(number << 20),
            number => Err(format!("{name} is \"{number}\": give {MEGABYTES}")),
        }
    }

    fn positive(&self, name: &str, default: usize) -> Result<usize, String> {
        match self.value(name, default, "a number from 1")? {
            0 => Err(format!("{name} is \"0\": give a number from 1")),
            number => Ok(number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::from_environment(|name| {
            let found = variables.iter().find(|(each, _)| *each == name);
            found.map(|(_, value)| (*value).into()).or_else(|| (name == "BUS_DIR").then(|| "sockets".into()))
        })
    }

    #[test]
    fn defaults_are_those_of_the_readme() {
        let settings = settings(&[]).unwrap();
        assert_eq!(settings.address, "127.0.0.1:8080".parse().unwrap());
        assert_eq!(settings.transport, Transport::Local { folder: "sockets".into(), servers: 1 });
        assert_eq!((settings.calls, settings.batch, settings.max_in_flight), (Calls::Async, 1, 10_000));
        assert_eq!((settings.deadline, settings.log_level), (Duration::from_secs(5), LevelFilter::INFO));
    }

    #[test]
    fn limits_are_chosen() {
        let limits = |variables: &[(&str, &str)]| {
            let found = settings(variables).unwrap();
            let times = [found.read_header_timeout, found.read_timeout, found.idle_timeout];
            (times.map(|time| time.as_millis()), found.intake_bytes >> 20)
        };
        assert_eq!(limits(&[]), ([5_000, 30_000, 5_000], 64));
        let chosen =
            [("READ_HEADER_TIMEOUT", "500ms"), ("READ_TIMEOUT", "1s"), ("IDLE_TIMEOUT", "2m"), ("INTAKE_MB", "9")];
        assert_eq!(limits(&chosen), ([500, 1_000, 120_000], 9));
    }

    #[test]
    fn calls_and_bus_are_chosen() {
        assert_eq!(settings(&[("CALLS", "pooled"), ("POOL_SIZE", "3")]).unwrap().calls, Calls::Pooled(3));
        let nats = settings(&[("BUS", "nats"), ("NATS_URL", "nats://n")]).unwrap();
        assert_eq!(nats.transport, Transport::Nats { url: "nats://n".into(), prefix: "bakeoff".into() });
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (name, value, expected) in [
            ("CALLS", "many", "CALLS is \"many\": give serial, pooled or async"),
            ("BUS", "nats", "NATS_URL is not set: give such as nats://127.0.0.1:4222"),
            ("BUS", "endurox", "NDRX_HOME is not set: give the folder where Enduro/X is installed"),
            ("BUS", "x", "BUS is \"x\": give local, nats or endurox"),
            ("WORKERS", "0", "WORKERS is \"0\": give a number from 1"),
            ("READ_TIMEOUT", "30", "READ_TIMEOUT is \"30\": give a duration such as 5s or 500ms"),
            ("IDLE_TIMEOUT", "0s", "IDLE_TIMEOUT is \"0s\": give a duration such as 5s or 500ms"),
            ("INTAKE_MB", "0", "INTAKE_MB is \"0\": give a number from 1 to 2048"),
            ("INTAKE_MB", "all", "INTAKE_MB is \"all\": give a number from 1 to 2048"),
            ("SERVER_PORT", "70000", "SERVER_PORT is \"70000\": give a port from 0 to 65535"),
            ("LOG_LEVEL", "loud", "LOG_LEVEL is \"loud\": give error, warn, info, debug or trace"),
            ("BUS_DIR", "", "BUS_DIR is not set: give the folder of the servers' sockets"),
        ] {
            assert_eq!(settings(&[(name, value)]).unwrap_err(), expected);
        }
    }
}
