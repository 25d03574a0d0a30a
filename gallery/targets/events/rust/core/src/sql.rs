//! The statements, their time limits, and the meaning of their errors, the same for every pool.

use std::time::Duration;

use sqlx::ConnectOptions;
use sqlx::postgres::{PgArguments, PgConnectOptions, Postgres};
use sqlx::query::Query;

use crate::rows::Rows;
use crate::storage::StorageError;

/// Creates the table.
pub const SCHEMA: &str = include_str!("../../../../../contract/events/schema.sql");
const UPSERT: &str = include_str!("../../../../../contract/events/upsert.sql");

/// Limits an attempt to connect, so that a host that drops packets is detected.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Limits the wait for a free connection: it is longer only when the database hangs.
pub const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
/// Limits a health check.
pub const CHECK_TIMEOUT: Duration = Duration::from_secs(3);
/// Limits a statement. The server enforces it: a statement that only the client gives up could still be
/// committed, long after a newer update of the same entity was acknowledged.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);
/// For a server that does not enforce the limit.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(11);

/// The options of each connection.
#[must_use]
pub fn connect_options(options: &PgConnectOptions) -> PgConnectOptions {
    options.clone().disable_statement_logging().options([("statement_timeout", STATEMENT_TIMEOUT.as_millis())])
}

/// A prepared statement outside of a transaction is its own transaction: no BEGIN, no COMMIT.
pub fn upsert<'q>(rows: &'q Rows<'q>) -> Query<'q, Postgres, PgArguments> {
    sqlx::query(UPSERT).bind(&rows.types[..]).bind(&rows.ids[..]).bind(&rows.data[..])
}

/// The error of a time limit.
#[must_use]
pub fn timed_out(what: &str, limit: Duration) -> StorageError {
    StorageError::Unavailable(format!("{what} within {limit:?}"))
}

/// Distinguishes errors that waiting may fix.
#[must_use]
pub fn classify(error: sqlx::Error) -> StorageError {
    match error {
        sqlx::Error::Database(answer) if !is_transient(answer.code().as_deref()) => {
            StorageError::Refused(answer.message().to_owned())
        }
        error @ (sqlx::Error::Configuration(_) | sqlx::Error::Encode(_)) => StorageError::Refused(error.to_string()),
        error => StorageError::Unavailable(error.to_string()),
    }
}

/// An error of connecting for a write: any failure counts as an unavailable database.
#[must_use]
pub fn unavailable(error: StorageError) -> StorageError {
    match error {
        StorageError::Unavailable(reason) | StorageError::Refused(reason) => StorageError::Unavailable(reason),
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
