//! The seam between write strategies and the database.

use futures_util::future::BoxFuture;

use crate::rows::Rows;

/// Why rows were not stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageError {
    /// The database cannot be reached or cannot take writes now; it may another time.
    Away(String),
    /// The database refuses these rows.
    Refused(String),
}

/// What storage answers, some time.
pub type Answer<'a> = BoxFuture<'a, Result<(), StorageError>>;

/// Where rows go. Tests put a fake here.
pub trait Storage: Send + Sync {
    /// Stores all rows or none, durably when it answers.
    fn store<'a>(&'a self, rows: &'a Rows<'a>) -> Answer<'a>;

    /// Whether the database answers now.
    fn check(&self) -> Answer<'_>;
}
