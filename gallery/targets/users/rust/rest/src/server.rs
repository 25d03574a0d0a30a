//! Serves the routes until shutdown.

use axum::serve::ListenerExt;
use users_core::process::{BoxError, Server};

use crate::routes;

/// Serves requests until the shutdown signal, then completes the requests in flight.
pub async fn serve(server: Server) -> Result<(), BoxError> {
    let Server { listener, service, reply_gzip, mut shutdown, .. } = server;
    let router = routes::router(service, reply_gzip)?;
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "connection without TCP_NODELAY");
        }
    });
    axum::serve(listener, router).with_graceful_shutdown(async move { shutdown.requested().await }).await?;
    Ok(())
}
