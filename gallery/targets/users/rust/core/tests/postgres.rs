//! The suite of repositories with PostgreSQL, and what happens when it fails: `TEST_DATABASE_URL`, with a user that may
//! create databases. Each test has its own database, so that tests can run in parallel.

mod suite;

use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};
use tokio::time::timeout;
use users_core::error::Error;
use users_core::postgres::{Options, Postgres};
use users_core::repository::Repository;
use users_core::user::{Change, Query};

/// Longer than any recovery takes.
const RECOVERY: Duration = Duration::from_mins(1);

/// The database of one test.
struct Database {
    name: String,
    server: PgConnectOptions,
}

impl Database {
    /// `None` where `TEST_DATABASE_URL` is `none`. Without it the test fails: a test that did nothing must not pass
    /// unnoticed.
    async fn create(test: &str) -> Option<Self> {
        let url = std::env::var("TEST_DATABASE_URL")
            .expect("TEST_DATABASE_URL names a PostgreSQL to test against, or is `none` to leave these tests out");
        if url == "none" {
            eprintln!("left out: TEST_DATABASE_URL is none");
            return None;
        }
        let server = PgConnectOptions::from_str(&url).expect("TEST_DATABASE_URL is a URL");
        let database = Self { name: format!("users_test_{test}_{}", std::process::id()), server };
        database.administer("CREATE DATABASE {}").await;
        Some(database)
    }

    async fn open(&self, per_request: bool) -> Arc<Postgres> {
        let database = self.server.clone().database(&self.name);
        let options = Options { database, connections: 8, per_request, flushers: 3, queue: 10_000 };
        Arc::new(Postgres::open(&options).await.expect("the database can be used"))
    }

    async fn drop(self) {
        self.administer("DROP DATABASE {} WITH (FORCE)").await;
    }

    async fn administer(&self, statement: &str) {
        let mut connection = self.server.connect().await.expect("the server is there");
        let statement = AssertSqlSafe(statement.replace("{}", &self.name));
        connection.execute(sqlx::raw_sql(statement)).await.expect("the user may administer");
    }

    /// Ends all connections and refuses new ones.
    async fn shut(&self) {
        self.administer("ALTER DATABASE {} ALLOW_CONNECTIONS false").await;
        self.administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'").await;
    }

    async fn reopen(&self) {
        self.administer("ALTER DATABASE {} ALLOW_CONNECTIONS true").await;
    }

    async fn connect(&self) -> PgConnection {
        PgConnection::connect_with(&self.server.clone().database(&self.name)).await.expect("the database is there")
    }
}

async fn create(users: &dyn Repository, email: &str) -> Result<i64, Error> {
    users.create("Ada Moreau".to_owned(), email.to_owned()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn shared_transactions() {
    let Some(database) = Database::create("shared").await else { return };
    suite::run(database.open(false).await).await;
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn transactions_of_their_own() {
    let Some(database) = Database::create("own").await else { return };
    suite::run(database.open(true).await).await;
    database.drop().await;
}

/// Writes of all kinds that share transactions: those that are refused do not fail their neighbours.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_write_fails_alone() {
    let Some(database) = Database::create("alone").await else { return };
    let users = database.open(false).await;
    let taken = create(&*users, "taken@example.org").await.expect("a free address");
    let mut ids = Vec::new();
    for number in 0..20 {
        ids.push(create(&*users, &format!("old-{number}@example.org")).await.expect("a free address"));
    }
    let mut calls = Vec::new();
    for (number, id) in ids.into_iter().enumerate() {
        let users = Arc::clone(&users);
        calls.push(tokio::spawn(async move {
            let email = if number == 7 { "taken@example.org".to_owned() } else { format!("new-{number}@example.org") };
            let updating = users.update(id, Change { name: None, email: Some(email) });
            let email = if number == 9 { "taken@example.org".to_owned() } else { format!("more-{number}@example.org") };
            let creating = create(&*users, &email);
            let (updated, created, deleted) = tokio::join!(updating, creating, users.delete(i64::MAX));
            assert_eq!(updated, if number == 7 { Err(Error::EmailTaken) } else { Ok(()) });
            assert_eq!(created.is_ok(), number != 9);
            assert_eq!(deleted, Err(Error::NotFound));
        }));
    }
    join_all(calls).await.into_iter().for_each(|call| call.expect("no panic"));
    let page = users.list(Query { text: String::new(), page: 1, limit: 100 }).await.expect("a page");
    assert_eq!((page.total, page.users[0].id), (40, taken));
    database.drop().await;
}

/// The plan that connections keep for statements, of a table of 2,000 users.
#[tokio::test(flavor = "multi_thread")]
async fn a_plan_for_any_ids_uses_the_index() {
    let Some(database) = Database::create("plans").await else { return };
    let _users = database.open(false).await;
    let mut connection = database.connect().await;
    let fill = "INSERT INTO users (name, email) SELECT 'Ada', 'ada-' || n FROM generate_series(1, 2000) n";
    for statement in [fill, "ANALYZE users"] {
        connection.execute(sqlx::raw_sql(statement)).await.expect("the table is there");
    }
    let statements =
        [include_str!("../sql/get.sql"), include_str!("../sql/update.sql"), include_str!("../sql/delete.sql")];
    for statement in statements {
        let explain = AssertSqlSafe(format!("EXPLAIN (GENERIC_PLAN) {statement}"));
        let rows = connection.fetch_all(sqlx::raw_sql(explain)).await.expect("PostgreSQL 16 or newer");
        let plan: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        assert!(!plan.iter().any(|line| line.contains("Seq Scan on users")), "{plan:#?}");
    }
    database.drop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_ends_by_itself() {
    let Some(database) = Database::create("outage").await else { return };
    for (per_request, email) in [(false, "shared@example.org"), (true, "own@example.org")] {
        let users = database.open(per_request).await;
        let id = create(&*users, email).await.expect("a free address");
        database.shut().await;
        assert_eq!(create(&*users, "during@example.org").await, Err(Error::Unavailable));
        assert_eq!(users.get(id).await.map(drop), Err(Error::Unavailable));
        assert_eq!(users.check().await, Err(Error::Unavailable));
        database.reopen().await;
        // Connections of before the outage may fail once more, each.
        timeout(RECOVERY, async { while users.check().await.is_err() {} }).await.expect("it recovers by itself");
        timeout(RECOVERY, async { while users.get(id).await.is_err() {} }).await.expect("it recovers by itself");
        assert_eq!(users.get(id).await.map(|user| user.email), Ok(email.to_owned()));
    }
    database.drop().await;
}

/// A call that is given up while its statement waits leaves the connection usable for others.
#[tokio::test(flavor = "multi_thread")]
async fn calls_that_are_given_up() {
    let Some(database) = Database::create("given_up").await else { return };
    for per_request in [false, true] {
        let users = database.open(per_request).await;
        let mut blocker = database.connect().await;
        let mut locked = blocker.begin().await.expect("a transaction");
        locked.execute("LOCK TABLE users").await.expect("a lock");
        for number in 0..20 {
            let email = format!("given-up-{number}@example.org");
            let given_up = timeout(Duration::from_millis(20), create(&*users, &email)).await;
            assert!(given_up.is_err(), "the table is locked");
        }
        locked.rollback().await.expect("unlocked");
        let id = create(&*users, &format!("after-{per_request}@example.org")).await.expect("a free address");
        assert_eq!(users.get(id).await.map(|user| user.id), Ok(id));
    }
    database.drop().await;
}

/// Requests accepted before closing are stored and acknowledged.
#[tokio::test(flavor = "multi_thread")]
async fn closing_completes_what_was_accepted() {
    let Some(database) = Database::create("closing").await else { return };
    let users = database.open(false).await;
    // Calls are accepted when they are polled for the first time, before the last future of the list is.
    let emails: Vec<String> = (0..100).map(|number| format!("closing-{number}@example.org")).collect();
    let calls = join_all(emails.iter().map(|email| create(&*users, email)));
    let (outcomes, ()) = tokio::join!(calls, users.close());
    assert!(outcomes.iter().all(Result::is_ok), "{outcomes:?}");
    let counting = sqlx::query_scalar("SELECT count(*) FROM users");
    let count: i64 = counting.fetch_one(&mut database.connect().await).await.expect("a count");
    assert_eq!(count, 100);
    database.drop().await;
}
