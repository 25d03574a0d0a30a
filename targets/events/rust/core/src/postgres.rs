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

/// An attempt to connect ends after this, so that a host that swallows packets is noticed.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);
/// A statement ends after this. It is the server that ends it: one that the client only forgot could still
/// store, long after a newer update of the same entity was acknowledged.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// For a server that does not even end statements.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(11);
/// Who waits longer than this for a connection is one of too many behind a database that hangs.
const TURN_TIMEOUT: Duration = Duration::from_secs(5);

/// A database, and the connections to it that are free.
///
/// Not sqlx's own pool: that tests a connection by a round trip each time one is given back,
/// which doubles the round trips of an upsert. Here a broken connection shows when it is used,
/// and whoever uses it tries again.
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

    /// Makes the table if there is none. A server that answers with an error that waiting cannot mend,
    /// such as a wrong password, is `Refused`.
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
            Err(_) => Err(StorageError::Away(format!("no connection within {CONNECT_TIMEOUT:?}"))),
        }
    }

    /// A connection, free or new. Whatever keeps a new one from being made, the database is away.
    async fn free_connection(&self) -> Result<PgConnection, StorageError> {
        let free = self.lock().pop();
        match free {
            Some(connection) => Ok(connection),
            None => self.connect().await.map_err(|error| match error {
                StorageError::Away(reason) | StorageError::Refused(reason) => StorageError::Away(reason),
            }),
        }
    }

    /// Uses a connection. One whose use is broken off, by an error or by a client that went away, is closed.
    async fn with_connection(
        &self,
        work: impl AsyncFnOnce(&mut PgConnection) -> Result<(), sqlx::Error>,
    ) -> Result<(), StorageError> {
        let Ok(_permit) = timeout(TURN_TIMEOUT, self.permits.acquire()).await else {
            return Err(StorageError::Away(format!("no connection free within {TURN_TIMEOUT:?}")));
        };
        let mut connection = self.free_connection().await?;
        let answer = match timeout(SILENCE_TIMEOUT, work(&mut connection)).await {
            Ok(answer) => answer.map_err(classify),
            Err(_) => Err(StorageError::Away(format!("no answer within {SILENCE_TIMEOUT:?}"))),
        };
        match answer {
            // What broke this one has broken the others: after a restart not each of them costs an attempt.
            Err(StorageError::Away(_)) => self.lock().clear(),
            Ok(()) | Err(StorageError::Refused(_)) => self.lock().push(connection),
        }
        answer
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<PgConnection>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for Postgres {
    /// One prepared statement outside of a transaction is a transaction of its own: no BEGIN, no COMMIT.
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
                Err(_) => Err(StorageError::Away(format!("no answer within {CHECK_TIMEOUT:?}"))),
            }
        }
        .boxed()
    }
}

/// Whether waiting may help.
fn classify(error: sqlx::Error) -> StorageError {
    match error {
        sqlx::Error::Database(answer) if !is_passing(answer.code().as_deref()) => {
            StorageError::Refused(answer.message().to_owned())
        }
        error @ (sqlx::Error::Configuration(_) | sqlx::Error::Encode(_)) => StorageError::Refused(error.to_string()),
        error => StorageError::Away(error.to_string()),
    }
}

/// Classes of SQLSTATE that pass: connection, rolled back for others' sake, out of resources,
/// operator intervention (shutdown, starting up, a statement that took too long), and a standby that is not yet promoted.
fn is_passing(code: Option<&str>) -> bool {
    code.is_some_and(|code| ["08", "40", "53", "57", "25006"].iter().any(|class| code.starts_with(class)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes() {
        for code in ["08006", "40001", "40P01", "53300", "57014", "57P01", "57P03", "25006"] {
            assert!(is_passing(Some(code)), "{code}");
        }
        for code in ["22P02", "22003", "28P01", "3D000", "42P01", "25001", "54000"] {
            assert!(!is_passing(Some(code)), "{code}");
        }
        assert!(!is_passing(None));
    }
}
