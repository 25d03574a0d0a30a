//! `StreamEvents`.

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Streaming};

use super::{EventRequest, EventResponse, Server, event, event_of_size, failed, processed};

/// Replies up to the end of the stream, and the status that ended it.
async fn rest(mut replies: Streaming<EventResponse>) -> (Vec<EventResponse>, Code, String) {
    let mut received = Vec::new();
    loop {
        match replies.message().await {
            Ok(Some(reply)) => received.push(reply),
            Ok(None) => return (received, Code::Ok, String::new()),
            Err(status) => return (received, status.code(), status.message().to_owned()),
        }
    }
}

async fn send_all(server: &Server, events: Vec<EventRequest>) -> (Vec<EventResponse>, Code, String) {
    let mut client = server.client().await;
    let replies = client.stream_events(tokio_stream::iter(events)).await.expect("a stream");
    rest(replies.into_inner()).await
}

#[tokio::test]
async fn replies_come_in_the_order_of_events_and_an_invalid_one_ends_nothing() {
    let server = Server::start().await;
    // More than the window of unanswered events.
    let events = (0..3_000).map(|number| if number % 3 == 1 { EventRequest::default() } else { event("1") }).collect();
    let (replies, code, _) = send_all(&server, events).await;
    let expected: Vec<_> =
        (0..3_000).map(|number| if number % 3 == 1 { failed("eventHeader: required") } else { processed() }).collect();
    assert_eq!((replies, code), (expected, Code::Ok));
}

#[tokio::test]
async fn an_event_is_answered_before_the_next_is_sent() {
    let server = Server::start().await;
    let (send, events) = mpsc::channel(1);
    let stream = server.client().await.stream_events(ReceiverStream::new(events)).await;
    let mut replies = stream.expect("a stream").into_inner();
    for _ in 0..3 {
        send.send(event("1")).await.expect("the stream is open");
        assert_eq!(replies.message().await.expect("a reply"), Some(processed()));
    }
    drop(send);
    assert_eq!(replies.message().await.expect("an end"), None);
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_the_stream_after_the_replies_before_it() {
    let server = Server::start().await;
    let (replies, code, message) = send_all(&server, vec![event("1"), event_of_size(1_048_577), event("2")]).await;
    assert_eq!(replies, [processed()]);
    assert_eq!((code, message.as_str()), (Code::ResourceExhausted, "body: larger than 1048576 bytes"));
    assert_eq!(server.rows(), 1);
}

#[tokio::test]
async fn an_unavailable_database_ends_the_stream() {
    let server = Server::start().await;
    server.disconnect();
    // Time is paused after the connection is established, which takes real time.
    let mut client = server.client().await;
    tokio::time::pause();
    let replies = client.stream_events(tokio_stream::iter([event("1"), event("2")])).await.expect("a stream");
    let (replies, code, message) = rest(replies.into_inner()).await;
    assert_eq!((replies.len(), code), (0, Code::Unavailable));
    assert_eq!(message, "database: unavailable, retry later");
}

#[tokio::test]
async fn shutdown_answers_what_was_accepted_and_ends_the_stream() {
    let server = Server::start().await;
    let (send, events) = mpsc::channel(1);
    let stream = server.client().await.stream_events(ReceiverStream::new(events)).await;
    let mut replies = stream.expect("a stream").into_inner();
    send.send(event("1")).await.expect("the stream is open");
    assert_eq!(replies.message().await.expect("a reply"), Some(processed()));
    server.trigger.fire();
    let (replies, code, _) = rest(replies).await;
    assert_eq!((replies.len(), code), (0, Code::Unavailable));
    server.serving.await.expect("no panic");
}
