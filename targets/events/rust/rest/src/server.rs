//! Accepting connections and letting them go.

use std::io;
use std::time::Duration;

use axum::Router;
use events_core::shutdown::Shutdown;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

/// A client that takes longer for the head of a request, or is idle for longer, is let go.
const HEAD_TIMEOUT: Duration = Duration::from_mins(1);
/// A pause after a failed accept: most often the process is out of file descriptors, and only time helps.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

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

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Replies are small and whole: waiting for more to send only delays them.
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "connection without TCP_NODELAY");
                }
                return stream;
            }
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

#[cfg(test)]
mod tests;
