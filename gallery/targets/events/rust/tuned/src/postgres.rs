//! PostgreSQL with a pool that does not ping.

use std::sync::{Mutex, MutexGuard, PoisonError};

use events_core::rows::Rows;
use events_core::sql::{
    ACQUIRE_TIMEOUT, CHECK_TIMEOUT, CONNECT_TIMEOUT, RESPONSE_TIMEOUT, SCHEMA, classify, connect_options, timed_out,
    unavailable, upsert,
};
use events_core::storage::{Answer, Database, Storage, StorageError};
use futures_util::FutureExt;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{Connection, Executor};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// A database, and its idle connections.
///
/// Replaces sqlx's own pool, which pings a connection each time it is returned and so doubles the round trips
/// of an upsert. Here a broken connection is detected when it is used, and the write is retried.
pub struct Postgres {
    options: PgConnectOptions,
    idle: Mutex<Vec<PgConnection>>,
    permits: Semaphore,
}

impl Postgres {
    async fn connect(&self) -> Result<PgConnection, StorageError> {
        match timeout(CONNECT_TIMEOUT, PgConnection::connect_with(&self.options)).await {
            Ok(connection) => connection.map_err(classify),
            Err(_) => Err(timed_out("no connection", CONNECT_TIMEOUT)),
        }
    }

    async fn idle_connection(&self) -> Result<PgConnection, StorageError> {
        let idle = self.lock().pop();
        match idle {
            Some(connection) => Ok(connection),
            None => self.connect().await.map_err(unavailable),
        }
    }

    /// Runs `work` on a connection, which is closed when the work fails or is cancelled.
    async fn with_connection(
        &self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<(), sqlx::Error>,
    ) -> Result<(), StorageError> {
        let Ok(_permit) = timeout(ACQUIRE_TIMEOUT, self.permits.acquire()).await else {
            return Err(timed_out("no free connection", ACQUIRE_TIMEOUT));
        };
        let mut connection = self.idle_connection().await?;
        let result = match timeout(RESPONSE_TIMEOUT, work(&mut connection)).await {
            Ok(result) => result.map_err(classify),
            Err(_) => Err(timed_out("no response", RESPONSE_TIMEOUT)),
        };
        match result {
            // The others are probably broken too: after a restart only one attempt fails, not one per connection.
            Err(StorageError::Unavailable(_)) => self.lock().clear(),
            Ok(()) | Err(StorageError::Refused(_)) => self.lock().push(connection),
        }
        result
    }

    fn lock(&self) -> MutexGuard<'_, Vec<PgConnection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Database for Postgres {
    fn new(options: &PgConnectOptions, connections: usize) -> Self {
        Self { options: connect_options(options), idle: Mutex::default(), permits: Semaphore::new(connections) }
    }

    fn prepare(&self) -> Answer<'_> {
        async {
            let mut connection = self.connect().await?;
            // One simple query is one transaction.
            connection.execute(sqlx::raw_sql(SCHEMA)).await.map_err(classify)?;
            self.lock().push(connection);
            Ok(())
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
