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

use crate::logging;
use crate::memory::Memory;
use crate::postgres::{Options, Postgres};
use crate::repository::Repository;
use crate::service::Service;
use crate::settings::{Limits, Settings, Store, Target};
use crate::shutdown::{Shutdown, signalled};

/// Any error of a server.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The contract allows 10 s; the rest is for the process to exit.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(9_500);
/// Length of the accept queue: thousands of clients may connect at the same moment.
const BACKLOG: u32 = 4_096;

/// The parts of a serving target.
pub struct Server {
    /// The listening socket.
    pub listener: TcpListener,
    /// The operations.
    pub service: Arc<Service>,
    /// Pings on idle connections.
    pub keepalive: bool,
    /// Limits of each connection.
    pub limits: Limits,
    /// Replies are compressed for clients that accept gzip.
    pub reply_gzip: bool,
    /// Signals that the process stops.
    pub shutdown: Shutdown,
}

/// Starts a target and runs `serve`. On SIGTERM or SIGINT the shutdown signal is sent; `serve` must then accept no more
/// requests, and return when all accepted ones are answered.
pub fn run<F: Serving>(target: &Target, serve: impl FnOnce(Server) -> F) -> ExitCode {
    match start(target, serve) {
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

fn start<F: Serving>(target: &Target, serve: impl FnOnce(Server) -> F) -> Result<(), String> {
    let settings = Settings::from_environment(target).map_err(text)?;
    logging::start(settings.log_level, settings.log_format, target.module);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(settings.workers)
        .enable_all()
        .build()
        .map_err(|error| format!("cannot start threads: {error}"))?;
    runtime.block_on(run_until_signal(target, &settings, serve))
}

async fn run_until_signal<F: Serving>(
    target: &Target,
    settings: &Settings,
    serve: impl FnOnce(Server) -> F,
) -> Result<(), String> {
    // Bound before waiting for the database, so that a port in use is reported at once; no client can connect yet.
    let socket = bind(settings.address).map_err(|error| cannot_listen(target, settings.address, &error))?;
    let users = open_store(settings).await?;
    let listener = socket.listen(BACKLOG).map_err(|error| cannot_listen(target, settings.address, &error))?;
    let address = listener.local_addr().map_err(text)?;

    let service = Service::new(Arc::clone(&users), settings.timeout, settings.rate);
    let service = Arc::new(service.with_intake(settings.intake_bytes).with_read_timeout(settings.limits.read));
    let (trigger, shutdown) = Shutdown::new();
    let signal = signalled().map_err(text)?;
    tracing::info!(%address, store = ?settings.store, per_request = settings.per_request, "listening");
    let Settings { keepalive, limits, reply_gzip, .. } = *settings;
    let mut serving = tokio::spawn(serve(Server { listener, service, keepalive, limits, reply_gzip, shutdown }));
    tokio::select! {
        () = signal => {}
        ended = &mut serving => return Err(premature_end(ended)),
    }
    tracing::info!("stopping");
    trigger.fire();
    stop(serving, &*users).await
}

fn premature_end(ended: Result<Result<(), BoxError>, JoinError>) -> String {
    match ended {
        Ok(Ok(())) => "the server ended without a signal".to_owned(),
        Ok(Err(error)) => format!("the server failed: {error}"),
        Err(error) => format!("the server failed: {error}"),
    }
}

/// Waits until all accepted requests are answered, but not for clients that do not read their replies.
async fn stop(serving: JoinHandle<Result<(), BoxError>>, users: &dyn Repository) -> Result<(), String> {
    let answered = async {
        let served = serving.await;
        users.close().await;
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

async fn open_store(settings: &Settings) -> Result<Arc<dyn Repository>, String> {
    if settings.store == Store::Memory {
        return Ok(Arc::new(Memory::default()));
    }
    let options = Options {
        database: settings.database.clone(),
        connections: settings.connections,
        per_request: settings.per_request,
        flushers: settings.flushers,
        queue: settings.queue,
    };
    match Postgres::open(&options).await {
        Ok(users) => Ok(Arc::new(users)),
        Err(reason) => {
            let (host, port) = (settings.database.get_host(), settings.database.get_port());
            let name = settings.database.get_database().unwrap_or("postgres");
            Err(format!("cannot use database {name} at {host}:{port}: {reason}: start it, or set DATABASE_URL"))
        }
    }
}

fn text(error: impl fmt::Display) -> String {
    error.to_string()
}
