//! Serves the routes until shutdown, over TLS if configured.

use std::io;

use axum::serve::ListenerExt;
use events_core::error::BoxError;
use events_core::process::Server;
use tls_listener::TlsListener;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use crate::routes;

/// Serves requests until the shutdown signal, then completes the requests in flight.
pub async fn serve(server: Server) -> Result<(), BoxError> {
    let Server { listener, tls, writer, token, mut shutdown, .. } = server;
    let router = routes::router(writer, token);
    let stopped = async move { shutdown.requested().await };
    match tls {
        None => {
            let listener = listener.tap_io(|stream| log_failure(stream.set_nodelay(true)));
            axum::serve(listener, router).with_graceful_shutdown(stopped).await?;
        }
        Some(tls) => {
            let set_nodelay = |stream: &mut TlsStream<TcpStream>| log_failure(stream.get_ref().0.set_nodelay(true));
            let listener = TlsListener::new(tls.acceptor, listener).tap_io(set_nodelay);
            axum::serve(listener, router).with_graceful_shutdown(stopped).await?;
        }
    }
    Ok(())
}

fn log_failure(result: io::Result<()>) {
    if let Err(error) = result {
        tracing::debug!(%error, "connection without TCP_NODELAY");
    }
}

#[cfg(test)]
mod tests;
