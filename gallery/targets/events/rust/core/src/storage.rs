//! The interface between write modes and the database.

use futures_util::future::BoxFuture;
use sqlx::postgres::PgConnectOptions;

use crate::rows::Rows;

/// Why rows were not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// The database cannot be reached or cannot accept writes now; a retry may succeed.
    Unavailable(String),
    /// The database refuses these rows.
    Refused(String),
}

/// The future result of a call to storage.
pub type Answer<'a> = BoxFuture<'a, Result<(), StorageError>>;

/// Stores rows. Tests use a fake.
pub trait Storage: Send + Sync {
    /// Stores all rows or none; they are durable when it returns.
    fn store<'a>(&'a self, rows: &'a Rows<'a>) -> Answer<'a>;

    /// Whether the database answers now.
    fn check(&self) -> Answer<'_>;
}

/// Storage in a PostgreSQL database.
pub trait Database: Storage + Sized + 'static {
    /// Connects when a connection is first needed, with at most `connections` at a time. Requires a Tokio runtime.
    fn new(options: &PgConnectOptions, connections: usize) -> Self;

    /// Creates the table if there is none. An error that waiting cannot fix, such as a wrong password, is `Refused`.
    fn prepare(&self) -> Answer<'_>;
}
