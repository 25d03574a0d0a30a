//! The lifecycle of a target's process, the same for both protocols.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket};
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;

use crate::error::BoxError;
use crate::logging;
use crate::outage::Outage;
use crate::settings::{Limits, Settings, Target};
use crate::shutdown::{Shutdown, signalled};
use crate::storage::{Database, StorageError};
use crate::tls::Tls;
use crate::token::Token;
use crate::writer::Writer;

/// The contract allows 10 s; the rest is for the process to exit.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(9_500);
/// Length of the accept queue: thousands of clients may connect at the same moment.
const BACKLOG: u32 = 4_096;

/// The parts of a serving target.
pub struct Server {
    /// The listening socket.
    pub listener: TcpListener,
    /// TLS, if configured.
    pub tls: Option<Tls>,
    /// Stores events.
    pub writer: Arc<Writer>,
    /// The token that requests must carry, if set.
    pub token: Option<Token>,
    /// Limits of each connection.
    pub limits: Limits,
    /// Signals that the process stops.
    pub shutdown: Shutdown,
}

/// Starts a target with the database `D` and runs `serve`. On SIGTERM or SIGINT the shutdown signal is sent;
/// `serve` must then accept no more requests, and return when all accepted ones are answered.
pub fn run<D: Database, F: Serving>(target: &Target, serve: impl FnOnce(Server) -> F) -> ExitCode {
    match start::<D, F>(target, serve) {
        Ok(()) => ExitCode::SUCCESS,
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::FAILURE
        }
    }
}

/// The future that serves requests.
pub trait Serving: Future<Output = Result<(), BoxError>> + Send + 'static {}

impl<F: Future<Output = Result<(), BoxError>> + Send + 'static> Serving for F {}

fn start<D: Database, F: Serving>(target: &Target, serve: impl FnOnce(Server) -> F) -> Result<(), String> {
    let settings = Settings::from_environment(target).map_err(text)?;
    logging::start(settings.log_level, settings.log_format, target.module);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers)
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start threads: {error}"))?;
    runtime.block_on(run_until_signal::<D, F>(target, &settings, serve))
}

async fn run_until_signal<D: Database, F: Serving>(
    target: &Target,
    settings: &Settings,
    serve: impl FnOnce(Server) -> F,
) -> Result<(), String> {
    let tls = settings.tls.as_ref().map(|files| Tls::load(files, target.protocols)).transpose().map_err(text)?;
    // Bound before waiting for the database, so that a port in use is reported at once; no client can connect yet.
    let socket = bind(settings.address).map_err(|error| cannot_listen(target, settings.address, &error))?;
    let database: D = open_database(settings).await?;
    let listener = socket.listen(BACKLOG).map_err(|error| cannot_listen(target, settings.address, &error))?;
    let address = listener.local_addr().map_err(text)?;

    let writer = Arc::new(Writer::start(Arc::new(database), settings));
    let (trigger, shutdown) = Shutdown::new();
    tracing::info!(%address, write_mode = %settings.write_mode, tls = tls.is_some(), "listening");
    let (token, limits) = (settings.token.clone(), settings.limits);
    let server = Server { listener, tls, writer: Arc::clone(&writer), token, limits, shutdown };
    let mut serving = tokio::spawn(serve(server));
    tokio::select! {
        signal = signalled() => signal.map_err(text)?,
        ended = &mut serving => return Err(premature_end(ended)),
    }
    tracing::info!("stopping");
    trigger.fire();
    stop(serving, &writer).await
}

fn premature_end(ended: Result<Result<(), BoxError>, JoinError>) -> String {
    match ended {
        Ok(Ok(())) => "the server ended without a signal".to_owned(),
        Ok(Err(error)) => format!("the server failed: {error}"),
        Err(error) => format!("the server failed: {error}"),
    }
}

/// Waits until all accepted requests are answered, but not for clients that do not read their replies.
async fn stop(serving: JoinHandle<Result<(), BoxError>>, writer: &Writer) -> Result<(), String> {
    let answered = async {
        let served = serving.await;
        writer.drain().await;
        served
    };
    if let Ok(served) = timeout(SHUTDOWN_LIMIT, answered).await {
        served.map_err(text)?.map_err(text)?;
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

async fn open_database<D: Database>(settings: &Settings) -> Result<D, String> {
    let database = D::new(&settings.database, settings.pool_size);
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
