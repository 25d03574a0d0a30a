use std::pin::pin;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::join_all;
use tokio::task::yield_now;

use super::GroupCommit;
use crate::commit::Committer;
use crate::error::{Error, ErrorKind};
use crate::fake::{FakeStorage, REFUSED, Statement, event, statement};
use crate::limits::QUEUED_BYTES;
use crate::model::{Entity, Event};
use crate::receipt::Receipt;

fn start(storage: &Arc<FakeStorage>, flushers: usize, bound: usize) -> GroupCommit {
    let committer = Arc::new(Committer::new(Arc::clone(storage) as Arc<_>));
    GroupCommit::start(&committer, flushers, bound)
}

fn submit(group: &GroupCommit, id: &str, data: &str) -> Receipt {
    group.submit(event(id, data)).expect("there is room")
}

async fn outcomes(receipts: impl IntoIterator<Item = Receipt>) -> Vec<Option<ErrorKind>> {
    let outcomes = join_all(receipts.into_iter().map(Receipt::outcome)).await;
    outcomes.into_iter().map(|outcome| outcome.err().map(|error| error.kind())).collect()
}

#[tokio::test]
async fn what_arrives_during_a_commit_is_the_next_batch() {
    let (storage, mut begun) = FakeStorage::blocked();
    let group = start(&storage, 1, 100);
    let first = submit(&group, "a", r#"{"x":1}"#);
    // A single event does not wait for others.
    assert_eq!(begun.recv().await, Some(statement(&[("a", r#"{"x":1}"#)])));

    let rest = [submit(&group, "c", "{}"), submit(&group, "b", r#"{"y":1}"#), submit(&group, "b", r#"{"y":2}"#)];
    assert!(begun.try_recv().is_err());
    storage.release(1);
    assert_eq!(first.outcome().await, Ok(()));
    assert_eq!(begun.recv().await, Some(statement(&[("b", r#"{"y":1,"y":2}"#), ("c", "{}")])));
    storage.release(1);
    assert_eq!(outcomes(rest).await, [None; 3]);
}

#[tokio::test]
async fn nothing_is_acknowledged_before_it_is_stored() {
    let (storage, mut begun) = FakeStorage::blocked();
    let group = start(&storage, 1, 100);
    let mut outcome = std::pin::pin!(submit(&group, "a", "{}").outcome());
    begun.recv().await;
    assert_eq!(outcome.as_mut().now_or_never(), None);
    storage.release(1);
    assert_eq!(outcome.await, Ok(()));
}

#[tokio::test]
async fn two_flushers_store_different_entities_concurrently() {
    let (storage, mut begun) = FakeStorage::blocked();
    let group = start(&storage, 2, 100);
    let receipts = [submit(&group, "a", "{}")];
    begun.recv().await;
    let others = [submit(&group, "b", "{}")];
    assert_eq!(begun.recv().await, Some(statement(&[("b", "{}")])));
    storage.release(2);
    assert_eq!(outcomes(receipts.into_iter().chain(others)).await, [None; 2]);
}

#[tokio::test]
async fn an_entity_of_a_batch_under_way_waits_for_it() {
    let (storage, mut begun) = FakeStorage::blocked();
    let group = start(&storage, 2, 100);
    let first = submit(&group, "a", r#"{"x":1}"#);
    begun.recv().await;
    let second = submit(&group, "a", r#"{"x":2}"#);
    let other = submit(&group, "b", "{}");
    // After one yield the idle flusher has found nothing that it may take.
    tokio::task::yield_now().await;
    assert!(begun.try_recv().is_err());
    storage.release(1);
    assert_eq!(first.outcome().await, Ok(()));
    assert_eq!(begun.recv().await, Some(statement(&[("a", r#"{"x":2}"#), ("b", "{}")])));
    storage.release(1);
    assert_eq!(outcomes([second, other]).await, [None; 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_order_of_arrival_holds_for_each_entity() {
    let (storage, _begun) = FakeStorage::free();
    let group = start(&storage, 8, 10_000);
    let mut receipts = Vec::new();
    for number in 0..5_000 {
        receipts.push(submit(&group, ["a", "b", "c", "d", "e"][number * 7 % 5], &format!(r#"{{"{number}":0}}"#)));
        // Now and then the flushers catch up, so that there are many batches.
        if number % 97 == 0 {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(outcomes(receipts).await, [None; 5_000]);
    for (id, history) in storage.history() {
        let numbers: Vec<u32> = history.split('"').filter_map(|part| part.parse().ok()).collect();
        assert_eq!(numbers.len(), 1_000, "{id}");
        assert!(numbers.is_sorted(), "{id}");
    }
}

#[tokio::test]
async fn a_refused_batch_is_halved_until_the_bad_event_is_alone() {
    let (storage, mut begun) = FakeStorage::blocked();
    let group = start(&storage, 1, 100);
    let first = submit(&group, "first", "{}");
    begun.recv().await;
    let both = Event::new(vec![Entity::new("Car", "e", "{}"), Entity::new("Car", REFUSED, "{}")]);
    let receipts = [
        submit(&group, "a", r#"{"x":1}"#),
        submit(&group, REFUSED, "{}"),
        submit(&group, "a", r#"{"x":2}"#),
        group.submit(both).expect("there is room"),
        submit(&group, "b", "{}"),
    ];
    storage.release(100);
    assert_eq!(first.outcome().await, Ok(()));
    let internal = Some(ErrorKind::Internal);
    assert_eq!(outcomes(receipts).await, [None, internal, None, internal, None]);
    // All of an event or nothing: "e" is not stored.
    let rows: Statement = storage.stored().concat();
    assert_eq!(rows, statement(&[("first", "{}"), ("a", r#"{"x":1}"#), ("a", r#"{"x":2}"#), ("b", "{}")]));
}

#[tokio::test]
async fn a_queue_is_full_of_bytes_too() {
    let (storage, mut begun) = FakeStorage::blocked();
    let group = start(&storage, 1, 100);
    let mut receipts = vec![submit(&group, "a", "{}")];
    begun.recv().await;
    receipts.push(submit(&group, "b", &" ".repeat(QUEUED_BYTES - 100)));
    let large = || event("c", &" ".repeat(100));
    assert_eq!(group.submit(large()).map(drop), Err(Error::overloaded()));
    storage.release(100);
    assert_eq!(outcomes(receipts).await, [None; 2]);
    assert_eq!(group.submit(large()).expect("there is room").outcome().await, Ok(()));
}

#[tokio::test]
async fn a_full_queue_refuses_and_recovers() {
    let (storage, mut begun) = FakeStorage::blocked();
    let group = start(&storage, 1, 3);
    let mut receipts = vec![submit(&group, "a", "{}")];
    begun.recv().await;
    receipts.extend([submit(&group, "b", "{}"), submit(&group, "c", "{}")]);
    // Two do not fit, and so neither of them is taken; one does.
    let two = vec![event("d", "{}"), event("e", "{}")];
    assert_eq!(group.submit_all(two).map(drop), Err(Error::overloaded()));
    receipts.push(submit(&group, "f", "{}"));
    assert_eq!(group.submit(event("g", "{}")).map(drop), Err(Error::overloaded()));

    let mut waiting = std::pin::pin!(group.submit_waiting(event("h", "{}")));
    assert!(waiting.as_mut().now_or_never().is_none());
    storage.release(100);
    receipts.push(waiting.await);
    assert_eq!(outcomes(receipts).await, [None; 5]);
    let ids: Vec<String> = storage.stored().concat().into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, ["a", "b", "c", "f", "h"]);
}

#[tokio::test]
async fn an_empty_queue_takes_a_bulk_above_its_bound() {
    let (storage, _begun) = FakeStorage::free();
    let group = start(&storage, 1, 3);
    let events = (0..10).map(|id| event(&id.to_string(), "{}")).collect();
    assert_eq!(outcomes(group.submit_all(events).expect("the queue is empty")).await, [None; 10]);
}

#[tokio::test]
async fn a_batch_has_no_more_rows_and_bytes_than_the_caps() {
    let large = format!(r#"{{"a":"{}"}}"#, "x".repeat(3 << 20));
    let many = |count: usize| Event::new(vec![Entity::new("Car", "m", "{}"); count]);
    for (events, sizes) in [
        ((0..2_500).map(|id| event(&format!("{id:04}"), "{}")).collect(), vec![1_000, 1_000, 500]),
        (vec![event("a", &large), event("b", &large), event("c", "{}")], vec![1, 2]),
        (vec![many(600), many(401), many(600)], vec![1, 1, 1]),
    ] {
        let (storage, mut begun) = FakeStorage::blocked();
        let group = start(&storage, 1, 10_000);
        let first = submit(&group, "first", "{}");
        begun.recv().await;
        let receipts = group.submit_all(events).expect("there is room");
        storage.release(100);
        assert_eq!(first.outcome().await, Ok(()));
        assert!(outcomes(receipts).await.iter().all(Option::is_none));
        assert_eq!(storage.stored()[1..].iter().map(Vec::len).collect::<Vec<_>>(), sizes);
    }
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_database_fails_queued_events() {
    let (storage, _begun) = FakeStorage::free();
    let group = start(&storage, 2, 100);
    storage.disconnect();
    let receipts = [submit(&group, "a", "{}"), submit(&group, "b", "{}")];
    assert_eq!(outcomes(receipts).await, [Some(ErrorKind::Unavailable); 2]);
}

#[tokio::test]
async fn draining_stores_what_was_accepted_and_ends_every_flusher() {
    for flushers in [1, 2, 8] {
        let (storage, mut begun) = FakeStorage::blocked();
        let group = start(&storage, flushers, 10_000);
        let mut receipts = vec![submit(&group, "a", "{}")];
        begun.recv().await;
        receipts.extend((0..3_000).map(|id| submit(&group, ["a", "b", "c"][id % 3], "{}")));
        storage.release(100);
        group.drain().await;
        assert_eq!(outcomes(receipts).await, [None; 3_001]);
    }
}

#[tokio::test(start_paused = true)]
async fn when_the_retry_timeout_expires_queued_events_fail_at_once() {
    let (storage, _begun) = FakeStorage::free();
    storage.disconnect();
    let group = start(&storage, 1, 2);
    let first = submit(&group, "a", "{}");
    // The flusher takes it and starts to retry.
    yield_now().await;
    let waiting = [submit(&group, "b", "{}"), submit(&group, "c", "{}")];
    let mut stream = pin!(group.submit_waiting(event("d", "{}")));
    assert!(stream.as_mut().now_or_never().is_none());
    assert_eq!(first.outcome().await, Err(Error::unavailable()));
    assert_eq!(outcomes(waiting).await, [Some(ErrorKind::Unavailable); 2]);
    assert!(stream.now_or_never().is_some());
}
