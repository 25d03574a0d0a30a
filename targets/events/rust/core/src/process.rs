//! The lifecycle of a target's process, the same for both protocols.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpSocket;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::connections::{self, Listener, Protocol};
use crate::logging;
use crate::outage::Outage;
use crate::postgres::Postgres;
use crate::settings::{Settings, Target};
use crate::shutdown::{Shutdown, signalled};
use crate::storage::StorageError;
use crate::tls;
use crate::token::Token;
use crate::writer::Writer;

/// The contract allows 10 s; the rest is for the process to exit.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(9_500);
/// Length of the accept queue: thousands of clients may connect at the same moment.
const BACKLOG: u32 = 4_096;

/// What request handlers share.
pub struct AppState {
    /// Stores events.
    pub writer: Arc<Writer>,
    /// The token that requests must carry, if set.
    pub token: Option<Token>,
    /// Signals that the process stops.
    pub shutdown: Shutdown,
}

/// Starts a target, serves `protocol` until SIGTERM or SIGINT, then completes the requests in flight.
pub fn run<P: Protocol>(target: &Target, protocol: impl FnOnce(AppState) -> io::Result<P>) -> ExitCode {
    match start(target, protocol) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn start<P: Protocol>(target: &Target, protocol: impl FnOnce(AppState) -> io::Result<P>) -> Result<(), String> {
    let settings = Settings::from_environment(target).map_err(text)?;
    logging::start(settings.log_level, settings.log_format, target.module);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers)
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start threads: {error}"))?;
    runtime.block_on(live(target, &settings, protocol))
}

async fn live<P: Protocol>(
    target: &Target,
    settings: &Settings,
    protocol: impl FnOnce(AppState) -> io::Result<P>,
) -> Result<(), String> {
    let tls = settings.tls.as_ref().map(|files| tls::acceptor(files, target.protocols)).transpose().map_err(text)?;
    // Bound before waiting for the database, so that a port in use is reported at once; no client can connect yet.
    let socket = bind(settings.address).map_err(|error| cannot_listen(target, settings.address, &error))?;
    let storage = open_database(settings).await?;
    let listener = socket.listen(BACKLOG).map_err(|error| cannot_listen(target, settings.address, &error))?;
    let address = listener.local_addr().map_err(text)?;

    let writer = Arc::new(Writer::start(Arc::new(storage), settings));
    let (trigger, shutdown) = Shutdown::new();
    let state = AppState { writer: Arc::clone(&writer), token: settings.token.clone(), shutdown: shutdown.clone() };
    let protocol = protocol(state).map_err(text)?;
    tracing::info!(%address, write_mode = %settings.write_mode, tls = tls.is_some(), "listening");
    let serving = tokio::spawn(connections::serve(Listener { tcp: listener, tls }, protocol, shutdown));
    signalled().await.map_err(text)?;
    tracing::info!("stopping");
    trigger.fire();
    stop(serving, &writer).await
}

/// Waits until all accepted requests are answered, but not for clients that do not read their replies.
async fn stop(serving: JoinHandle<()>, writer: &Writer) -> Result<(), String> {
    let answered = async {
        let served = serving.await;
        writer.drain().await;
        served
    };
    if let Ok(served) = timeout(SHUTDOWN_LIMIT, answered).await {
        served.map_err(text)?;
    } else {
        tracing::warn!("some clients did not read their replies in time");
    }
    tracing::info!("stopped");
    Ok(())
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // Allows a port whose previous owner has just exited, not one that is in use.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

fn cannot_listen(target: &Target, address: SocketAddr, error: &io::Error) -> String {
    let variable = target.port_variable;
    format!("cannot listen on {address}: {error}: stop the process that uses it, or set {variable} or BIND")
}

async fn open_database(settings: &Settings) -> Result<Postgres, String> {
    let database = Postgres::new(&settings.database, settings.pool_size);
    match Outage::default().retry(|| database.prepare()).await {
        Ok(()) => Ok(database),
        Err(StorageError::Unavailable(reason) | StorageError::Refused(reason)) => {
            let (host, port) = (settings.database.get_host(), settings.database.get_port());
            let name = settings.database.get_database().unwrap_or("postgres");
            Err(format!("cannot use database {name} at {host}:{port}: {reason}: start it, or set DATABASE_URL"))
        }
    }
}

fn text(error: impl fmt::Display) -> String {
    error.to_string()
}
