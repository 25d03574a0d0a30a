//! `grpc.health.v1` and reflection, by their own clients.

use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;
use tonic_reflection::pb::v1::ServerReflectionRequest;
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

use super::Server;

fn of(service: &str) -> HealthCheckRequest {
    HealthCheckRequest { service: service.to_owned() }
}

#[tokio::test]
async fn health_of_each_service() {
    let server = Server::start().await;
    let mut client = HealthClient::new(server.channel().await);
    for expected in [ServingStatus::Serving, ServingStatus::NotServing] {
        for service in ["", "com.example.grpc.EventService"] {
            let reply = client.check(of(service)).await.expect("a known service");
            assert_eq!(reply.into_inner().status(), expected);
        }
        server.disconnect();
    }
    let unknown = client.check(of("other")).await.expect_err("an unknown service");
    assert_eq!(unknown.code(), Code::NotFound);
}

#[tokio::test]
async fn a_watcher_is_notified_of_changes_until_shutdown() {
    let server = Server::start().await;
    let mut client = HealthClient::new(server.channel().await);
    let mut updates = client.watch(of("")).await.expect("a known service").into_inner();
    let mut unknown = client.watch(of("other")).await.expect("a stream").into_inner();
    let first = updates.message().await.expect("an update").map(|reply| reply.status());
    assert_eq!(first, Some(ServingStatus::Serving));
    server.disconnect();
    let second = updates.message().await.expect("an update").map(|reply| reply.status());
    assert_eq!(second, Some(ServingStatus::NotServing));
    let of_unknown = unknown.message().await.expect("an update").map(|reply| reply.status());
    assert_eq!(of_unknown, Some(ServingStatus::ServiceUnknown));

    server.trigger.fire();
    assert_eq!(updates.message().await.expect("an end"), None);
    assert_eq!(unknown.message().await.expect("an end"), None);
    server.serving.await.expect("no panic");
}

#[tokio::test]
async fn reflection_shows_the_services() {
    let server = Server::start().await;
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let mut client = ServerReflectionClient::new(server.channel().await);
    let replies = client.server_reflection_info(tokio_stream::once(request)).await.expect("a stream");
    let reply = replies.into_inner().message().await.expect("a reply").and_then(|reply| reply.message_response);
    let Some(MessageResponse::ListServicesResponse(list)) = reply else {
        unreachable!("expected a list, got {reply:?}");
    };
    let mut names: Vec<_> = list.service.into_iter().map(|service| service.name).collect();
    names.sort();
    let expected = ["com.example.grpc.EventService", "grpc.health.v1.Health", "grpc.reflection.v1.ServerReflection"];
    assert_eq!(names, expected);
}

#[tokio::test]
async fn clients_of_v1alpha_get_the_file_of_the_service() {
    use tonic_reflection::pb::v1alpha::ServerReflectionRequest;
    use tonic_reflection::pb::v1alpha::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1alpha::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1alpha::server_reflection_response::MessageResponse;

    let server = Server::start().await;
    let symbol = "com.example.grpc.EventService".to_owned();
    let request = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::FileContainingSymbol(symbol)),
    };
    let mut client = ServerReflectionClient::new(server.channel().await);
    let replies = client.server_reflection_info(tokio_stream::once(request)).await.expect("a stream");
    let reply = replies.into_inner().message().await.expect("a reply").and_then(|reply| reply.message_response);
    assert!(matches!(reply, Some(MessageResponse::FileDescriptorResponse(_))), "{reply:?}");
}
