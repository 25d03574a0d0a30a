//! Events to entities in PostgreSQL: the application logic that all targets share.
//!
//! A target decodes requests, calls a [`writer::Writer`], and encodes its replies.

pub mod bulk;
mod commit;
pub mod error;
#[cfg(test)]
mod fake;
mod group_commit;
pub mod intake;
pub mod limits;
mod logging;
pub mod model;
pub mod number;
mod outage;
mod per_request;
pub mod postgres;
pub mod process;
pub mod receipt;
pub mod rows;
pub mod rules;
pub mod settings;
pub mod shutdown;
pub mod sql;
pub mod storage;
#[cfg(feature = "testing")]
pub mod testing;
pub mod tls;
pub mod token;
pub mod writer;
