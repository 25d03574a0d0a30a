//! The services over a real connection, with a fake database.

mod calls;
mod framing;
mod standard_services;
mod streams;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use events_core::connections::{self, Listener};
use events_core::process::AppState;
use events_core::rows::Rows;
use events_core::settings::Settings;
use events_core::shutdown::{Shutdown, Trigger};
use events_core::storage::{Answer, Storage, StorageError};
use events_core::token::Token;
use events_core::writer::Writer;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tonic::transport::Channel;

use crate::TARGET;
use crate::server::Http2;
use crate::services::Services;

/// The client's generated code.
mod client {
    #![allow(missing_docs, clippy::pedantic, reason = "generated code")]
    include!(concat!(env!("OUT_DIR"), "/client/com.example.grpc.rs"));
}

use client::event_service_client::EventServiceClient;
use client::{EntityUpdate, EventBody, EventHeader, EventRequest, EventResponse};

/// Counts rows; can be made unavailable.
#[derive(Default)]
struct CountingStorage {
    rows: AtomicUsize,
    unavailable: AtomicBool,
}

impl CountingStorage {
    fn answer(&self) -> Result<(), StorageError> {
        if self.unavailable.load(Ordering::Relaxed) {
            Err(StorageError::Unavailable("connection refused".to_owned()))
        } else {
            Ok(())
        }
    }
}

impl Storage for CountingStorage {
    fn store<'a>(&'a self, rows: &'a Rows<'a>) -> Answer<'a> {
        Box::pin(async {
            self.answer()?;
            self.rows.fetch_add(rows.len(), Ordering::Relaxed);
            Ok(())
        })
    }

    fn check(&self) -> Answer<'_> {
        Box::pin(async { self.answer() })
    }
}

/// A server on a free port.
struct Server {
    address: SocketAddr,
    storage: Arc<CountingStorage>,
    trigger: Trigger,
    serving: JoinHandle<()>,
}

impl Server {
    async fn start() -> Self {
        Self::start_with(None).await
    }

    async fn start_with(token: Option<Token>) -> Self {
        let storage = Arc::new(CountingStorage::default());
        let settings = Settings::read(&TARGET, |_| None).expect("defaults are usable");
        let writer = Arc::new(Writer::start(Arc::clone(&storage) as Arc<_>, &settings));
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (trigger, shutdown) = Shutdown::new();
        let state = AppState { writer, token, shutdown: shutdown.clone() };
        let protocol = Http2::new(Services::new(&state).expect("the descriptors are valid"));
        let serving = tokio::spawn(connections::serve(Listener { tcp: listener, tls: None }, protocol, shutdown));
        Self { address, storage, trigger, serving }
    }

    async fn channel(&self) -> Channel {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).expect("a URI");
        endpoint.connect().await.expect("listening")
    }

    async fn client(&self) -> EventServiceClient<Channel> {
        EventServiceClient::new(self.channel().await)
    }

    fn rows(&self) -> usize {
        self.storage.rows.load(Ordering::Relaxed)
    }

    fn disconnect(&self) {
        self.storage.unavailable.store(true, Ordering::Relaxed);
    }
}

fn event(id: &str) -> EventRequest {
    let header = EventHeader {
        uuid: "7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f".to_owned(),
        event_name: "CarCreated".to_owned(),
        ..EventHeader::default()
    };
    let entity =
        EntityUpdate { entity_type: "Car".to_owned(), entity_id: id.to_owned(), updated_attributes: HashMap::new() };
    EventRequest { event_header: Some(header), event_body: Some(EventBody { entities: vec![entity] }) }
}

/// An event whose message has so many bytes.
fn event_of_size(bytes: usize) -> EventRequest {
    use prost::Message;
    let mut event = event("1");
    let name = |length: usize| "x".repeat(length);
    if let Some(header) = &mut event.event_header {
        header.event_name = name(bytes / 2);
    }
    let more = bytes - event.encoded_len();
    if let Some(header) = &mut event.event_header {
        header.event_name.push_str(&name(more));
    }
    assert_eq!(event.encoded_len(), bytes);
    event
}

fn processed() -> EventResponse {
    EventResponse { success: true, message: "Event processed successfully".to_owned() }
}

fn failed(message: &str) -> EventResponse {
    EventResponse { success: false, message: message.to_owned() }
}
