use std::net::SocketAddr;
use std::sync::Arc;

use events_core::error::BoxError;
use events_core::process::Server;
use events_core::shutdown::{Shutdown, Trigger};
use events_core::testing::CountingStorage;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::serve;
use crate::TARGET;

const EVENT: &str = r#"{"eventHeader": {"uuid": "7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f", "eventName": "CarCreated"},
    "eventBody": {"entities": [{"entityType": "Car", "entityId": "1", "updatedAttributes": {}}]}}"#;

struct Running {
    address: SocketAddr,
    storage: Arc<CountingStorage>,
    trigger: Trigger,
    serving: JoinHandle<Result<(), BoxError>>,
}

impl Running {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let storage = Arc::new(CountingStorage::default());
        let (trigger, shutdown) = Shutdown::new();
        let writer = storage.writer(&TARGET, &[]);
        let serving =
            tokio::spawn(serve(Server { listener, tls: None, writer, token: None, limits: TARGET.limits, shutdown }));
        Self { address, storage, trigger, serving }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.expect("listening")
    }
}

async fn send_event(client: &mut TcpStream) {
    let head = "POST /api/v1/events HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n";
    let request = format!("{head}content-length: {}\r\n\r\n{EVENT}", EVENT.len());
    client.write_all(request.as_bytes()).await.expect("sent");
}

/// Reads until the server closes the connection.
async fn read_to_end(client: &mut TcpStream) -> String {
    let mut reply = String::new();
    client.read_to_string(&mut reply).await.expect("closed, not reset");
    reply
}

#[tokio::test]
async fn shutdown_answers_what_was_accepted_and_closes_what_is_idle() {
    let running = Running::start().await;
    running.storage.block();
    let (mut busy, mut idle) = (running.connect().await, running.connect().await);
    idle.write_all(b"GET /api/v1/events/health HTTP/1.1\r\nhost: h\r\n\r\n").await.expect("sent");
    idle.read_exact(&mut [0; 15]).await.expect("a reply");
    send_event(&mut busy).await;
    running.storage.arrived().await;

    running.trigger.fire();
    assert!(read_to_end(&mut idle).await.ends_with(r#"{"healthy":true,"message":"OK"}"#));
    running.storage.release();
    let reply = read_to_end(&mut busy).await;
    assert!(reply.starts_with("HTTP/1.1 200 OK\r\n"), "{reply}");
    running.serving.await.expect("no panic").expect("no error");
    assert_eq!(running.storage.rows(), 1);
}
