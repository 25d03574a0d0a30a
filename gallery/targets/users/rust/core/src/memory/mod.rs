//! Users in memory: no operation slows down as users grow, searches apart.

mod block;
mod emails;
mod list;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use parking_lot::{Mutex, RwLock};

use crate::error::Error;
use crate::repository::{Outcome, Repository};
use crate::user::{Change, Page, Query, User};
use block::Block;
use emails::{Emails, SHARDS};

/// A [`Repository`] in memory.
pub struct Memory {
    last_id: AtomicI64,
    total: AtomicI64,
    /// The users of consecutive ids.
    blocks: RwLock<Vec<Arc<Block>>>,
    emails: Emails,
    /// Makes changes of one user wait for each other. Locked before e-mail addresses, which are locked before blocks.
    changing: [Mutex<()>; SHARDS],
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            last_id: AtomicI64::new(0),
            total: AtomicI64::new(0),
            blocks: RwLock::default(),
            emails: Emails::default(),
            changing: [const { Mutex::new(()) }; SHARDS],
        }
    }
}

impl Memory {
    fn create(&self, name: String, email: String) -> Result<i64, Error> {
        // The address is locked until the user is stored: a request that finds it taken also finds the user.
        self.emails.claim(email.clone(), || {
            let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
            self.block_for(id).put(User { id, name, email });
            self.total.fetch_add(1, Ordering::Relaxed);
            id
        })
    }

    fn get(&self, id: i64) -> Result<User, Error> {
        let blocks = self.blocks.read();
        blocks.get(block::number(id)).and_then(|block| block.get(id)).ok_or(Error::NotFound)
    }

    fn update(&self, id: i64, change: Change) -> Result<(), Error> {
        let _changing = self.changing(id).lock();
        let mut user = self.get(id)?;
        if let Some(email) = change.email
            && email != user.email
        {
            self.emails.replace(&user.email, &email, id)?;
            user.email = email;
        }
        user.name = change.name.unwrap_or(user.name);
        self.block_for(id).put(user);
        Ok(())
    }

    fn delete(&self, id: i64) -> Result<(), Error> {
        let _changing = self.changing(id).lock();
        let user = self.get(id)?;
        self.emails.free(&user.email, || {
            self.block_for(id).remove(id);
            self.total.fetch_sub(1, Ordering::Relaxed);
        });
        Ok(())
    }

    fn changing(&self, id: i64) -> &Mutex<()> {
        &self.changing[usize::try_from(id).unwrap_or_default() % SHARDS]
    }

    /// The block of an id, which is made if there is none.
    fn block_for(&self, id: i64) -> Arc<Block> {
        let number = block::number(id);
        if let Some(block) = self.blocks.read().get(number) {
            return Arc::clone(block);
        }
        let mut blocks = self.blocks.write();
        while blocks.len() <= number {
            blocks.push(Arc::default());
        }
        Arc::clone(&blocks[number])
    }
}

/// Nothing happens before a future is polled: a call whose deadline has passed must change nothing.
impl Repository for Memory {
    fn create(&self, name: String, email: String) -> Outcome<'_, i64> {
        async move { Self::create(self, name, email) }.boxed()
    }

    fn get(&self, id: i64) -> Outcome<'_, User> {
        async move { Self::get(self, id) }.boxed()
    }

    fn update(&self, id: i64, change: Change) -> Outcome<'_, ()> {
        async move { Self::update(self, id, change) }.boxed()
    }

    fn delete(&self, id: i64) -> Outcome<'_, ()> {
        async move { Self::delete(self, id) }.boxed()
    }

    fn list(&self, query: Query) -> Outcome<'_, Page> {
        async move {
            if query.text.is_empty() {
                return Ok(list::page(&self.blocks.read(), self.total.load(Ordering::Relaxed), &query));
            }
            let blocks = self.blocks.read().clone();
            Ok(list::search(&blocks, &query).await)
        }
        .boxed()
    }

    /// Memory is always there.
    fn check(&self) -> Outcome<'_, ()> {
        ready(Ok(())).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}
