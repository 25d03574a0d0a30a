//! NATS: a service is a subject, and the servers that offer it form a queue group of it. NATS does not report a server
//! that ends in mid-call: the call's deadline ends it.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, HeaderMap, RequestErrorKind};
use futures_util::StreamExt;
use futures_util::stream::select_all;
use tokio::time::timeout;

use crate::error::CallError;
use crate::payload::{Payload, PayloadType};
use crate::services::{Services, answer};
use crate::{Bus, Call};

const GROUP: &str = "servers";
const FAILURE: &str = "Failure";

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
        Ok(Self { client: connected(url).await?, prefix: prefix.into(), outstanding: Cell::new(0) })
    }

    async fn request(&self, call: Call) -> Result<Payload, CallError> {
        let subject = format!("{}.{}", self.prefix, call.service);
        let request = self.client.request(subject, encoded(&call.payload).into());
        let reply = match timeout(call.deadline, request).await {
            Err(_) => return Err(CallError::Deadline),
            Ok(Err(error)) => return Err(error_of(&error)),
            Ok(Ok(reply)) => reply,
        };
        if let Some(failure) = reply.headers.as_ref().and_then(|headers| headers.get(FAILURE)) {
            return Err(CallError::Failed(failure.to_string()));
        }
        decoded(&reply.payload).ok_or_else(|| CallError::Protocol("the reply is no typed buffer".into()))
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

/// Counts a call until it is dropped, whether it was answered or given up.
struct Counted<'a>(&'a Cell<usize>);

impl<'a> Counted<'a> {
    fn one_of(count: &'a Cell<usize>) -> Self {
        count.set(count.get() + 1);
        Self(count)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
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
        let result = decoded(&message.payload).ok_or_else(|| "the call is no typed buffer".to_owned());
        let sent = match result.and_then(|payload| answer(&services, service, payload)) {
            Ok(payload) => client.publish(reply_to, encoded(&payload).into()).await,
            Err(failure) => {
                let mut headers = HeaderMap::new();
                headers.insert(FAILURE, failure.replace(['\r', '\n'], " ").as_str());
                client.publish_with_headers(reply_to, headers, Vec::new().into()).await
            }
        };
        sent.map_err(io::Error::other)?;
    }
    client.drain().await.map_err(io::Error::other)
}

async fn connected(url: &str) -> io::Result<Client> {
    let options = ConnectOptions::new()
        .retry_on_initial_connect() // Every call has a deadline of its own.
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

fn encoded(payload: &Payload) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(1 + payload.bytes.len());
    bytes.push(payload.payload_type as u8);
    bytes.extend_from_slice(&payload.bytes);
    bytes
}

fn decoded(bytes: &[u8]) -> Option<Payload> {
    let (number, rest) = bytes.split_first()?;
    Some(Payload { payload_type: PayloadType::from_number(*number)?, bytes: rest.to_vec() })
}
