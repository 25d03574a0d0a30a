//! The database tests with sqlx's own pool.

use events_core::postgres::Postgres;

mod suite;
