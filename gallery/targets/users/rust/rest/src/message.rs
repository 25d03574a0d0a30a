//! Requests and replies as protobuf's JSON mapping has them: 64-bit integers are texts in replies.

use serde::{Deserialize, Serialize, Serializer};
use users_core::user::{self, Page, Query};

/// The body of a create. `null` is an absent field.
#[derive(Deserialize)]
pub struct NewUser {
    name: Option<String>,
    email: Option<String>,
}

impl NewUser {
    /// Name and e-mail address; absent ones are empty.
    pub fn into_parts(self) -> (String, String) {
        (self.name.unwrap_or_default(), self.email.unwrap_or_default())
    }
}

/// The body of an update. The path says which user it is about: an id in the body is ignored.
#[derive(Deserialize)]
pub struct Change {
    name: Option<String>,
    email: Option<String>,
}

impl From<Change> for user::Change {
    fn from(Change { name, email }: Change) -> Self {
        Self { name, email }
    }
}

/// The parameters of a list.
#[derive(Deserialize)]
pub struct ListParameters {
    #[serde(default)]
    pub query: String,
    pub page: Option<i64>,
    pub limit: Option<i64>,
}

/// The reply to a change.
#[derive(Serialize)]
pub struct Id {
    #[serde(serialize_with = "as_text")]
    pub id: i64,
}

/// A user.
#[derive(Serialize)]
pub struct User {
    #[serde(serialize_with = "as_text")]
    id: i64,
    name: String,
    email: String,
}

impl From<user::User> for User {
    fn from(user::User { id, name, email }: user::User) -> Self {
        Self { id, name, email }
    }
}

/// The reply to a list.
#[derive(Serialize)]
pub struct List {
    users: Vec<User>,
    pagination: Pagination,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Pagination {
    #[serde(serialize_with = "as_text")]
    total: i64,
    #[serde(serialize_with = "as_text")]
    page: i64,
    #[serde(serialize_with = "as_text")]
    limit: i64,
    #[serde(serialize_with = "as_text")]
    total_pages: i64,
}

impl From<(Query, Page)> for List {
    fn from((query, page): (Query, Page)) -> Self {
        let pagination = Pagination {
            total: page.total,
            page: query.page,
            limit: query.limit,
            total_pages: query.pages(page.total),
        };
        Self { users: page.users.into_iter().map(User::from).collect(), pagination }
    }
}

/// The reply to a health check.
#[derive(Serialize)]
pub struct Health {
    pub status: &'static str,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn as_text<S: Serializer>(number: &i64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(number)
}
