//! The user service without a transport: both targets decode requests, call a [`service::Service`], and encode its
//! replies.

pub mod deadline;
pub mod error;
mod logging;
pub mod memory;
pub mod postgres;
pub mod process;
pub mod repository;
mod rules;
pub mod service;
pub mod settings;
pub mod shutdown;
#[cfg(feature = "testing")]
pub mod testing;
pub mod user;
