//! The services on one port.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use events_core::accept::accept;
use events_core::shutdown::Shutdown;
use events_core::writer::Writer;
use hyper::server::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;

use crate::services::Services;

/// Calls at once on one connection. Clients that share a connection between many users need more than hyper's 200.
const CALLS_PER_CONNECTION: u32 = 4_096;
/// A client that does not answer a ping for this long is gone.
const PING_TIMEOUT: Duration = Duration::from_secs(20);
const PING_PERIOD: Duration = Duration::from_mins(1);

/// Serves until `shutdown`, then answers what was accepted.
///
/// Not tonic's own server: its layers around each request cost a sixth of the processor time of a call.
pub async fn serve(listener: TcpListener, writer: Arc<Writer>, mut shutdown: Shutdown) -> io::Result<()> {
    let services = Services::new(&writer, &shutdown)?;
    let connections = GracefulShutdown::new();
    let mut http = http2::Builder::new(TokioExecutor::new());
    http.timer(TokioTimer::new())
        .max_concurrent_streams(CALLS_PER_CONNECTION)
        .keep_alive_interval(PING_PERIOD)
        .keep_alive_timeout(PING_TIMEOUT);
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            () = shutdown.requested() => break,
        };
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), services.clone()));
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection ended");
            }
        });
    }
    drop(listener);
    connections.shutdown().await;
    Ok(())
}
