//! The suite of repositories in memory.

mod suite;

use std::sync::Arc;

use users_core::memory::Memory;

#[tokio::test(flavor = "multi_thread")]
async fn in_memory() {
    suite::run(Arc::new(Memory::default())).await;
}
