//! The life of a target's process, the same over both protocols.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpSocket;
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::clients::{self, Entrance, Protocol};
use crate::logging;
use crate::outage::Outage;
use crate::postgres::Postgres;
use crate::settings::{Settings, Target};
use crate::shutdown::{Shutdown, signalled};
use crate::storage::StorageError;
use crate::tls;
use crate::token::Token;
use crate::writer::Writer;

/// The contract allows 10 s; what is left is for the process to end.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(9_500);
/// Connections that wait to be accepted: thousands of clients may start at the same moment.
const BACKLOG: u32 = 4_096;

/// What a transport answers requests with.
pub struct Desk {
    /// Stores events.
    pub writer: Arc<Writer>,
    /// What every request must carry, if set.
    pub token: Option<Token>,
    /// Tells that the process is to stop.
    pub shutdown: Shutdown,
}

/// Starts a target, speaks `protocol` with its clients until SIGTERM or SIGINT, answers what was accepted.
pub fn run<P: Protocol>(target: &Target, protocol: impl FnOnce(Desk) -> io::Result<P>) -> ExitCode {
    match start(target, protocol) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

fn start<P: Protocol>(target: &Target, protocol: impl FnOnce(Desk) -> io::Result<P>) -> Result<(), String> {
    let settings = Settings::from_environment(target).map_err(text)?;
    logging::start(settings.log_level, settings.log_format, target.module);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers)
        .enable_all()
        .build()
        .map_err(|error| format!("threads cannot be started: {error}"))?;
    runtime.block_on(live(target, &settings, protocol))
}

async fn live<P: Protocol>(
    target: &Target,
    settings: &Settings,
    protocol: impl FnOnce(Desk) -> io::Result<P>,
) -> Result<(), String> {
    let tls = settings.tls.as_ref().map(|files| tls::acceptor(files, target.protocols)).transpose().map_err(text)?;
    // Bound before the database is waited for, so that a taken port is told at once; no client is let in yet.
    let socket = bind(settings.address).map_err(|error| cannot_listen(target, settings.address, &error))?;
    let storage = open_database(settings).await?;
    let listener = socket.listen(BACKLOG).map_err(|error| cannot_listen(target, settings.address, &error))?;
    let address = listener.local_addr().map_err(text)?;

    let writer = Arc::new(Writer::start(Arc::new(storage), settings));
    let (trigger, shutdown) = Shutdown::new();
    let desk = Desk { writer: Arc::clone(&writer), token: settings.token.clone(), shutdown: shutdown.clone() };
    let protocol = protocol(desk).map_err(text)?;
    tracing::info!(%address, write_mode = %settings.write_mode, tls = tls.is_some(), "listening");
    let serving = tokio::spawn(clients::serve(Entrance { listener, tls }, protocol, shutdown));
    signalled().await.map_err(text)?;
    tracing::info!("stopping");
    trigger.pull();
    stop(serving, &writer).await
}

/// Waits until all that was accepted is answered, but not for clients that do not take their replies.
async fn stop(serving: JoinHandle<()>, writer: &Writer) -> Result<(), String> {
    let answered = async {
        let served = serving.await;
        writer.drain().await;
        served
    };
    if let Ok(served) = timeout(SHUTDOWN_LIMIT, answered).await {
        served.map_err(text)?;
    } else {
        tracing::warn!("some clients did not take their replies in time");
    }
    tracing::info!("stopped");
    Ok(())
}

fn bind(address: SocketAddr) -> io::Result<TcpSocket> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A port that a predecessor has just left may be taken; one that is listened on may not.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

fn cannot_listen(target: &Target, address: SocketAddr, error: &io::Error) -> String {
    let variable = target.port_variable;
    format!("cannot listen on {address}: {error}: stop what uses it, or set {variable} or BIND")
}

async fn open_database(settings: &Settings) -> Result<Postgres, String> {
    let database = Postgres::new(&settings.database, settings.pool_size);
    match Outage::default().ride_out(|| database.prepare()).await {
        Ok(()) => Ok(database),
        Err(StorageError::Away(reason) | StorageError::Refused(reason)) => {
            let (host, port) = (settings.database.get_host(), settings.database.get_port());
            let name = settings.database.get_database().unwrap_or("postgres");
            Err(format!("cannot use database {name} at {host}:{port}: {reason}: start it, or set DATABASE_URL"))
        }
    }
}

fn text(error: impl fmt::Display) -> String {
    error.to_string()
}
