//! Users by id.

use std::collections::HashMap;

use super::gather::Together;
use super::pool::Pool;
use crate::error::Error;
use crate::user::User;

const GET: &str = include_str!("../../sql/get.sql");

/// Reads users with one statement.
pub struct Reads {
    pool: Pool,
}

impl Reads {
    pub fn new(pool: Pool) -> Self {
        Self { pool }
    }
}

impl Together for Reads {
    type Input = i64;
    type Output = User;

    async fn run(&self, ids: Vec<i64>) -> Vec<Result<User, Error>> {
        let reading = self.pool.with(async |connection| {
            sqlx::query_as::<_, (i64, String, String)>(GET).bind(&ids[..]).fetch_all(connection).await
        });
        let rows = match reading.await {
            Ok(rows) => rows,
            Err(failure) => return vec![Err(failure.logged()); ids.len()],
        };
        let users = rows.into_iter().map(|(id, name, email)| (id, User { id, name, email }));
        let users: HashMap<i64, User> = users.collect();
        ids.iter().map(|id| users.get(id).cloned().ok_or(Error::NotFound)).collect()
    }
}
