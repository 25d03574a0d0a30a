//! Events to entities in PostgreSQL: everything that the REST and the gRPC target share.
//!
//! A transport decodes with [`json`] or [`protobuf`], calls a [`writer::Writer`], and encodes its answer.

pub mod bulk;
mod commit;
pub mod connections;
mod draft;
pub mod error;
mod escape;
#[cfg(test)]
mod fake;
mod group_commit;
pub mod json;
pub mod limits;
mod logging;
pub mod model;
mod outage;
mod per_request;
pub mod postgres;
pub mod process;
pub mod protobuf;
pub mod receipt;
pub mod rows;
pub mod settings;
pub mod shutdown;
pub mod storage;
mod timestamp;
pub mod tls;
pub mod token;
mod validation;
pub mod writer;
