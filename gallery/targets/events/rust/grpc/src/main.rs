//! The process.

use std::process::ExitCode;

use events_core::postgres::Postgres;
use events_core::process;
use producer_api_rust_grpc::{TARGET, serve};

fn main() -> ExitCode {
    process::run::<Postgres, _>(&TARGET, serve)
}
