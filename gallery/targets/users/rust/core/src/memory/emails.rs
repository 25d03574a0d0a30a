//! Which user has an e-mail address.

use std::array;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasher, RandomState};

use parking_lot::Mutex;

use crate::error::Error;

/// As many locks as changes of users have.
pub const SHARDS: usize = 64;

type Ids = HashMap<String, i64>;

/// Ids by e-mail address, in shards that are locked one by one.
pub struct Emails {
    hasher: RandomState,
    shards: [Mutex<Ids>; SHARDS],
}

impl Default for Emails {
    fn default() -> Self {
        Self { hasher: RandomState::new(), shards: array::from_fn(|_| Mutex::default()) }
    }
}

impl Emails {
    /// Gives an address to the user that `store` stores while the address is locked.
    pub fn claim(&self, email: String, store: impl FnOnce() -> i64) -> Result<i64, Error> {
        match self.shards[self.shard(&email)].lock().entry(email) {
            Entry::Occupied(_) => Err(Error::EmailTaken),
            Entry::Vacant(free) => Ok(*free.insert(store())),
        }
    }

    /// Gives a user another address, and frees its own.
    pub fn replace(&self, from: &str, to: &str, id: i64) -> Result<(), Error> {
        let (old, new) = (self.shard(from), self.shard(to));
        // Always in this order, so that two changes never wait for each other.
        let mut first = self.shards[old.min(new)].lock();
        let mut second = (old != new).then(|| self.shards[old.max(new)].lock());
        let (lower, upper) = (&mut *first, second.as_deref_mut());
        take(if new > old { upper.unwrap_or(lower) } else { lower }, to, id)?;
        let (lower, upper) = (&mut *first, second.as_deref_mut());
        if old > new { upper.unwrap_or(lower) } else { lower }.remove(from);
        Ok(())
    }

    /// Frees an address after `remove` has removed its user.
    pub fn free(&self, email: &str, remove: impl FnOnce()) {
        let mut ids = self.shards[self.shard(email)].lock();
        remove();
        ids.remove(email);
    }

    fn shard(&self, email: &str) -> usize {
        usize::try_from(self.hasher.hash_one(email) % SHARDS as u64).unwrap_or_default()
    }
}

/// Gives a user an address that no other user has.
fn take(ids: &mut Ids, email: &str, id: i64) -> Result<(), Error> {
    match ids.entry(email.to_owned()) {
        Entry::Occupied(_) => Err(Error::EmailTaken),
        Entry::Vacant(free) => {
            free.insert(id);
            Ok(())
        }
    }
}
