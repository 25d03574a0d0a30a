//! A service of orders on Actix Web and Diesel.

mod api;
mod order;
mod problem;
mod schema;
mod store;

use std::env;
use std::error::Error;
use std::time::Duration;

use actix_web::web::Data;
use actix_web::{App, HttpServer};
use diesel_async::AsyncPgConnection;
use diesel_async::pooled_connection::AsyncDieselConnectionManager;
use diesel_async::pooled_connection::bb8::Pool;

use crate::store::Store;

const STOP_TIMEOUT_S: u64 = 8;
/// How long a request waits while PostgreSQL is unavailable.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(2);

#[actix_web::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().with_max_level(tracing::Level::WARN).init();
    let manager = AsyncDieselConnectionManager::<AsyncPgConnection>::new(env::var("DATABASE_URL")?);
    let pool = Pool::builder()
        .max_size(setting("DB_POOL_SIZE", "16").parse()?)
        .connection_timeout(CONNECTION_TIMEOUT)
        .build(manager)
        .await?;
    let store = Data::new(Store::new(pool));
    HttpServer::new(move || App::new().app_data(store.clone()).configure(api::configure))
        .shutdown_timeout(STOP_TIMEOUT_S)
        .bind((setting("BIND", "127.0.0.1"), setting("PORT", "8080").parse()?))?
        .run()
        .await?;
    Ok(())
}

fn setting(name: &str, absent: &str) -> String {
    env::var(name).unwrap_or_else(|_| absent.to_owned())
}
