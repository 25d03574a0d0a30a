use std::sync::Arc;

use super::Writer;
use crate::error::{Error, ErrorKind};
use crate::fake::{FakeStorage, REFUSED, event, statement};
use crate::limits::QUEUED_BYTES;
use crate::model::Event;
use crate::settings::{Limits, Settings, Target};

const TARGET: Target = Target {
    name: "test",
    module: "test",
    port_variable: "PORT",
    default_port: 0,
    protocols: &[],
    limits: Limits::NONE,
};

const MODES: [&str; 2] = ["group-commit", "per-request"];

fn start(storage: &Arc<FakeStorage>, mode: &str, queue_events: &str) -> Writer {
    let settings = Settings::read(&TARGET, |name| match name {
        "WRITE_MODE" => Some(mode.to_owned()),
        "QUEUE_EVENTS" => Some(queue_events.to_owned()),
        _ => None,
    });
    Writer::start(Arc::clone(storage) as Arc<_>, &settings.expect("usable settings"))
}

fn invalid() -> Result<Event, Error> {
    Err(Error::invalid("eventHeader: required"))
}

#[tokio::test]
async fn both_modes_store_the_same() {
    for mode in MODES {
        let (storage, _begun) = FakeStorage::free();
        let writer = start(&storage, mode, "100");
        assert_eq!(writer.store(event("a", r#"{"x":1}"#)).await, Ok(()));
        let bulk = vec![Ok(event("b", "{}")), Ok(event("a", r#"{"x":2}"#)), Ok(event("b", r#"{"y":1}"#))];
        assert_eq!(writer.store_bulk(bulk).await.map(|report| report.processed), Ok(3));
        assert_eq!(writer.accept(event("c", "{}")).await.outcome().await, Ok(()));
        writer.drain().await;
        let stored = storage.stored();
        assert_eq!(stored[0], statement(&[("a", r#"{"x":1}"#)]), "{mode}");
        assert_eq!(stored[1], statement(&[("a", r#"{"x":2}"#), ("b", r#"{"y":1}"#)]), "{mode}");
        assert_eq!(stored[2], statement(&[("c", "{}")]), "{mode}");
    }
}

#[tokio::test]
async fn a_bulk_reports_each_event() {
    for mode in MODES {
        let (storage, _begun) = FakeStorage::free();
        let bulk = vec![invalid(), Ok(event("a", "{}")), Ok(event(REFUSED, "{}")), Ok(event("b", "{}")), invalid()];
        let report = start(&storage, mode, "100").store_bulk(bulk).await.expect("some are valid");
        let failures: Vec<_> =
            report.failures.iter().map(|failure| (failure.index, failure.message.as_str())).collect();
        assert_eq!(failures, [(0, "eventHeader: required"), (2, "internal error"), (4, "eventHeader: required")]);
        assert_eq!((report.success(), report.processed), (false, 2), "{mode}");
        assert_eq!(report.message(), "2 of 5 events processed");
        assert!(uuid::Uuid::parse_str(&report.batch_id).is_ok());
    }
}

#[tokio::test]
async fn a_bulk_without_a_valid_event_is_invalid() {
    let (storage, _begun) = FakeStorage::free();
    let error = start(&storage, "group-commit", "100").store_bulk(vec![invalid(), invalid()]).await;
    let message = "0 of 2 events processed; event 0: eventHeader: required";
    assert_eq!(error, Err(Error::invalid(message)));
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_database_is_reported() {
    for mode in MODES {
        let (storage, _begun) = FakeStorage::free();
        let writer = start(&storage, mode, "100");
        assert!(writer.is_healthy().await);
        storage.disconnect();
        assert!(!writer.is_healthy().await);
        assert_eq!(writer.store(event("a", "{}")).await, Err(Error::unavailable()), "{mode}");
        let bulk = vec![invalid(), Ok(event("a", "{}"))];
        assert_eq!(writer.store_bulk(bulk).await, Err(Error::unavailable()), "{mode}");
        assert_eq!(writer.accept(event("a", "{}")).await.outcome().await, Err(Error::unavailable()), "{mode}");
    }
}

#[tokio::test]
async fn too_many_requests_are_refused_in_both_modes() {
    for mode in MODES {
        let (storage, mut begun) = FakeStorage::blocked();
        let writer = Arc::new(start(&storage, mode, "1"));
        let store = |id: &'static str| {
            let writer = Arc::clone(&writer);
            tokio::spawn(async move { writer.store(event(id, "{}")).await })
        };
        let mut accepted = vec![store("a")];
        begun.recv().await;
        if mode == "group-commit" {
            // The bound applies to queued events: two flushers store one each, and one is queued.
            accepted.push(store("b"));
            begun.recv().await;
            accepted.push(store("c"));
            tokio::task::yield_now().await;
        }
        assert_eq!(writer.store(event("z", "{}")).await.map_err(|error| error.kind()), Err(ErrorKind::Overloaded));
        storage.release(3);
        for request in accepted {
            assert_eq!(request.await.expect("no panic"), Ok(()));
        }
    }
}

#[tokio::test]
async fn too_many_bytes_are_refused_per_request() {
    let (storage, mut begun) = FakeStorage::blocked();
    let writer = Arc::new(start(&storage, "per-request", "100"));
    let large = tokio::spawn({
        let writer = Arc::clone(&writer);
        async move { writer.store(event("a", &" ".repeat(QUEUED_BYTES - 100))).await }
    });
    begun.recv().await;
    assert_eq!(writer.store(event("b", &" ".repeat(100))).await, Err(Error::overloaded()));
    storage.release(2);
    assert_eq!(large.await.expect("no panic"), Ok(()));
    assert_eq!(writer.store(event("b", &" ".repeat(100))).await, Ok(()));
}

#[tokio::test]
async fn a_client_that_disconnects_aborts_no_transaction() {
    for mode in MODES {
        let (storage, mut begun) = FakeStorage::blocked();
        let writer = Arc::new(start(&storage, mode, "1"));
        let client = tokio::spawn({
            let writer = Arc::clone(&writer);
            async move { writer.store(event("a", "{}")).await }
        });
        begun.recv().await;
        client.abort();
        assert!(client.await.expect_err("it was aborted").is_cancelled());
        storage.release(2);
        // Room is released when the transaction has ended, not when the client disconnects.
        assert_eq!(writer.accept(event("b", "{}")).await.outcome().await, Ok(()));
        assert_eq!(storage.stored(), [statement(&[("a", "{}")]), statement(&[("b", "{}")])], "{mode}");
    }
}
