//! Accepting connections and letting them go.

use std::io;
use std::time::Duration;

use axum::Router;
use events_core::accept::accept;
use events_core::shutdown::Shutdown;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;

/// A client that takes longer for the head of a request, or is idle for longer, is let go.
const HEAD_TIMEOUT: Duration = Duration::from_mins(1);
/// Serves until `shutdown`, then answers what was accepted.
///
/// Not `axum::serve`, which has no time limit for request heads.
pub async fn serve(listener: TcpListener, router: Router, mut shutdown: Shutdown) -> io::Result<()> {
    let service = TowerToHyperService::new(router);
    let connections = GracefulShutdown::new();
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEAD_TIMEOUT);
    loop {
        let stream = tokio::select! {
            stream = accept(&listener) => stream,
            () = shutdown.requested() => break,
        };
        let connection = connections.watch(http.serve_connection(TokioIo::new(stream), service.clone()));
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

#[cfg(test)]
mod tests;
