//! Connections, their time limits, and the meaning of their errors.

use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection, Executor};
use tokio::time::{Instant, sleep, timeout};

use crate::error::Error;

const SCHEMA: &str = include_str!("../../../../../../contract/users/schema.sql");

/// How long a start waits for the database.
const START_TIMEOUT: Duration = Duration::from_secs(30);
const START_PAUSE: Duration = Duration::from_millis(200);
/// Limits an attempt to connect, so that a host that drops packets is detected.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Limits the wait for a connection. While a database refuses connections sqlx tries again for as long: shorter than the
/// default deadline of requests, so that they end as unavailable.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(2);
/// A connection that was unused for longer is tested before its next use.
const TESTED_AFTER: Duration = Duration::from_secs(1);
/// Limits a health check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(3);
/// Limits a statement. The server enforces it: one that only the client gives up could still be committed, long after
/// a newer change of the same user was acknowledged.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// For a server that does not enforce the limit.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(11);

/// sqlx's pool.
#[derive(Clone)]
pub struct Pool(PgPool);

impl Pool {
    /// Connects when a connection is first needed.
    pub fn new(database: &PgConnectOptions, connections: u32) -> Self {
        let options = PgPoolOptions::new()
            .max_connections(connections)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .test_before_acquire(false)
            .before_acquire(|connection, state| {
                Box::pin(async move {
                    if state.idle_for > TESTED_AFTER {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            });
        Self(options.connect_lazy_with(limited(database)))
    }

    /// Runs `work` with a connection.
    pub async fn with<T>(&self, work: impl AsyncFnOnce(&mut PgConnection) -> sqlx::Result<T>) -> Result<T, Failure> {
        let mut connection = self.0.acquire().await.map_err(Failure::unavailable)?;
        if let Ok(answer) = timeout(RESPONSE_TIMEOUT, work(&mut connection)).await {
            return answer.map_err(Failure::of);
        }
        // The server may still execute the statement, so the connection is closed instead of returned.
        drop(connection.detach());
        Err(Failure::Unavailable(format!("no response within {RESPONSE_TIMEOUT:?}")))
    }

    /// Whether the database answers now.
    pub async fn check(&self) -> Result<(), Error> {
        let ping = self.with(async |connection| connection.ping().await);
        timeout(CHECK_TIMEOUT, ping).await.map_err(|_| Error::Unavailable)?.map_err(Failure::logged)
    }

    pub async fn close(&self) {
        self.0.close().await;
    }
}

/// Why PostgreSQL did not do something.
#[derive(Debug)]
pub enum Failure {
    /// Another user has the e-mail address.
    EmailTaken,
    /// Two transactions waited for each other, and this one was ended.
    Deadlock,
    /// The database cannot be reached, or cannot work now.
    Unavailable(String),
    /// The database refuses the statement.
    Refused(String),
}

impl Failure {
    /// Whether operations that share a transaction may fare better alone.
    pub fn concerns_one(&self) -> bool {
        matches!(self, Self::EmailTaken | Self::Deadlock)
    }

    /// The error for the client. What no client should see is logged instead.
    pub fn logged(self) -> Error {
        match self {
            Self::EmailTaken => Error::EmailTaken,
            Self::Deadlock => Error::Unavailable,
            Self::Unavailable(reason) => {
                tracing::warn!(reason, "the database failed");
                Error::Unavailable
            }
            Self::Refused(reason) => {
                tracing::error!(reason, "the database refuses a statement");
                Error::Internal
            }
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "for map_err")]
    fn unavailable(error: sqlx::Error) -> Self {
        Self::Unavailable(error.to_string())
    }

    fn of(error: sqlx::Error) -> Self {
        let sqlx::Error::Database(answer) = &error else {
            return Self::unavailable(error);
        };
        match answer.code().as_deref() {
            Some("23505") => Self::EmailTaken,
            Some("40P01") => Self::Deadlock,
            Some(code) if is_transient(code) => Self::Unavailable(answer.message().to_owned()),
            _ => Self::Refused(answer.message().to_owned()),
        }
    }
}

/// Classes of SQLSTATE that waiting may fix: connection, rollback because of others, insufficient resources, operator
/// intervention (shutdown, starting up, statement timeout), and a standby that is not yet promoted.
fn is_transient(code: &str) -> bool {
    ["08", "40", "53", "57", "25006"].iter().any(|class| code.starts_with(class))
}

/// Applies the schema, as soon as the database can be used.
pub async fn prepare(database: &PgConnectOptions) -> Result<(), String> {
    let start = Instant::now();
    loop {
        let Err(reason) = apply_schema(database).await else {
            return Ok(());
        };
        if start.elapsed() > START_TIMEOUT {
            return Err(reason);
        }
        sleep(START_PAUSE).await;
    }
}

/// Uses its own connection: the pool would report a timeout instead of the reason for it.
async fn apply_schema(database: &PgConnectOptions) -> Result<(), String> {
    let text = |error: sqlx::Error| error.to_string();
    let connecting = timeout(CONNECT_TIMEOUT, PgConnection::connect_with(database));
    let connection = connecting.await.map_err(|_| format!("no connection within {CONNECT_TIMEOUT:?}"))?;
    let mut connection = connection.map_err(text)?;
    // One simple query is one transaction.
    connection.execute(sqlx::raw_sql(SCHEMA)).await.map_err(text)?;
    connection.close().await.map_err(text)
}

fn limited(database: &PgConnectOptions) -> PgConnectOptions {
    database.clone().disable_statement_logging().options([("statement_timeout", STATEMENT_TIMEOUT.as_millis())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transient_errors() {
        for code in ["08006", "40001", "53300", "57014", "57P01", "57P03", "25006"] {
            assert!(is_transient(code), "{code}");
        }
        for code in ["22P02", "28P01", "3D000", "42P01", "25001"] {
            assert!(!is_transient(code), "{code}");
        }
    }
}
