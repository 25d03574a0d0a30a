//! Users in PostgreSQL with sqlx's own pool. Writes of concurrent requests share transactions, reads share statements.

mod gather;
mod list;
mod pool;
mod read;
mod transaction;
mod write;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sqlx::postgres::PgConnectOptions;

use crate::repository::{Outcome, Repository};
use crate::user::{Change, Page, Query, User};
use gather::{Gatherer, Limit};
use list::FirstPages;
use pool::Pool;
use read::Reads;
use transaction::Write;
use write::Writes;

/// How operations reach the database.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address and credentials.
    pub database: PgConnectOptions,
    /// Maximum number of connections.
    pub connections: u32,
    /// Gives each request its own statements and transaction.
    pub per_request: bool,
    /// Shared transactions in flight at once, as many shared reads by id, and as many shared first pages.
    pub flushers: usize,
    /// Maximum number of operations that wait.
    pub queue: usize,
}

/// A [`Repository`] in PostgreSQL.
pub struct Postgres {
    pool: Pool,
    writes: Gatherer<Writes>,
    reads: Gatherer<Reads>,
    first_pages: Gatherer<FirstPages>,
}

impl Postgres {
    /// Applies the schema and starts the flushers. The error says why the database cannot be used.
    pub async fn open(options: &Options) -> Result<Self, String> {
        pool::prepare(&options.database).await?;
        let pool = Pool::new(&options.database, options.connections);
        let limit = Limit { flushers: options.flushers, queue: options.queue, per_request: options.per_request };
        let writes = Gatherer::start(limit, Arc::new(Writes::new(pool.clone())));
        let reads = Gatherer::start(limit, Arc::new(Reads::new(pool.clone())));
        let first_pages = Gatherer::start(limit, Arc::new(FirstPages::new(pool.clone())));
        Ok(Self { pool, writes, reads, first_pages })
    }
}

impl Repository for Postgres {
    fn create(&self, name: String, email: String) -> Outcome<'_, i64> {
        self.writes.ask(Write::Create { name, email }).boxed()
    }

    fn get(&self, id: i64) -> Outcome<'_, User> {
        self.reads.ask(id).boxed()
    }

    fn update(&self, id: i64, change: Change) -> Outcome<'_, ()> {
        self.writes.ask(Write::Update { id, change }).map(|outcome| outcome.map(drop)).boxed()
    }

    fn delete(&self, id: i64) -> Outcome<'_, ()> {
        self.writes.ask(Write::Delete { id }).map(|outcome| outcome.map(drop)).boxed()
    }

    fn list(&self, query: Query) -> Outcome<'_, Page> {
        if query.text.is_empty() && query.offset() == 0 {
            self.first_pages.ask(query.limit).boxed()
        } else {
            list::page(&self.pool, query).boxed()
        }
    }

    fn check(&self) -> Outcome<'_, ()> {
        self.pool.check().boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        async {
            self.writes.close().await;
            self.reads.close().await;
            self.first_pages.close().await;
            self.pool.close().await;
        }
        .boxed()
    }
}
