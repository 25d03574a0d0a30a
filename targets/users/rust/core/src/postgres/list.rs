//! Pages of users.

use sqlx::Postgres;

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

/// A page of the users that match.
pub async fn page(pool: &Pool, query: Query) -> Result<Page, Error> {
    let reading = pool.with(async |connection| {
        let (offset, limit) = (query.offset(), query.limit);
        let statement = match query.text.as_str() {
            "" if offset == 0 => sqlx::query_as::<Postgres, Row>(FIRST),
            "" => sqlx::query_as(PAGE).bind(offset),
            text if text.chars().count() < SHORTEST_INDEXED => sqlx::query_as(SEARCH_SHORT).bind(text).bind(offset),
            text => sqlx::query_as(SEARCH).bind(text).bind(offset),
        };
        statement.bind(limit).fetch_all(connection).await
    });
    let rows = reading.await.map_err(Failure::logged)?;
    let total = rows.first().map_or(0, |(total, ..)| *total);
    let users = rows.into_iter().filter_map(|(_, id, name, email)| Some(User { id: id?, name: name?, email: email? }));
    Ok(Page { users: users.collect(), total })
}
