//! Structured log lines on standard output.

use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::settings::LogFormat;

/// Logs to standard output: the core and `module` from `level` up, other crates from `warn` up.
pub fn start(level: Level, format: LogFormat, module: &str) {
    let others = LevelFilter::from_level(level.min(Level::WARN));
    let filter = Targets::new()
        .with_default(others)
        .with_target(module, level)
        .with_target("users_core", level)
        // h2 warns about every ping that a client answers while its connection closes.
        .with_target("h2", LevelFilter::ERROR);
    let lines = match format {
        LogFormat::Text => fmt::layer().with_ansi(false).boxed(),
        LogFormat::Json => fmt::layer().json().flatten_event(true).boxed(),
    };
    // A global filter, not one of the layer: a per-layer filter drops the next line after `enabled!` was called,
    // as sqlx does for each notice of the server.
    Registry::default().with(filter).with(lines).init();
}
