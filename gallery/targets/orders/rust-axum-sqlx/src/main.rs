//! A service of orders on axum and sqlx.

mod api;
mod order;
mod problem;
mod store;

use std::env;
use std::error::Error;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};

use crate::store::Store;

const STOP_TIMEOUT: Duration = Duration::from_secs(9);
/// How long a request waits while PostgreSQL is unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().with_max_level(tracing::Level::WARN).init();
    let store = Store::new(pool()?);
    let address = format!("{}:{}", setting("BIND", "127.0.0.1"), setting("PORT", "8080"));
    let listener = TcpListener::bind(address).await?;
    let server = axum::serve(listener, api::routes(store)).with_graceful_shutdown(terminated());
    tokio::select! {
        ended = server.into_future() => ended?,
        () = async { terminated().await; tokio::time::sleep(STOP_TIMEOUT).await } => {}
    }
    Ok(())
}

fn pool() -> Result<PgPool, Box<dyn Error>> {
    let pool = PgPoolOptions::new()
        .max_connections(setting("DB_POOL_SIZE", "16").parse()?)
        .acquire_timeout(ACQUIRE_TIMEOUT)
        .connect_lazy(&env::var("DATABASE_URL")?)?;
    Ok(pool)
}

async fn terminated() {
    match signal(SignalKind::terminate()) {
        Ok(mut stream) => {
            stream.recv().await;
        }
        Err(error) => tracing::error!(%error, "SIGTERM cannot be handled"),
    }
}

fn setting(name: &str, absent: &str) -> String {
    env::var(name).unwrap_or_else(|_| absent.to_owned())
}
