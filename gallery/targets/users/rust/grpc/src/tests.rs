//! The services over real connections.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};
use tonic::codec::CompressionEncoding::Gzip;
use tonic::transport::Channel;
use tonic::{Code, Request};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use users_core::process::{self, BoxError};
use users_core::service::Service;
use users_core::shutdown::{Shutdown, Trigger};
use users_core::testing::{Fault, faulty, in_memory};

use crate::proto::user_service_client::UserServiceClient;
use crate::proto::{CreateUserRequest, GetUserRequest, ListUsersRequest};
use crate::server::serve;

struct Server {
    address: SocketAddr,
    trigger: Trigger,
    serving: JoinHandle<Result<(), BoxError>>,
}

impl Server {
    async fn start(service: Arc<Service>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let (trigger, shutdown) = Shutdown::new();
        let server = process::Server {
            listener,
            service,
            keepalive: true,
            limits: crate::TARGET.limits,
            reply_gzip: true,
            shutdown,
        };
        Self { address, trigger, serving: tokio::spawn(serve(server)) }
    }

    async fn channel(&self) -> Channel {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).expect("a URI");
        endpoint.connect().await.expect("listening")
    }

    async fn client(&self) -> UserServiceClient<Channel> {
        UserServiceClient::new(self.channel().await)
    }
}

fn ada(email: &str) -> CreateUserRequest {
    CreateUserRequest { name: "Ada Moreau".to_owned(), email: email.to_owned() }
}

#[tokio::test]
async fn a_user_is_stored_with_compression_and_without() {
    let server = Server::start(in_memory()).await;
    let mut plain = server.client().await;
    let mut compressed = server.client().await.send_compressed(Gzip).accept_compressed(Gzip);
    for (client, email) in [(&mut plain, "a@example.org"), (&mut compressed, "b@example.org")] {
        let id = client.create_user(ada(email)).await.expect("a valid user").into_inner().id;
        let user = client.get_user(GetUserRequest { id }).await.expect("it is stored").into_inner();
        assert_eq!((user.id, user.name.as_str(), user.email.as_str()), (id, "Ada Moreau", email));
    }
    let page = plain.list_users(ListUsersRequest::default()).await.expect("a page").into_inner();
    let pagination = page.pagination.expect("always there");
    assert_eq!((page.users.len(), pagination.total, pagination.limit, pagination.total_pages), (2, 2, 10, 1));
}

/// Each of 64 connections creates a user with the same address, all at once.
#[tokio::test(flavor = "multi_thread")]
async fn one_of_64_connections_gets_an_address() {
    let server = Server::start(in_memory()).await;
    let mut calls = JoinSet::new();
    let ready = Arc::new(tokio::sync::Barrier::new(64));
    for _ in 0..64 {
        let (mut client, ready) = (server.client().await, Arc::clone(&ready));
        calls.spawn(async move {
            ready.wait().await;
            client.create_user(ada("raced@example.org")).await.map_or_else(|status| status.code(), |_| Code::Ok)
        });
    }
    let codes = calls.join_all().await;
    assert_eq!(codes.iter().filter(|code| **code == Code::Ok).count(), 1);
    assert_eq!(codes.iter().filter(|code| **code == Code::AlreadyExists).count(), 63);
    let page = server.client().await.list_users(ListUsersRequest::default()).await.expect("a page");
    assert_eq!(page.into_inner().users.len(), 1);
}

#[tokio::test]
async fn a_deadline_that_passes_during_a_call() {
    let default = Duration::from_millis(20);
    let server = Server::start(faulty(Fault::Hangs, default)).await;
    let status = server.client().await.get_user(GetUserRequest { id: 1 }).await.expect_err("the store hangs");
    assert_eq!((status.code(), status.message()), (Code::DeadlineExceeded, "the deadline has passed"));
}

#[tokio::test]
async fn a_store_that_fails_is_unavailable_and_not_serving() {
    let server = Server::start(faulty(Fault::Unavailable, Duration::from_mins(1))).await;
    let status = server.client().await.create_user(ada("a@example.org")).await.expect_err("the store fails");
    assert_eq!((status.code(), status.message()), (Code::Unavailable, "the database is unavailable"));
    let mut health = HealthClient::new(server.channel().await);
    let reply = health.check(HealthCheckRequest::default()).await.expect("a reply").into_inner();
    assert_eq!(reply.status(), ServingStatus::NotServing);
}

#[tokio::test]
async fn the_id_of_a_request_returns_with_a_reply_and_with_an_error() {
    let server = Server::start(in_memory()).await;
    let mut client = server.client().await;
    let with_id = |id: i64| {
        let mut request = Request::new(GetUserRequest { id });
        request.metadata_mut().insert("x-request-id", "abc".parse().expect("a value"));
        request
    };
    client.create_user(ada("a@example.org")).await.expect("a valid user");
    let reply = client.get_user(with_id(1)).await.expect("it is stored");
    assert_eq!(reply.metadata().get("x-request-id").map(tonic::metadata::MetadataValue::as_bytes), Some(&b"abc"[..]));
    let status = client.get_user(with_id(2)).await.expect_err("there is none");
    assert_eq!(status.metadata().get("x-request-id").map(tonic::metadata::MetadataValue::as_bytes), Some(&b"abc"[..]));
}

#[tokio::test]
async fn stopping_ends_the_streams_of_watchers() {
    let server = Server::start(in_memory()).await;
    let mut health = HealthClient::new(server.channel().await);
    let mut changes = health.watch(HealthCheckRequest::default()).await.expect("a stream").into_inner();
    let first = changes.message().await.expect("a message").expect("the state");
    assert_eq!(first.status(), ServingStatus::Serving);
    server.trigger.fire();
    assert!(changes.message().await.expect("a regular end").is_none());
    server.serving.await.expect("no panic").expect("a regular end");
}
