//! The sample server: STATUS, HELLO, ECHO and TRANSACTION on the bus that `BUS` names. One instance answers one call at a
//! time; `INSTANCE` is its number among several.

mod services;
mod settings;

use std::io;
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
    info!(instance = settings.instance, "offers its services");
    match serve(&settings) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            error!(%reason, "the server ends");
            ExitCode::FAILURE
        }
    }
}

fn serve(settings: &Settings) -> io::Result<()> {
    match &settings.transport {
        Transport::Local(folder) => {
            let socket = folder.join(local::socket_name(settings.instance));
            on_one_thread(async { local::serve(&socket, SampleServices, stopped()?).await })
        }
        Transport::Nats { url, prefix } => {
            on_one_thread(async { nats::serve(url, prefix, SampleServices, stopped()?).await })
        }
        // Servers of Enduro/X are numbered from 1.
        Transport::Endurox => endurox::serve(settings.instance + 1, SampleServices, stopped),
    }
}

fn on_one_thread(work: impl Future<Output = io::Result<()>>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, work)
}

/// Ends with SIGTERM or SIGINT.
fn stopped() -> io::Result<impl Future<Output = ()>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
