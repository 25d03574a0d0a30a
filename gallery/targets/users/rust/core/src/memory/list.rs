//! Pages of the users in memory.

use std::sync::Arc;

use tokio::task::yield_now;

use super::block::Block;
use crate::user::{Page, Query, User};

/// How many blocks a search looks at before other calls get their turn, and before its deadline is checked.
const BLOCKS_AT_ONCE: usize = 16;

/// A page of all users. Blocks before it are skipped by their counts, so that a far page costs about as much as the
/// first one.
pub fn page(blocks: &[Arc<Block>], total: i64, query: &Query) -> Page {
    let mut users = Vec::new();
    let mut skip = query.offset();
    for block in blocks {
        if block.count() <= skip {
            skip -= block.count();
            continue;
        }
        block.visit(|user| {
            if skip > 0 {
                skip -= 1;
            } else {
                users.push(user.clone());
            }
            !is_full(&users, query)
        });
        if is_full(&users, query) {
            break;
        }
    }
    Page { users, total }
}

/// A page of the users that match. Every user is looked at, since the total is exact.
pub async fn search(blocks: &[Arc<Block>], query: &Query) -> Page {
    let mut page = Page::default();
    let skip = query.offset();
    for blocks in blocks.chunks(BLOCKS_AT_ONCE) {
        for block in blocks {
            block.visit(|user| {
                if query.matches(user) {
                    if page.total >= skip && !is_full(&page.users, query) {
                        page.users.push(user.clone());
                    }
                    page.total += 1;
                }
                true
            });
        }
        yield_now().await;
    }
    page
}

fn is_full(users: &[User], query: &Query) -> bool {
    i64::try_from(users.len()).is_ok_and(|users| users >= query.limit)
}
