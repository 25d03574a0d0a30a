//! The users of consecutive ids, so that a far page skips them together.

use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::RwLock;

use crate::user::User;

const BITS: u32 = 10;
const SIZE: usize = 1 << BITS;

/// Users of [`SIZE`] ids.
pub struct Block {
    users: RwLock<Vec<Option<User>>>,
    count: AtomicI64,
}

impl Default for Block {
    fn default() -> Self {
        Self { users: RwLock::new(vec![None; SIZE]), count: AtomicI64::new(0) }
    }
}

/// The number of the block of an id; ids below 1 have none.
pub fn number(id: i64) -> usize {
    usize::try_from(id >> BITS).unwrap_or(usize::MAX)
}

/// The place of an id in its block.
fn place(id: i64) -> usize {
    usize::try_from(id).unwrap_or_default() % SIZE
}

impl Block {
    pub fn get(&self, id: i64) -> Option<User> {
        self.users.read()[place(id)].clone()
    }

    /// Stores a user, in the place of its earlier state if there is one.
    pub fn put(&self, user: User) {
        let place = place(user.id);
        if self.users.write()[place].replace(user).is_none() {
            self.count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn remove(&self, id: i64) {
        if self.users.write()[place(id)].take().is_some() {
            self.count.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub fn count(&self) -> i64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Calls `visit` with each user in order of their ids, until it returns false.
    pub fn visit(&self, mut visit: impl FnMut(&User) -> bool) {
        for user in self.users.read().iter().flatten() {
            if !visit(user) {
                return;
            }
        }
    }
}
