//! The database tests with the pool that does not ping.

use events_tuned::postgres::Postgres;

#[path = "../../core/tests/suite/mod.rs"]
mod suite;
