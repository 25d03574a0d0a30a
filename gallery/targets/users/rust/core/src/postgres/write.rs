//! Writes of concurrent requests.

use std::collections::HashSet;

use super::gather::Together;
use super::pool::{Failure, Pool};
use super::transaction::{self, Write};
use crate::error::Error;

/// Stores writes together.
pub struct Writes {
    pool: Pool,
}

impl Writes {
    pub fn new(pool: Pool) -> Self {
        Self { pool }
    }

    /// Stores writes in one transaction. If one of them is refused, each gets its own transaction.
    async fn store(&self, writes: &[Write], indices: &[usize], outcomes: &mut [Result<i64, Error>]) {
        let Err(failure) = self.try_store(writes, indices, outcomes).await else { return };
        if indices.len() == 1 || !failure.concerns_one() {
            return fail(indices, failure, outcomes);
        }
        for alone in indices.chunks(1) {
            if let Err(failure) = self.try_store(writes, alone, outcomes).await {
                fail(alone, failure, outcomes);
            }
        }
    }

    async fn try_store(
        &self,
        writes: &[Write],
        indices: &[usize],
        outcomes: &mut [Result<i64, Error>],
    ) -> Result<(), Failure> {
        let stored = self.pool.with(async |connection| transaction::run(connection, writes, indices).await).await?;
        for (index, outcome) in stored {
            outcomes[index] = outcome;
        }
        Ok(())
    }
}

fn fail(indices: &[usize], failure: Failure, outcomes: &mut [Result<i64, Error>]) {
    let error = failure.logged();
    for index in indices {
        outcomes[*index] = Err(error.clone());
    }
}

impl Together for Writes {
    type Input = Write;
    /// The id of the user.
    type Output = i64;

    async fn run(&self, writes: Vec<Write>) -> Vec<Result<i64, Error>> {
        let mut outcomes = vec![Err(Error::Internal); writes.len()];
        let mut left: Vec<usize> = (0..writes.len()).collect();
        while !left.is_empty() {
            let (together, later) = without_repeated_users(&writes, left);
            self.store(&writes, &together, &mut outcomes).await;
            left = later;
        }
        outcomes
    }
}

/// Divides writes into the first of each user, and the others: one statement changes a row once.
fn without_repeated_users(writes: &[Write], indices: Vec<usize>) -> (Vec<usize>, Vec<usize>) {
    let mut touched = HashSet::new();
    indices.into_iter().partition(|index| writes[*index].id().is_none_or(|id| touched.insert(id)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user::Change;

    #[test]
    fn writes_of_one_user_follow_each_other() {
        let create = || Write::Create { name: "Ada".to_owned(), email: "a@b".to_owned() };
        let update = |id| Write::Update { id, change: Change::default() };
        let writes = [create(), update(1), Write::Delete { id: 1 }, create(), update(2), update(1)];
        let (first, later) = without_repeated_users(&writes, (0..writes.len()).collect());
        assert_eq!((&first[..], &later[..]), (&[0, 1, 3, 4][..], &[2, 5][..]));
        assert_eq!(without_repeated_users(&writes, later), (vec![2], vec![5]));
    }
}
