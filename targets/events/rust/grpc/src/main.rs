//! The process of the target.

use std::process::ExitCode;

// Requests allocate on one thread and are freed on another, which is what it is fast at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    producer_api_rust_grpc::run()
}
