use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tower::ServiceExt;
use users_core::service::Service;
use users_core::testing::{Fault, faulty, in_memory};

use super::router;

const ADA: &str = r#"{"name":"Ada Moreau","email":"ada@example.org"}"#;

fn api(service: Arc<Service>) -> Router {
    router(service, false).expect("a router")
}

fn request(method: Method, path: &str, body: impl Into<Body>) -> Request<Body> {
    Request::builder().method(method).uri(path).body(body.into()).expect("a request")
}

async fn send(api: &Router, request: Request<Body>) -> Response<Body> {
    api.clone().oneshot(request).await.unwrap_or_else(|never| match never {})
}

/// Status and body of the reply.
async fn json(api: &Router, request: Request<Body>) -> (u16, Value) {
    let reply = send(api, request).await;
    let status = reply.status().as_u16();
    let body = to_bytes(reply.into_body(), 1 << 20).await.expect("a body");
    (status, serde_json::from_slice(&body).expect("JSON"))
}

async fn get(api: &Router, path: &str) -> (u16, Value) {
    json(api, request(Method::GET, path, "")).await
}

async fn post(api: &Router, body: impl Into<Body>) -> (u16, Value) {
    json(api, request(Method::POST, "/v1/users", body)).await
}

#[tokio::test]
async fn a_user_from_its_creation_to_its_end() {
    let api = api(in_memory());
    assert_eq!(post(&api, ADA).await, (200, json!({"id": "1"})));
    let ada = json!({"id": "1", "name": "Ada Moreau", "email": "ada@example.org"});
    assert_eq!(get(&api, "/v1/users/1").await, (200, ada));
    let change = request(Method::PUT, "/v1/users/1", r#"{"id":7,"name":"Grace Silva"}"#);
    assert_eq!(json(&api, change).await, (200, json!({"id": "1"})));
    let grace = json!({"id": "1", "name": "Grace Silva", "email": "ada@example.org"});
    let pagination = json!({"total": "1", "page": "1", "limit": "10", "totalPages": "1"});
    let list = json!({"users": [grace], "pagination": pagination});
    assert_eq!(get(&api, "/v1/users?query=SILVA").await, (200, list));
    assert_eq!(json(&api, request(Method::DELETE, "/v1/users/1", "")).await, (200, json!({"id": "1"})));
    let none = json!({"code": 5, "message": "id: no such user", "details": []});
    assert_eq!(get(&api, "/v1/users/1").await, (404, none));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_408_and_one_that_breaks_off_400() {
    let api = api(in_memory());
    let incomplete = |code: u8| json!({"code": code, "message": "body: incomplete", "details": []});
    let part = || Body::from_stream(stream::iter([Ok::<_, Infallible>("{")]).chain(stream::pending()));
    assert_eq!(post(&api, part()).await, (408, incomplete(4)));
    let reply = send(&api, request(Method::POST, "/v1/users", part())).await;
    assert_eq!(reply.headers()["connection"], "close");
    let broken = stream::iter([Ok("{"), Err(std::io::Error::other("reset"))]);
    assert_eq!(post(&api, Body::from_stream(broken)).await, (400, incomplete(3)));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_64_requests_gets_an_address() {
    let api = api(in_memory());
    let mut requests = JoinSet::new();
    let ready = Arc::new(tokio::sync::Barrier::new(64));
    for _ in 0..64 {
        let (api, ready) = (api.clone(), Arc::clone(&ready));
        requests.spawn(async move {
            ready.wait().await;
            post(&api, ADA).await.0
        });
    }
    let statuses = requests.join_all().await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1);
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 63);
}

#[tokio::test]
async fn bodies_that_are_no_message() {
    let api = api(in_memory());
    for body in
        ["[]", r#"["Ada Moreau","ada@example.org"]"#, "5", "{", "{}x", r#"{"name":5}"#, r#"{"name":"a","name":"b"}"#]
    {
        let (status, reply) = post(&api, body).await;
        assert_eq!((status, &reply["code"], &reply["details"]), (400, &json!(3), &json!([])), "{body}");
    }
    let (status, reply) = post(&api, vec![0xff]).await;
    assert_eq!((status, &reply["code"]), (400, &json!(3)));
    // No body is an empty message.
    let empty = json!({"code": 3, "message": "name: must have 3 to 100 characters", "details": []});
    assert_eq!(post(&api, "").await, (400, empty));
}

#[tokio::test]
async fn a_body_above_the_limit() {
    let api = api(in_memory());
    let too_large = json!({"code": 8, "message": "body: larger than 1048576 bytes", "details": []});
    assert_eq!(post(&api, vec![b' '; (1 << 20) + 1]).await, (413, too_large));
    assert_eq!(post(&api, format!("{ADA}{}", " ".repeat((1 << 20) - ADA.len()))).await.0, 200);
}

#[tokio::test]
async fn deadlines() {
    let default = api(faulty(Fault::Hangs, Duration::from_millis(20)));
    let passed = json!({"code": 4, "message": "the deadline has passed", "details": []});
    assert_eq!(get(&default, "/v1/users/1").await, (504, passed.clone()));
    let slow = api(faulty(Fault::Hangs, Duration::from_mins(1)));
    let with_timeout = |value: &str| {
        let request = Request::builder().uri("/v1/users/1").header("grpc-timeout", value);
        request.body(Body::empty()).expect("a request")
    };
    assert_eq!(json(&slow, with_timeout("20m")).await, (504, passed));
    assert_eq!(json(&slow, with_timeout("soon")).await.0, 400);
}

#[tokio::test]
async fn a_store_that_fails_is_unavailable() {
    let api = api(faulty(Fault::Unavailable, Duration::from_mins(1)));
    let unavailable = json!({"code": 14, "message": "the database is unavailable", "details": []});
    assert_eq!(post(&api, ADA).await, (503, unavailable.clone()));
    assert_eq!(get(&api, "/healthz").await, (503, unavailable));
}

#[tokio::test]
async fn the_rate_is_limited() {
    let users = Arc::new(users_core::memory::Memory::default());
    let api = api(Arc::new(Service::new(users, Duration::from_mins(1), std::num::NonZeroU32::new(1))));
    assert_eq!(get(&api, "/v1/users/1").await.0, 404);
    let limited = json!({"code": 8, "message": "the limit of requests per second is reached", "details": []});
    assert_eq!(get(&api, "/v1/users/1").await, (429, limited));
}

#[tokio::test]
async fn large_requests_beyond_the_budget_are_refused_and_small_ones_served() {
    let users = Arc::new(users_core::memory::Memory::default());
    let api = api(Arc::new(Service::new(users, Duration::from_mins(1), None).with_intake(20_000)));
    let refused = json!({"code": 8, "message": "too many requests are waiting", "details": []});
    assert_eq!(post(&api, format!("{ADA}{}", " ".repeat(20_000))).await, (429, refused));
    assert_eq!(post(&api, format!("{ADA}{}", " ".repeat(19_000))).await.0, 200);
    assert_eq!(post(&api, ADA).await.0, 409);
}

#[tokio::test]
async fn requests_without_a_route() {
    let api = api(in_memory());
    assert_eq!(get(&api, "/v2/users").await, (404, json!({"code": 5, "message": "Not Found", "details": []})));
    let (status, reply) = json(&api, request(Method::PATCH, "/v1/users/1", "{}")).await;
    assert_eq!((status, &reply["code"]), (405, &json!(12)));
}

#[tokio::test]
async fn replies_are_compressed_where_it_is_set() {
    let accepting = || Request::builder().uri("/openapi.json").header("accept-encoding", "gzip");
    for (reply_gzip, encoding) in [(true, Some("gzip")), (false, None)] {
        let api = router(in_memory(), reply_gzip).expect("a router");
        let reply = send(&api, accepting().body(Body::empty()).expect("a request")).await;
        let sent = reply.headers().get("content-encoding").and_then(|value| value.to_str().ok());
        assert_eq!((reply.status().as_u16(), sent), (200, encoding));
    }
}

/// The page loads nothing from another server.
#[tokio::test]
async fn the_page_about_the_api() {
    let api = api(in_memory());
    let reply = send(&api, request(Method::GET, "/docs/", "")).await;
    let page = to_bytes(reply.into_body(), 1 << 20).await.expect("a body");
    let page = String::from_utf8(page.to_vec()).expect("text");
    assert!(page.contains("swagger-ui") && !page.contains("src=\"http"), "{page}");
    for file in ["swagger-ui-bundle.js", "swagger-ui.css"] {
        assert_eq!(send(&api, request(Method::GET, &format!("/docs/{file}"), "")).await.status().as_u16(), 200);
    }
}
