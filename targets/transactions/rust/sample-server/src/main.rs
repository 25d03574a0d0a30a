//! The sample server: STATUS, HELLO, ECHO and TRANSACTION on the bus that `BUS` names. One instance answers one call at a
//! time; `INSTANCE` is its number among several.

mod services;
mod settings;

use std::process::ExitCode;

use bus::{local, nats};
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::LocalSet;
use tracing::{error, info};

use crate::services::SampleServices;
use crate::settings::{Settings, Transport};

fn main() -> ExitCode {
    let settings = match Settings::from_environment(|name| std::env::var(name).ok()) {
        Ok(settings) => settings,
        Err(reason) => {
            eprintln!("sample-server: {reason}");
            return ExitCode::FAILURE;
        }
    };
    tracing_subscriber::fmt().with_max_level(settings.log_level).with_writer(std::io::stderr).init();
    let served = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .and_then(|runtime| LocalSet::new().block_on(&runtime, serve(&settings)));
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            error!(%reason, "the server ends");
            ExitCode::FAILURE
        }
    }
}

async fn serve(settings: &Settings) -> std::io::Result<()> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    };
    info!(instance = settings.instance, "offers its services");
    match &settings.transport {
        Transport::Local(folder) => {
            local::serve(&folder.join(local::socket_name(settings.instance)), SampleServices, stop).await
        }
        Transport::Nats { url, prefix } => nats::serve(url, prefix, SampleServices, stop).await,
    }
}
