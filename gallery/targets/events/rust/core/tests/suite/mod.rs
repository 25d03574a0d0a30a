//! Tests with PostgreSQL: `TEST_DATABASE_URL`, with a user that may create databases.
//! Each test has its own database, so that tests can run in parallel.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use super::Postgres;
use events_core::error::{Error, ErrorKind};
use events_core::model::{Entity, Event};
use events_core::settings::{Limits, Settings, Target};
use events_core::storage::{Database as _, StorageError};
use events_core::writer::Writer;
use futures_util::future::join_all;
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, Row};

const TARGET: Target = Target {
    name: "events-test",
    module: "events_test",
    port_variable: "PORT",
    default_port: 0,
    protocols: &[],
    limits: Limits::NONE,
};

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
        let database = Self { name: format!("events_test_{test}_{}", std::process::id()), server };
        database.administer("CREATE DATABASE {}").await;
        Some(database)
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
        self.cut().await;
    }

    async fn open(&self) {
        self.administer("ALTER DATABASE {} ALLOW_CONNECTIONS true").await;
    }

    /// Ends all connections, as a restart does.
    async fn cut(&self) {
        self.administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'").await;
    }

    fn options(&self) -> PgConnectOptions {
        self.server.clone().database(&self.name)
    }

    async fn connect(&self) -> PgConnection {
        PgConnection::connect_with(&self.options()).await.expect("the database is there")
    }

    async fn execute(&self, statement: &'static str) {
        self.connect().await.execute(statement).await.expect("a statement");
    }

    /// The stored rows: (type, id) → document.
    async fn stored(&self) -> BTreeMap<(String, String), String> {
        let query = "SELECT entity_type, id, data::text FROM car_entities";
        let rows = self.connect().await.fetch_all(query).await.expect("the table is there");
        rows.iter().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect()
    }

    async fn writer(&self, settings: &[(&str, &str)]) -> Writer {
        let settings = Settings::read(&TARGET, |name| {
            settings.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        });
        let settings = settings.expect("usable settings");
        let storage = Postgres::new(&self.options(), settings.pool_size);
        storage.prepare().await.expect("the table can be made");
        Writer::start(Arc::new(storage), &settings)
    }
}

const MODES: [&str; 2] = ["group-commit", "per-request"];

fn event(updates: &[(&str, &str)]) -> Event {
    Event::new(updates.iter().map(|(id, data)| Entity::new("Car", id, data)).collect())
}

fn documents(rows: &[(&str, &str)]) -> BTreeMap<(String, String), String> {
    rows.iter().map(|(id, data)| (("Car".to_owned(), (*id).to_owned()), (*data).to_owned())).collect()
}

#[tokio::test]
async fn updates_are_merged_shallowly_and_the_last_write_wins() {
    for mode in MODES {
        let Some(database) = Database::create(&format!("merge_{}", mode.len())).await else {
            return;
        };
        let writer = database.writer(&[("WRITE_MODE", mode)]).await;
        for updates in [
            &[("a", r#"{"x": 0.10, "y": {"p": 1}, "z": 12345678901234567890}"#), ("b", "{}")][..],
            &[("a", r#"{"y":{"q":2},"n":null}"#), ("a", r#"{"n":null,"x":1,"x":2}"#), ("c", r#"{"é":"\u00e9"}"#)],
        ] {
            assert_eq!(writer.store(event(updates)).await, Ok(()));
        }
        let expected = [
            ("a", r#"{"n": null, "x": 2, "y": {"q": 2}, "z": 12345678901234567890}"#),
            ("b", "{}"),
            ("c", r#"{"é": "é"}"#),
        ];
        assert_eq!(database.stored().await, documents(&expected), "{mode}");
        writer.drain().await;
        database.drop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn both_modes_store_the_same_and_the_order_of_each_client_holds() {
    let mut states = Vec::new();
    for (number, settings) in [
        [("WRITE_MODE", "group-commit"), ("FLUSHERS", "1")],
        [("WRITE_MODE", "group-commit"), ("FLUSHERS", "8")],
        [("WRITE_MODE", "per-request"), ("DB_POOL_SIZE", "8")],
    ]
    .into_iter()
    .enumerate()
    {
        let Some(database) = Database::create(&format!("order_{number}")).await else {
            return;
        };
        let writer = Arc::new(database.writer(&settings).await);
        // Each client updates its own entities, each update after the reply to the one before.
        let clients = (0..16).map(|client| {
            let writer = Arc::clone(&writer);
            tokio::spawn(async move {
                for round in 0..30 {
                    let (own, other) = (format!("{client}-{}", round % 3), format!("{client}-{}", (round + 1) % 3));
                    let data = format!(r#"{{"last":{round},"{}":{round}}}"#, round % 7);
                    let outcome = writer.store(event(&[(&own, &data), (&other, &data), (&own, "{}")])).await;
                    assert_eq!(outcome, Ok(()));
                }
            })
        });
        for client in join_all(clients).await {
            client.expect("no client panics");
        }
        let stored = database.stored().await;
        assert!(stored[&("Car".to_owned(), "7-0".to_owned())].contains(r#""last": 29"#));
        states.push(stored);
        writer.drain().await;
        database.drop().await;
    }
    assert_eq!(states[0].len(), 48);
    assert!(states.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test]
async fn a_stream_and_a_bulk_take_effect_in_their_order() {
    for mode in MODES {
        let Some(database) = Database::create(&format!("stream_{}", mode.len())).await else {
            return;
        };
        let writer = database.writer(&[("WRITE_MODE", mode), ("FLUSHERS", "8")]).await;
        let update = |number: usize| event(&[("a", &format!(r#"{{"n":{number}}}"#)), (&number.to_string(), "{}")]);
        let mut receipts = Vec::new();
        for number in 0..500 {
            receipts.push(writer.accept(update(number)).await);
        }
        for receipt in receipts {
            assert_eq!(receipt.outcome().await, Ok(()));
        }
        assert_eq!(database.stored().await[&("Car".to_owned(), "a".to_owned())], r#"{"n": 499}"#, "{mode}");
        let report = writer.store_bulk((500..4_000).map(|number| Ok(update(number))).collect()).await;
        assert_eq!(report.map(|report| report.processed), Ok(3_500));
        assert_eq!(database.stored().await[&("Car".to_owned(), "a".to_owned())], r#"{"n": 3999}"#, "{mode}");
        writer.drain().await;
        database.drop().await;
    }
}

#[tokio::test]
async fn an_event_that_the_database_refuses_fails_alone_and_as_a_whole() {
    for mode in MODES {
        let Some(database) = Database::create(&format!("refuse_{}", mode.len())).await else {
            return;
        };
        let writer = database.writer(&[("WRITE_MODE", mode)]).await;
        database.execute("ALTER TABLE car_entities ADD CHECK (id <> 'bad')").await;
        let bulk = vec![
            Ok(event(&[("a", r#"{"x":1}"#)])),
            Ok(event(&[("part", "{}"), ("bad", "{}"), ("a", r#"{"x":2}"#)])),
            Err(Error::invalid("eventHeader: required")),
            Ok(event(&[("b", "{}")])),
        ];
        let report = writer.store_bulk(bulk).await.expect("some are valid");
        let failed: Vec<_> = report.failures.iter().map(|failure| (failure.index, &failure.message[..])).collect();
        assert_eq!(failed, [(1, "internal error"), (2, "eventHeader: required")], "{mode}");
        assert_eq!(database.stored().await, documents(&[("a", r#"{"x": 1}"#), ("b", "{}")]), "{mode}");
        let alone = writer.store(event(&[("bad", "{}")])).await;
        assert_eq!(alone.map_err(|error| error.kind()), Err(ErrorKind::Internal));
        writer.drain().await;
        database.drop().await;
    }
}

#[tokio::test]
async fn no_acknowledged_event_is_lost_when_connections_break() {
    for mode in MODES {
        let Some(database) = Database::create(&format!("cut_{}", mode.len())).await else {
            return;
        };
        let writer = database.writer(&[("WRITE_MODE", mode), ("DB_POOL_SIZE", "4")]).await;
        let clients = (0..8).map(async |client| {
            for number in 0..100 {
                let id = format!("{client}-{number}");
                assert_eq!(writer.store(event(&[(&id, r#"{"x":1}"#)])).await, Ok(()));
                if client == 0 && number % 5 == 0 {
                    database.cut().await;
                }
            }
        });
        join_all(clients).await;
        assert_eq!(database.stored().await.len(), 800, "{mode}");
        writer.drain().await;
        database.drop().await;
    }
}

#[tokio::test]
async fn an_outage_is_noticed_and_recovery_is_automatic() {
    for mode in MODES {
        let Some(database) = Database::create(&format!("away_{}", mode.len())).await else {
            return;
        };
        let writer = Arc::new(database.writer(&[("WRITE_MODE", mode)]).await);
        assert_eq!(writer.store(event(&[("a", "{}")])).await, Ok(()));
        database.shut().await;
        assert!(!writer.is_healthy().await, "{mode}");
        let waiting = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.store(event(&[("b", "{}")])).await }
        });
        tokio::task::yield_now().await;
        database.open().await;
        assert_eq!(waiting.await.expect("no panic"), Ok(()), "{mode}");
        assert!(writer.is_healthy().await, "{mode}");
        assert_eq!(database.stored().await.len(), 2, "{mode}");
        writer.drain().await;
        database.drop().await;
    }
}

/// The table cannot be read or written until this is dropped.
async fn lock_table(database: &Database) -> PgConnection {
    let mut connection = database.connect().await;
    connection.execute("BEGIN; LOCK TABLE car_entities").await.expect("no other lock");
    connection
}

async fn hang(mode: &str) {
    let Some(database) = Database::create(&format!("hang_{}", mode.len())).await else {
        return;
    };
    let writer = database.writer(&[("WRITE_MODE", mode), ("FLUSHERS", "1"), ("DB_POOL_SIZE", "1")]).await;
    let lock = lock_table(&database).await;
    // The one on the only connection, and those that wait for it.
    let answers = join_all(["a", "b", "c"].map(|id| writer.store(event(&[(id, "{}")])))).await;
    assert_eq!(answers, vec![Err(Error::unavailable()); 3], "{mode}");
    drop(lock);
    assert_eq!(writer.store(event(&[("d", "{}")])).await, Ok(()), "{mode}");
    assert_eq!(database.stored().await, documents(&[("d", "{}")]), "{mode}");
    writer.drain().await;
    database.drop().await;
}

#[tokio::test]
async fn a_statement_that_hangs_is_ended_and_stores_nothing_later() {
    // At once, for it takes as long as a statement may.
    join_all(MODES.map(hang)).await;
}

#[tokio::test]
async fn several_targets_can_start_at_once() {
    let Some(database) = Database::create("start").await else {
        return;
    };
    let targets: Vec<_> = (0..8).map(|_| Postgres::new(&database.options(), 1)).collect();
    // A slow machine may not connect in time: as at the start of a process, only a refusal is an error.
    let prepare = async |target: &Postgres| loop {
        match target.prepare().await {
            Err(StorageError::Unavailable(_)) => {}
            answer => return answer,
        }
    };
    for prepared in join_all(targets.iter().map(prepare)).await {
        assert_eq!(prepared, Ok(()));
    }
    database.drop().await;
}
