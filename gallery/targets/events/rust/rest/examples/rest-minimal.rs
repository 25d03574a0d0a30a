//! Shows the cost that the target adds to its framework: serves either axum's minimal example, which binds, validates and
//! replies, or the target itself with a storage that discards rows. Neither uses a database, and the target's write mode
//! is per-request, because a queue is no part of a framework.
//!
//!     cargo run --release --example rest-minimal -- example|target 127.0.0.1:8081

use std::sync::Arc;

use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use events_core::error::BoxError;
use events_core::process::Server;
use events_core::shutdown::Shutdown;
use events_core::testing::CountingStorage;
use garde::Validate;
use producer_api_rust_rest::{EventRequest, Reply, TARGET, serve};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [what, address] = arguments.as_slice() else { return Err(USAGE.into()) };
    let listener = TcpListener::bind(address).await?;
    match what.as_str() {
        "example" => Ok(axum::serve(listener, Router::new().route("/api/v1/events", post(process_event))).await?),
        "target" => target(listener).await,
        _ => Err(USAGE.into()),
    }
}

const USAGE: &str = "usage: rest-minimal example|target ADDRESS";

async fn target(listener: TcpListener) -> Result<(), BoxError> {
    let writer = Arc::new(CountingStorage::default()).writer(&TARGET, &[("WRITE_MODE", "per-request")]);
    let (_trigger, shutdown) = Shutdown::new();
    serve(Server { listener, tls: None, writer, token: None, limits: TARGET.limits, shutdown }).await
}

#[allow(clippy::unused_async, reason = "axum calls async functions")]
async fn process_event(Json(event): Json<EventRequest>) -> Result<Json<Reply>, (StatusCode, String)> {
    event.validate().map_err(|report| (StatusCode::BAD_REQUEST, report.to_string()))?;
    Ok(Json(Reply::success()))
}
