//! The interface between the service and its stores.

use futures_util::future::BoxFuture;

use crate::error::Error;
use crate::user::{Change, Page, Query, User};

/// The future outcome of an operation. Dropping it gives the operation up; a change may be stored nevertheless.
pub type Outcome<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// Stores users. A change is stored when its future ends: every later read sees it, also after a crash where the store
/// is durable.
pub trait Repository: Send + Sync {
    /// Stores a new user and returns its id.
    fn create(&self, name: String, email: String) -> Outcome<'_, i64>;
    /// Returns the user with this id.
    fn get(&self, id: i64) -> Outcome<'_, User>;
    /// Changes a user.
    fn update(&self, id: i64, change: Change) -> Outcome<'_, ()>;
    /// Removes a user.
    fn delete(&self, id: i64) -> Outcome<'_, ()>;
    /// Returns a page of the users that match.
    fn list(&self, query: Query) -> Outcome<'_, Page>;
    /// Whether the store can be used now.
    fn check(&self) -> Outcome<'_, ()>;
    /// Completes what was accepted and disconnects.
    fn close(&self) -> BoxFuture<'_, ()>;
}
