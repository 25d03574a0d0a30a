//! PostgreSQL with sqlx's own pool.

use futures_util::FutureExt;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{Connection, Executor};
use tokio::time::timeout;

use crate::rows::Rows;
use crate::sql::{
    ACQUIRE_TIMEOUT, CHECK_TIMEOUT, CONNECT_TIMEOUT, RESPONSE_TIMEOUT, SCHEMA, classify, connect_options, timed_out,
    unavailable, upsert,
};
use crate::storage::{Answer, Database, Storage, StorageError};

/// A database behind a [`PgPool`].
pub struct Postgres {
    options: PgConnectOptions,
    pool: PgPool,
}

impl Postgres {
    async fn with_connection(
        &self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<(), sqlx::Error>,
    ) -> Result<(), StorageError> {
        let mut connection = self.pool.acquire().await.map_err(|error| unavailable(classify(error)))?;
        if let Ok(result) = timeout(RESPONSE_TIMEOUT, work(&mut connection)).await {
            return result.map_err(classify);
        }
        // The server may still execute the statement, so the connection is closed instead of returned.
        drop(connection.detach());
        Err(timed_out("no response", RESPONSE_TIMEOUT))
    }
}

impl Database for Postgres {
    fn new(options: &PgConnectOptions, connections: usize) -> Self {
        let options = connect_options(options);
        let connections = u32::try_from(connections).unwrap_or(u32::MAX);
        let pool = PgPoolOptions::new().max_connections(connections).acquire_timeout(ACQUIRE_TIMEOUT);
        Self { pool: pool.connect_lazy_with(options.clone()), options }
    }

    /// Uses its own connection: the pool would report a timeout instead of the reason for it.
    fn prepare(&self) -> Answer<'_> {
        async {
            let connect = timeout(CONNECT_TIMEOUT, PgConnection::connect_with(&self.options));
            let connection = connect.await.map_err(|_| timed_out("no connection", CONNECT_TIMEOUT))?;
            let mut connection = connection.map_err(classify)?;
            // One simple query is one transaction.
            connection.execute(sqlx::raw_sql(SCHEMA)).await.map_err(classify)?;
            connection.close().await.map_err(classify)
        }
        .boxed()
    }
}

impl Storage for Postgres {
    fn store<'a>(&'a self, rows: &'a Rows<'a>) -> Answer<'a> {
        self.with_connection(async |connection| upsert(rows).execute(connection).await.map(drop)).boxed()
    }

    fn check(&self) -> Answer<'_> {
        let check = self.with_connection(async |connection| connection.ping().await);
        async { timeout(CHECK_TIMEOUT, check).await.unwrap_or_else(|_| Err(timed_out("no answer", CHECK_TIMEOUT))) }
            .boxed()
    }
}
