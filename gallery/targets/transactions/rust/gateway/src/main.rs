//! A REST gateway over services on a bus. Every worker has its own connections and any number of calls outstanding.

mod batching;
mod calling;
mod errors;
mod routes;
mod settings;
mod transactions;
mod waiting;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use actix_web::web::Data;
use actix_web::{App, HttpServer};
use prometheus_client::registry::Registry;
use tracing::{error, info};

use crate::calling::{Limits, Services};
use crate::settings::{Settings, Transport};

/// Less than the 10 s that a process has between SIGTERM and its end.
const SHUTDOWN: Duration = Duration::from_secs(8);

#[actix_web::main]
async fn main() -> ExitCode {
    let settings = match Settings::from_environment(|name| std::env::var(name).ok()) {
        Ok(settings) => settings,
        Err(reason) => {
            eprintln!("transaction-gateway: {reason}");
            return ExitCode::FAILURE;
        }
    };
    tracing_subscriber::fmt().with_max_level(settings.log_level).with_writer(std::io::stderr).init();
    match serve(settings).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            error!(%reason, "the gateway ends");
            ExitCode::FAILURE
        }
    }
}

/// Where the server listens; the port is the one that port 0 became.
fn listening(addresses: &[SocketAddr]) -> String {
    addresses.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

async fn serve(settings: Settings) -> std::io::Result<()> {
    if settings.transport == Transport::Endurox {
        endurox::installed().map_err(std::io::Error::other)?;
    }
    let limits = Limits::of(&settings);
    let mut registry = Registry::default();
    limits.register(&mut registry);
    let registry = Data::new(registry);
    let settings = Arc::new(settings);
    let (address, workers) = (settings.address, settings.workers);
    let (read_header_timeout, idle_timeout) = (settings.read_header_timeout, settings.idle_timeout);
    let server = HttpServer::new(move || {
        let services = Data::new(Services::new(Arc::clone(&settings), limits.clone()));
        App::new().app_data(services).app_data(registry.clone()).configure(routes::configure)
    });
    let server = server.client_request_timeout(read_header_timeout).keep_alive(idle_timeout);
    let server = server.workers(workers).shutdown_timeout(SHUTDOWN.as_secs()).bind(address)?;
    info!(address = %listening(&server.addrs()), workers, "listens");
    server.run().await
}
