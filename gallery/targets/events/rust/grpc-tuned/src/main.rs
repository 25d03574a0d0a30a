//! The process of the target.

use std::process::ExitCode;

// mimalloc is fast when memory is allocated on one thread and freed on another, as requests are.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    producer_api_rust_grpc_tuned::run()
}
