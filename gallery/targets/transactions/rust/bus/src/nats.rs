//! NATS: a service is a subject, and the servers that offer it form a queue group of it. NATS does not report a server
//! that ends in mid-call: the call's deadline ends it.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::time::Duration;

use async_nats::connection::State;
use async_nats::{Client, ConnectOptions, HeaderMap, PublishError, RequestErrorKind, Subject};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use tokio::time::{Instant, sleep, timeout};
use tracing::warn;

use crate::counted::Counted;
use crate::error::CallError;
use crate::payload::Payload;
use crate::services::{Services, answer};
use crate::{Bus, Call};

const GROUP: &str = "servers";
const FAILURE: &str = "Failure";
/// How long a new client is given to connect before calls fail instead of waiting.
const CONNECTS_WITHIN: Duration = Duration::from_millis(500);

/// A connection to a NATS server; it connects again by itself.
#[derive(Debug)]
pub struct NatsBus {
    client: Client,
    prefix: String,
    outstanding: Cell<usize>,
}

impl NatsBus {
    /// Connects to a server such as `nats://127.0.0.1:4222`, now or when it is there. Subjects start with `prefix`.
    pub async fn connect(url: &str, prefix: &str) -> io::Result<Self> {
        let client = connected(url).await?;
        let until = Instant::now() + CONNECTS_WITHIN;
        while client.connection_state() == State::Pending && Instant::now() < until {
            sleep(Duration::from_millis(1)).await;
        }
        Ok(Self { client, prefix: prefix.into(), outstanding: Cell::new(0) })
    }

    async fn request(&self, call: Call) -> Result<Payload, CallError> {
        // The client would keep the call and send it when the server is back, perhaps long after its deadline.
        if self.client.connection_state() != State::Connected {
            return Err(CallError::Unavailable);
        }
        let subject = format!("{}.{}", self.prefix, call.service);
        let request = self.client.request(subject, call.payload.to_tagged().into());
        let reply = match timeout(call.deadline, request).await {
            Err(_) => return Err(CallError::Deadline),
            Ok(Err(error)) => return Err(error_of(&error)),
            Ok(Ok(reply)) => reply,
        };
        if let Some(failure) = reply.headers.as_ref().and_then(|headers| headers.get(FAILURE)) {
            return Err(CallError::Failed(failure.to_string()));
        }
        Payload::from_tagged(&reply.payload).ok_or_else(|| CallError::Protocol("the reply is no typed buffer".into()))
    }
}

impl Bus for NatsBus {
    async fn call(&self, call: Call) -> Result<Payload, CallError> {
        let _counted = Counted::one_of(&self.outstanding);
        self.request(call).await
    }

    fn outstanding(&self) -> usize {
        self.outstanding.get()
    }
}

/// Answers calls, one at a time, until `stop`; then the calls that have arrived are answered.
pub async fn serve(url: &str, prefix: &str, services: impl Services, stop: impl Future<Output = ()>) -> io::Result<()> {
    let client = connected(url).await?;
    let mut subscriptions = Vec::new();
    for name in services.names() {
        let subscribed = client.queue_subscribe(format!("{prefix}.{name}"), GROUP.into()).await;
        subscriptions.push(subscribed.map_err(io::Error::other)?);
    }
    let mut calls = select_all(subscriptions);
    let mut stop = std::pin::pin!(stop);
    loop {
        let message = tokio::select! {
            () = &mut stop => break,
            message = calls.next() => message,
        };
        let Some(message) = message else { return Err(io::Error::other("the subscriptions ended")) };
        let Some(reply_to) = message.reply else { continue };
        let service = message.subject.rsplit('.').next().unwrap_or_default();
        let result = Payload::from_tagged(&message.payload).ok_or_else(|| "the call is no typed buffer".to_owned());
        let result = result.and_then(|payload| answer(&services, service, payload));
        if let Err(error) = reply(&client, reply_to.clone(), &result).await {
            // Such as a reply that is larger than the NATS server takes; the caller need not wait for its deadline.
            warn!(%error, service, "a reply could not be sent");
            reply(&client, reply_to, &Err(error.to_string())).await.map_err(io::Error::other)?;
        }
    }
    client.drain().await.map_err(io::Error::other)
}

async fn reply(client: &Client, to: Subject, result: &Result<Payload, String>) -> Result<(), PublishError> {
    match result {
        Ok(payload) => client.publish(to, payload.to_tagged().into()).await,
        Err(failure) => {
            let mut headers = HeaderMap::new();
            headers.insert(FAILURE, failure.replace(['\r', '\n'], " ").as_str());
            client.publish_with_headers(to, headers, Vec::new().into()).await
        }
    }
}

async fn connected(url: &str) -> io::Result<Client> {
    let options = ConnectOptions::new()
        .retry_on_initial_connect() // Every call has its own deadline.
        .request_timeout(Some(Duration::from_hours(1)));
    options.connect(url).await.map_err(io::Error::other)
}

fn error_of(error: &async_nats::RequestError) -> CallError {
    match error.kind() {
        RequestErrorKind::NoResponders => CallError::Unavailable,
        RequestErrorKind::TimedOut => CallError::Deadline,
        _ => CallError::Protocol(error.to_string()),
    }
}
