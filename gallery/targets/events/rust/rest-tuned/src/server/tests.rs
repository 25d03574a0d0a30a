use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::{get, post};
use events_core::intake::Intake;
use events_core::shutdown::{Shutdown, Trigger};
use events_tuned::connections;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, mpsc};
use tokio::task::JoinHandle;

use super::Http;
use crate::body;

type Serving = JoinHandle<()>;

async fn start(router: Router) -> (TcpStream, Trigger, Serving) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("bound");
    let (trigger, shutdown) = Shutdown::new();
    let serving = tokio::spawn(connections::serve(listener, None, Http::new(router, crate::TARGET.limits), shutdown));
    (TcpStream::connect(address).await.expect("listening"), trigger, serving)
}

/// Reads until the server closes the connection.
async fn read_to_end(client: &mut TcpStream) -> String {
    let mut reply = String::new();
    client.read_to_string(&mut reply).await.expect("closed, not reset");
    reply
}

#[tokio::test]
async fn shutdown_answers_what_was_accepted_and_closes_what_is_idle() {
    let (begun, mut has_begun) = mpsc::unbounded_channel();
    let finish = Arc::new(Notify::new());
    let may_finish = Arc::clone(&finish);
    let slow = async move || {
        begun.send(()).expect("awaited");
        may_finish.notified().await;
        "late"
    };
    let router = Router::new().route("/", get(slow));
    let (mut busy, trigger, serving) = start(router).await;
    let mut idle = TcpStream::connect(busy.peer_addr().expect("connected")).await.expect("listening");
    busy.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n").await.expect("sent");
    has_begun.recv().await.expect("the request arrived");

    trigger.fire();
    assert_eq!(read_to_end(&mut idle).await, "");
    finish.notify_one();
    assert!(read_to_end(&mut busy).await.ends_with("late"));
    serving.await.expect("no panic");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_finishes_its_head_is_disconnected() {
    let (mut client, _trigger, _serving) = start(Router::new()).await;
    client.write_all(b"GET / HTTP/1.1\r\nhos").await.expect("sent");
    assert!(tokio::time::timeout(Duration::from_mins(10), read_to_end(&mut client)).await.is_ok());
}

#[tokio::test]
async fn a_client_that_sends_too_much_reads_why() {
    let router = Router::new().route(
        "/",
        post(async |request: axum::extract::Request| {
            let (head, sent) = request.into_parts();
            match body::read(&head.headers, sent, 1_000, &mut Intake::new(0).charge()).await {
                Ok(_) => StatusCode::OK,
                Err(_) => StatusCode::PAYLOAD_TOO_LARGE,
            }
        }),
    );
    let length = format!("content-length: {}\r\n\r\n", 4 << 20);
    for head in [&length, "transfer-encoding: chunked\r\n\r\n400000\r\n"] {
        let (mut client, _trigger, _serving) = start(router.clone()).await;
        client.write_all(b"POST / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n").await.expect("sent");
        client.write_all(head.as_bytes()).await.expect("sent");
        client.write_all(&vec![b' '; 4 << 20]).await.expect("taken to the last byte");
        client.write_all(b"\r\n0\r\n\r\n").await.ok();
        assert!(read_to_end(&mut client).await.starts_with("HTTP/1.1 413"), "{head}");
    }
}
