//! Pages of users.

use sqlx::Postgres;

use super::gather::Together;
use super::pool::{Failure, Pool};
use crate::error::Error;
use crate::user::{Page, Query, User};

const FIRST: &str = include_str!("../../sql/list_first.sql");
const PAGE: &str = include_str!("../../sql/list_page.sql");
const SEARCH: &str = include_str!("../../sql/search.sql");
const SEARCH_SHORT: &str = include_str!("../../sql/search_short.sql");

/// The number of characters from which the index can find a text.
const SHORTEST_INDEXED: usize = 3;

/// The total, and a user unless the page is empty.
type Row = (i64, Option<i64>, Option<String>, Option<String>);

/// Reads the first page of all users for many callers with one statement.
pub struct FirstPages {
    pool: Pool,
}

impl FirstPages {
    pub fn new(pool: Pool) -> Self {
        Self { pool }
    }
}

impl Together for FirstPages {
    /// The number of users on the page at most.
    type Input = i64;
    type Output = Page;

    async fn run(&self, limits: Vec<i64>) -> Vec<Result<Page, Error>> {
        let longest = limits.iter().copied().max().unwrap_or_default();
        let reading =
            self.pool.with(async |connection| sqlx::query_as(FIRST).bind(longest).fetch_all(connection).await);
        let Page { users, total } = match reading.await {
            Ok(rows) => page_of(rows),
            Err(failure) => return vec![Err(failure.logged()); limits.len()],
        };
        let users = |limit| users.iter().take(usize::try_from(limit).unwrap_or_default()).cloned().collect();
        limits.into_iter().map(|limit| Ok(Page { users: users(limit), total })).collect()
    }
}

/// A page of the users that match; the first page of all users is [`FirstPages`]'s.
pub async fn page(pool: &Pool, query: Query) -> Result<Page, Error> {
    let reading = pool.with(async |connection| {
        let (offset, limit) = (query.offset(), query.limit);
        let statement = match query.text.as_str() {
            "" => sqlx::query_as::<Postgres, Row>(PAGE).bind(offset),
            text if text.chars().count() < SHORTEST_INDEXED => sqlx::query_as(SEARCH_SHORT).bind(text).bind(offset),
            text => sqlx::query_as(SEARCH).bind(text).bind(offset),
        };
        statement.bind(limit).fetch_all(connection).await
    });
    reading.await.map(page_of).map_err(Failure::logged)
}

fn page_of(rows: Vec<Row>) -> Page {
    let total = rows.first().map_or(0, |(total, ..)| *total);
    let users = rows.into_iter().filter_map(|(_, id, name, email)| Some(User { id: id?, name: name?, email: email? }));
    Page { users: users.collect(), total }
}
