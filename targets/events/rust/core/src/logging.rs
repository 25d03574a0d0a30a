//! Structured log lines on standard output.

use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::settings::LogFormat;

/// Sends log lines of the core and of `module` from `level` up to standard output, of others from `warn` up.
pub fn start(level: Level, format: LogFormat, module: &str) {
    let others = LevelFilter::from_level(level.min(Level::WARN));
    let filter = Targets::new()
        .with_default(others)
        .with_target(module, level)
        .with_target("events_core", level)
        // It warns of every ping that a client answers while its connection is being closed.
        .with_target("h2", LevelFilter::ERROR);
    let lines = match format {
        LogFormat::Text => fmt::layer().with_ansi(false).boxed(),
        LogFormat::Json => fmt::layer().json().flatten_event(true).boxed(),
    };
    // The filter stands before the layer, not in it: a filter of one layer loses the line after a level was asked for,
    // as sqlx does when the server has a notice.
    Registry::default().with(filter).with(lines).init();
}
