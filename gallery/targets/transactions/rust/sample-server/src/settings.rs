use std::path::PathBuf;

use tracing::level_filters::LevelFilter;

/// How the server is reached, and which of several it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Its number among several, from 0.
    pub instance: usize,
    /// The bus.
    pub transport: Transport,
    /// `LOG_LEVEL`.
    pub log_level: LevelFilter,
}

/// A bus and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// The folder of the sockets.
    Local(PathBuf),
    /// A NATS server, and how its subjects start.
    Nats {
        /// `NATS_URL`
        url: String,
        /// `NATS_PREFIX`
        prefix: String,
    },
    /// Enduro/X, as the `NDRX_*` variables describe it.
    Endurox,
}

impl Settings {
    /// Reads `BUS`, `BUS_DIR`, `NATS_URL`, `NATS_PREFIX`, `NDRX_HOME`, `INSTANCE` and `LOG_LEVEL`.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let text = |name: &str, default: &str| variable(name).unwrap_or_else(|| default.into());
        let number = text("INSTANCE", "0");
        let level = text("LOG_LEVEL", "info");
        Ok(Self {
            instance: number.parse().map_err(|_| format!("INSTANCE is \"{number}\": give a number from 0"))?,
            transport: match text("BUS", "local").as_str() {
                "local" => {
                    Transport::Local(required(&variable, "BUS_DIR", "the folder of the servers' sockets")?.into())
                }
                "nats" => Transport::Nats {
                    url: required(&variable, "NATS_URL", "such as nats://127.0.0.1:4222")?,
                    prefix: text("NATS_PREFIX", "bakeoff"),
                },
                "endurox" => {
                    required(&variable, "NDRX_HOME", "the folder where Enduro/X is installed")?;
                    Transport::Endurox
                }
                other => return Err(format!("BUS is \"{other}\": give local, nats or endurox")),
            },
            log_level: level
                .parse()
                .map_err(|_| format!("LOG_LEVEL is \"{level}\": give error, warn, info, debug or trace"))?,
        })
    }
}

fn required(variable: impl Fn(&str) -> Option<String>, name: &str, what: &str) -> Result<String, String> {
    variable(name).filter(|value| !value.is_empty()).ok_or_else(|| format!("{name} is not set: give {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Result<Settings, String> {
        Settings::from_environment(|name| {
            variables.iter().find(|(each, _)| *each == name).map(|(_, value)| (*value).into())
        })
    }

    #[test]
    fn the_bus_and_its_place_are_read() {
        let local = settings(&[("BUS_DIR", "sockets"), ("INSTANCE", "3")]).unwrap();
        assert_eq!((local.instance, local.transport), (3, Transport::Local("sockets".into())));
        let nats = settings(&[("BUS", "nats"), ("NATS_URL", "nats://localhost")]).unwrap();
        assert_eq!(nats.transport, Transport::Nats { url: "nats://localhost".into(), prefix: "bakeoff".into() });
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        assert_eq!(settings(&[]).unwrap_err(), "BUS_DIR is not set: give the folder of the servers' sockets");
        assert_eq!(settings(&[("BUS", "smoke")]).unwrap_err(), "BUS is \"smoke\": give local, nats or endurox");
        assert_eq!(settings(&[("INSTANCE", "x")]).unwrap_err(), "INSTANCE is \"x\": give a number from 0");
        let level = settings(&[("BUS_DIR", "x"), ("LOG_LEVEL", "loud")]).unwrap_err();
        assert_eq!(level, "LOG_LEVEL is \"loud\": give error, warn, info, debug or trace");
    }
}
