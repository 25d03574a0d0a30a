//! PostgreSQL.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use futures_util::FutureExt;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection, Executor};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::rows::Rows;
use crate::storage::{Answer, Storage, StorageError};

const SCHEMA: &str = include_str!("../../../../../contract/events/schema.sql");
const UPSERT: &str = include_str!("../../../../../contract/events/upsert.sql");

/// Limits an attempt to connect, so that a host that drops packets is detected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);
/// Limits a statement. The server enforces it: a statement that only the client gives up could still be
/// committed, long after a newer update of the same entity was acknowledged.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// For a server that does not enforce the limit.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(11);
/// Limits the wait for a free connection: it is longer only when the database hangs.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// A database, and its idle connections.
///
/// Replaces sqlx's own pool, which pings a connection each time it is returned and so doubles the round trips
/// of an upsert. Here a broken connection is detected when it is used, and the write is retried.
pub struct Postgres {
    options: PgConnectOptions,
    free: Mutex<Vec<PgConnection>>,
    permits: Semaphore,
}

impl Postgres {
    /// Connects when a connection is first needed, to at most `connections` at a time.
    #[must_use]
    pub fn new(options: &PgConnectOptions, connections: usize) -> Self {
        Self {
            options: options
                .clone()
                .disable_statement_logging()
                .options([("statement_timeout", STATEMENT_TIMEOUT.as_millis())]),
            free: Mutex::default(),
            permits: Semaphore::new(connections),
        }
    }

    /// Creates the table if there is none. An error that waiting cannot fix, such as a wrong password,
    /// is `Refused`.
    pub async fn prepare(&self) -> Result<(), StorageError> {
        let mut connection = self.connect().await?;
        // One simple query is one transaction.
        connection.execute(sqlx::raw_sql(SCHEMA)).await.map_err(classify)?;
        self.lock().push(connection);
        Ok(())
    }

    async fn connect(&self) -> Result<PgConnection, StorageError> {
        match timeout(CONNECT_TIMEOUT, PgConnection::connect_with(&self.options)).await {
            Ok(connection) => connection.map_err(classify),
            Err(_) => Err(StorageError::Unavailable(format!("no connection within {CONNECT_TIMEOUT:?}"))),
        }
    }

    /// An idle or new connection. Any failure to connect counts as an unavailable database.
    async fn free_connection(&self) -> Result<PgConnection, StorageError> {
        let free = self.lock().pop();
        match free {
            Some(connection) => Ok(connection),
            None => self.connect().await.map_err(|error| match error {
                StorageError::Unavailable(reason) | StorageError::Refused(reason) => StorageError::Unavailable(reason),
            }),
        }
    }

    /// Runs `work` on a connection, which is closed when the work fails or is cancelled.
    async fn with_connection(
        &self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<(), sqlx::Error>,
    ) -> Result<(), StorageError> {
        let Ok(_permit) = timeout(ACQUIRE_TIMEOUT, self.permits.acquire()).await else {
            return Err(StorageError::Unavailable(format!("no connection free within {ACQUIRE_TIMEOUT:?}")));
        };
        let mut connection = self.free_connection().await?;
        let result = match timeout(RESPONSE_TIMEOUT, work(&mut connection)).await {
            Ok(result) => result.map_err(classify),
            Err(_) => Err(StorageError::Unavailable(format!("no answer within {RESPONSE_TIMEOUT:?}"))),
        };
        match result {
            // The others are probably broken too: after a restart only one attempt fails, not one per connection.
            Err(StorageError::Unavailable(_)) => self.lock().clear(),
            Ok(()) | Err(StorageError::Refused(_)) => self.lock().push(connection),
        }
        result
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<PgConnection>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for Postgres {
    /// A prepared statement outside of a transaction is its own transaction: no BEGIN, no COMMIT.
    fn store<'a>(&'a self, rows: &'a Rows<'a>) -> Answer<'a> {
        self.with_connection(async |connection| {
            let statement = sqlx::query(UPSERT).bind(&rows.types[..]).bind(&rows.ids[..]).bind(&rows.data[..]);
            statement.execute(connection).await.map(drop)
        })
        .boxed()
    }

    fn check(&self) -> Answer<'_> {
        let check = self.with_connection(async |connection| connection.ping().await);
        async {
            match timeout(CHECK_TIMEOUT, check).await {
                Ok(answer) => answer,
                Err(_) => Err(StorageError::Unavailable(format!("no answer within {CHECK_TIMEOUT:?}"))),
            }
        }
        .boxed()
    }
}

/// Distinguishes errors that waiting may fix.
fn classify(error: sqlx::Error) -> StorageError {
    match error {
        sqlx::Error::Database(answer) if !is_transient(answer.code().as_deref()) => {
            StorageError::Refused(answer.message().to_owned())
        }
        error @ (sqlx::Error::Configuration(_) | sqlx::Error::Encode(_)) => StorageError::Refused(error.to_string()),
        error => StorageError::Unavailable(error.to_string()),
    }
}

/// Transient classes of SQLSTATE: connection, rollback because of others, insufficient resources,
/// operator intervention (shutdown, starting up, statement timeout), and a standby that is not yet promoted.
fn is_transient(code: Option<&str>) -> bool {
    code.is_some_and(|code| ["08", "40", "53", "57", "25006"].iter().any(|class| code.starts_with(class)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transient_errors() {
        for code in ["08006", "40001", "40P01", "53300", "57014", "57P01", "57P03", "25006"] {
            assert!(is_transient(Some(code)), "{code}");
        }
        for code in ["22P02", "22003", "28P01", "3D000", "42P01", "25001", "54000"] {
            assert!(!is_transient(Some(code)), "{code}");
        }
        assert!(!is_transient(None));
    }
}
