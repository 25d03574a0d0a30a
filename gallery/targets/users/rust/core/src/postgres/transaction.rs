//! One transaction for writes of many requests.

use std::collections::HashMap;

use sqlx::Connection;
use sqlx::postgres::PgConnection;

use crate::error::Error;
use crate::user::Change;

const CREATE: &str = include_str!("../../sql/create.sql");
const UPDATE: &str = include_str!("../../sql/update.sql");
const DELETE: &str = include_str!("../../sql/delete.sql");

/// A change that a caller waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Write {
    /// Of a new user.
    Create { name: String, email: String },
    /// Of a user.
    Update { id: i64, change: Change },
    /// That removes a user.
    Delete { id: i64 },
}

impl Write {
    /// The user that it touches, which a new one does not have yet.
    pub fn id(&self) -> Option<i64> {
        match self {
            Self::Create { .. } => None,
            Self::Update { id, .. } | Self::Delete { id } => Some(*id),
        }
    }
}

/// The index of each write, and the id of its user if it was stored.
pub type Stored = Vec<(usize, Result<i64, Error>)>;

/// Writes by kind, in an order in which concurrent transactions wait for each other without a deadlock.
#[derive(Default)]
struct Sorted<'a> {
    /// E-mail address, name and index.
    creates: Vec<(&'a str, &'a str, usize)>,
    updates: Vec<(i64, &'a Change, usize)>,
    deletes: Vec<(i64, usize)>,
}

impl<'a> Sorted<'a> {
    fn new(writes: &'a [Write], indices: &[usize]) -> Self {
        let mut sorted = Self::default();
        for &index in indices {
            match &writes[index] {
                Write::Create { name, email } => sorted.creates.push((email, name, index)),
                Write::Update { id, change } => sorted.updates.push((*id, change, index)),
                Write::Delete { id } => sorted.deletes.push((*id, index)),
            }
        }
        // Of several with one address the first one is stored.
        sorted.creates.sort_by_key(|(email, ..)| *email);
        sorted.updates.sort_unstable_by_key(|(id, ..)| *id);
        sorted.deletes.sort_unstable();
        sorted
    }

    /// Whether one statement stores all.
    fn is_of_one_kind(&self) -> bool {
        let kinds = [self.creates.is_empty(), self.updates.is_empty(), self.deletes.is_empty()];
        kinds.iter().filter(|is_empty| !**is_empty).count() == 1
    }
}

/// Stores writes, no two of them of one user. With an error nothing is stored, or nothing is known of it where the
/// connection was lost.
pub async fn run(connection: &mut PgConnection, writes: &[Write], indices: &[usize]) -> sqlx::Result<Stored> {
    let sorted = Sorted::new(writes, indices);
    // A statement outside of a transaction is its own transaction: no BEGIN, no COMMIT.
    if sorted.is_of_one_kind() {
        return store(connection, &sorted).await;
    }
    let mut transaction = connection.begin().await?;
    let stored = store(&mut transaction, &sorted).await?;
    transaction.commit().await?;
    Ok(stored)
}

async fn store(connection: &mut PgConnection, sorted: &Sorted<'_>) -> sqlx::Result<Stored> {
    let mut stored = create(connection, &sorted.creates).await?;
    stored.extend(update(connection, &sorted.updates).await?);
    stored.extend(delete(connection, &sorted.deletes).await?);
    Ok(stored)
}

async fn create(connection: &mut PgConnection, creates: &[(&str, &str, usize)]) -> sqlx::Result<Stored> {
    if creates.is_empty() {
        return Ok(Stored::new());
    }
    let (names, emails): (Vec<&str>, Vec<&str>) = creates.iter().map(|(email, name, _)| (*name, *email)).unzip();
    let rows: Vec<(i64, String)> = sqlx::query_as(CREATE).bind(names).bind(emails).fetch_all(connection).await?;
    let mut ids: HashMap<String, i64> = rows.into_iter().map(|(id, email)| (email, id)).collect();
    Ok(creates.iter().map(|(email, _, index)| (*index, ids.remove(*email).ok_or(Error::EmailTaken))).collect())
}

async fn update(connection: &mut PgConnection, updates: &[(i64, &Change, usize)]) -> sqlx::Result<Stored> {
    if updates.is_empty() {
        return Ok(Stored::new());
    }
    let ids: Vec<i64> = updates.iter().map(|(id, ..)| *id).collect();
    let names: Vec<Option<&str>> = updates.iter().map(|(_, change, _)| change.name.as_deref()).collect();
    let emails: Vec<Option<&str>> = updates.iter().map(|(_, change, _)| change.email.as_deref()).collect();
    let found = sqlx::query_scalar(UPDATE).bind(ids).bind(names).bind(emails).fetch_all(connection).await?;
    Ok(outcomes(updates.iter().map(|(id, _, index)| (*id, *index)), found))
}

async fn delete(connection: &mut PgConnection, deletes: &[(i64, usize)]) -> sqlx::Result<Stored> {
    if deletes.is_empty() {
        return Ok(Stored::new());
    }
    let ids: Vec<i64> = deletes.iter().map(|(id, _)| *id).collect();
    let found = sqlx::query_scalar(DELETE).bind(ids).fetch_all(connection).await?;
    Ok(outcomes(deletes.iter().copied(), found))
}

/// The outcome of each change, from the ids of the users that exist.
fn outcomes(changes: impl Iterator<Item = (i64, usize)>, mut found: Vec<i64>) -> Stored {
    found.sort_unstable();
    let outcome = |id: i64| found.binary_search(&id).map(|_| id).map_err(|_| Error::NotFound);
    changes.map(|(id, index)| (index, outcome(id))).collect()
}
