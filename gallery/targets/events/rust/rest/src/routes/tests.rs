use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Method, Request, Response, StatusCode};
use events_core::testing::CountingStorage;
use events_core::token::Token;
use futures_util::{FutureExt, StreamExt, stream};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::router;
use crate::TARGET;

struct Api {
    router: Router,
    storage: Arc<CountingStorage>,
}

impl Api {
    fn new() -> Self {
        Self::with_token(None)
    }

    fn with_token(token: Option<Token>) -> Self {
        Self::with(token, &[])
    }

    fn with(token: Option<Token>, settings: &[(&str, &str)]) -> Self {
        let storage = Arc::new(CountingStorage::default());
        Self { router: router(storage.writer(&TARGET, settings), token), storage }
    }

    async fn send(&self, request: Request<Body>) -> Reply {
        Reply(self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {}))
    }

    async fn post(&self, path: &str, body: impl Into<Body>) -> Reply {
        self.send(post(path).body(body.into()).expect("a request")).await
    }

    fn rows(&self) -> usize {
        self.storage.rows()
    }
}

struct Reply(Response<Body>);

impl Reply {
    fn header(&self, name: &str) -> Option<&str> {
        self.0.headers().get(name).and_then(|value| value.to_str().ok())
    }

    async fn json(self) -> (u16, Value) {
        let status = self.0.status().as_u16();
        assert_eq!(self.header("content-type"), Some("application/json"));
        let body = to_bytes(self.0.into_body(), 1 << 20).await.expect("a body");
        (status, serde_json::from_slice(&body).expect("JSON"))
    }
}

fn post(path: &str) -> axum::http::request::Builder {
    Request::post(path).header("content-type", "application/json")
}

fn event(id: &str) -> Value {
    json!({
        "eventHeader": {"uuid": "7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f", "eventName": "CarCreated"},
        "eventBody": {"entities": [{"entityType": "Car", "entityId": id, "updatedAttributes": {}}]},
    })
}

fn failure(message: &str) -> Value {
    json!({"success": false, "message": message})
}

const EVENTS: &str = "/api/v1/events";
const BULK: &str = "/api/v1/events/bulk";
const HEALTH: &str = "/api/v1/events/health";

#[tokio::test]
async fn an_event_is_stored() {
    let api = Api::new();
    let reply = api.post(EVENTS, event("1").to_string()).await.json().await;
    assert_eq!(reply, (200, json!({"success": true, "message": "Event processed successfully"})));
    assert_eq!(api.rows(), 1);
}

#[tokio::test]
async fn a_broken_rule_is_400() {
    let api = Api::new();
    assert_eq!(api.post(EVENTS, "{}").await.json().await, (400, failure("eventHeader: not set")));
    assert_eq!(api.post(EVENTS, "{").await.json().await, (400, failure("body: not valid JSON")));
    assert_eq!(api.post(EVENTS, "").await.json().await, (400, failure("body: not valid JSON")));
    assert_eq!(
        api.post(BULK, "{}").await.json().await,
        (400, failure("body: invalid type: map, expected a sequence at line 1 column 0"))
    );
    let none = failure("0 of 1 events processed; event 0: eventHeader: not set");
    assert_eq!(api.post(BULK, "[{}]").await.json().await, (400, none));
    assert_eq!(api.rows(), 0);
}

#[tokio::test]
async fn a_message_begins_with_the_path_of_the_field() {
    let api = Api::new();
    let with = |path: &str, value: Value| {
        let mut event = event("1");
        *event.pointer_mut(path).expect("a field") = value;
        event.to_string()
    };
    let entity = "/eventBody/entities/0";
    let text_0 = json!("a\u{0}");
    for (body, path) in [
        (with("/eventHeader/uuid", json!("7b0f1c9e")), "eventHeader.uuid"),
        (with("/eventHeader/uuid", json!(1)), "eventHeader.uuid"),
        (with("/eventHeader/eventName", json!("x".repeat(101))), "eventHeader.eventName"),
        (with("/eventHeader/eventName", text_0.clone()), "eventHeader.eventName"),
        (with("/eventBody/entities", json!([])), "eventBody.entities"),
        (with("/eventBody/entities", json!({})), "eventBody.entities"),
        (with("/eventBody", Value::Null), "eventBody"),
        (with(entity, Value::Null), "eventBody.entities[0]"),
        (with(&format!("{entity}/entityType"), json!("")), "eventBody.entities[0].entityType"),
        (with(&format!("{entity}/entityId"), json!("x".repeat(256))), "eventBody.entities[0].entityId"),
        (with(&format!("{entity}/updatedAttributes"), json!([])), "eventBody.entities[0].updatedAttributes"),
        (with(&format!("{entity}/updatedAttributes"), json!({"a": text_0})), "eventBody.entities[0].updatedAttributes"),
    ] {
        let (status, reply) = api.post(EVENTS, body).await.json().await;
        let message = reply["message"].as_str().expect("a message").to_owned();
        assert_eq!(status, 400, "{message}");
        assert!(message.starts_with(&format!("{path}: ")), "{path}: {message}");
    }
    assert_eq!(api.rows(), 0);
}

#[tokio::test]
async fn dates_are_timestamps_or_epoch_milliseconds() {
    let api = Api::new();
    for (date, status) in [
        (json!("2024-01-15T10:30:00Z"), 200),
        (json!(1_705_314_600_000_u64), 200),
        (json!("-1"), 200),
        (json!(""), 200),
        (Value::Null, 200),
        (json!("yesterday"), 400),
        (json!(1_000_000_000_000_000_u64), 400),
        (json!(1.5), 400),
        (json!({}), 400),
    ] {
        let mut event = event("1");
        event["eventHeader"]["createdDate"] = date.clone();
        let (actual, reply) = api.post(EVENTS, event.to_string()).await.json().await;
        assert_eq!(actual, status, "{date}: {reply}");
    }
}

#[tokio::test]
async fn a_full_queue_is_429() {
    let api = Api::with(None, &[("QUEUE_EVENTS", "1"), ("FLUSHERS", "1")]);
    api.storage.block();
    let router = api.router.clone();
    let request = post(EVENTS).body(Body::from(event("1").to_string())).expect("a request");
    let accepted = tokio::spawn(async move { router.oneshot(request).await.expect("infallible").status().as_u16() });
    api.storage.arrived().await;
    // One is being stored, and the next is queued.
    assert!(Box::pin(api.post(EVENTS, event("2").to_string())).now_or_never().is_none());
    let reply = api.post(EVENTS, event("3").to_string()).await;
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(reply.json().await, (429, failure("overloaded: the write queue is full, retry later")));
    api.storage.release();
    assert_eq!(accepted.await.expect("no panic"), 200);
}

#[tokio::test]
async fn a_bulk_reports_each_event() {
    let api = Api::new();
    let body = json!([event("1"), {}, event("2")]).to_string();
    let (status, mut reply) = api.post(BULK, body).await.json().await;
    let batch_id = reply["batchId"].take();
    assert_eq!(batch_id.as_str().map(str::len), Some(36));
    assert!(reply["processingTimeMs"].take().is_u64());
    assert_eq!(status, 200);
    assert_eq!(
        reply,
        json!({
            "success": false, "message": "2 of 3 events processed", "processedCount": 2, "failedCount": 1,
            "batchId": null, "processingTimeMs": null,
            "failures": [{"index": 1, "message": "eventHeader: not set"}],
        })
    );
    let (_, reply) = api.post(BULK, json!([event("1")]).to_string()).await.json().await;
    assert_eq!((&reply["success"], &reply["failures"]), (&json!(true), &json!([])));
}

#[tokio::test]
async fn other_media_types_are_415_before_anything_is_read() {
    let api = Api::new();
    for path in [EVENTS, BULK] {
        let plain = Request::post(path).header("content-type", "text/plain").body(Body::from("{"));
        let refused = failure("content-type: must be application/json");
        assert_eq!(api.send(plain.expect("a request")).await.json().await, (415, refused));
        let zipped = post(path).header("content-encoding", "gzip").body(Body::from("{"));
        let refused = failure("content-encoding: must be identity");
        assert_eq!(api.send(zipped.expect("a request")).await.json().await, (415, refused));
    }
}

#[tokio::test(start_paused = true)]
async fn a_body_that_does_not_arrive_is_408_and_one_that_breaks_off_400() {
    let api = Api::new();
    for path in [EVENTS, BULK] {
        let part = stream::iter([Ok::<_, Infallible>("{")]).chain(stream::pending());
        let reply = api.post(path, Body::from_stream(part)).await;
        assert_eq!(reply.header("connection"), Some("close"));
        assert_eq!(reply.json().await, (408, failure("body: incomplete")));
        let broken = stream::iter([Ok("{"), Err(std::io::Error::other("reset"))]);
        let reply = api.post(path, Body::from_stream(broken)).await;
        assert_eq!(reply.json().await, (400, failure("body: incomplete")));
    }
}

#[tokio::test]
async fn a_byte_too_many_is_413() {
    let api = Api::new();
    for (path, limit) in [(EVENTS, 1_048_576), (BULK, 16_777_216)] {
        let refused = failure("body: too large");
        assert_eq!(api.post(path, vec![b' '; limit + 1]).await.json().await, (413, refused));
        assert_eq!(api.post(path, vec![b' '; limit]).await.json().await, (400, failure("body: not valid JSON")));
    }
    let many = format!("[{}]", vec!["1"; 10_001].join(","));
    let refused = failure("events: must hold 1 to 10000 events");
    assert_eq!(api.post(BULK, many).await.json().await, (413, refused));
}

#[tokio::test]
async fn other_paths_are_404_and_other_methods_405() {
    let api = Api::new();
    for path in ["/", "/api/v1/event", "/api/v1/events/", "/api/v1/events/bulk/1"] {
        assert_eq!(api.post(path, "{}").await.json().await, (404, failure("path: not found")), "{path}");
    }
    for (method, path, allow) in [
        (Method::GET, EVENTS, "POST"),
        (Method::PUT, EVENTS, "POST"),
        (Method::DELETE, BULK, "POST"),
        (Method::POST, HEALTH, "GET,HEAD"),
    ] {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).expect("a request");
        let reply = api.send(request).await;
        assert_eq!(reply.header("allow"), Some(allow), "{path}");
        assert_eq!(reply.json().await, (405, failure("method: not allowed")));
    }
}

#[tokio::test(start_paused = true)]
async fn an_unavailable_database_is_503() {
    let api = Api::new();
    let health = || Request::get(HEALTH).body(Body::empty()).expect("a request");
    assert_eq!(api.send(health()).await.json().await, (200, json!({"healthy": true, "message": "OK"})));
    api.storage.set_unavailable(true);
    let unhealthy = json!({"healthy": false, "message": "database: unavailable"});
    assert_eq!(api.send(health()).await.json().await, (503, unhealthy));
    for (path, body) in [(EVENTS, event("1")), (BULK, json!([event("1")]))] {
        let reply = api.post(path, body.to_string()).await;
        assert_eq!(reply.0.status(), StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!(reply.header("retry-after"), Some("1"));
        assert_eq!(reply.json().await.1, failure("database: unavailable, retry later"));
    }
    api.storage.set_unavailable(false);
    assert_eq!(api.post(EVENTS, event("1").to_string()).await.json().await.0, 200);
}

#[tokio::test]
async fn without_the_token_only_health_is_answered() {
    let api = Api::with_token(Token::new("secret"));
    for wrong in [None, Some("Bearer wrong")] {
        for path in [EVENTS, BULK, "/nowhere"] {
            let mut request = post(path);
            if let Some(wrong) = wrong {
                request = request.header("authorization", wrong);
            }
            let reply = api.send(request.body(event("1").to_string().into()).expect("a request")).await;
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"));
            let message = "authorization: a valid bearer token is required";
            assert_eq!(reply.json().await, (401, failure(message)), "{wrong:?} {path}");
        }
    }
    assert_eq!(api.rows(), 0);
    let health = api.send(Request::get(HEALTH).body(Body::empty()).expect("a request")).await;
    assert_eq!(health.json().await.0, 200);
}

#[tokio::test]
async fn with_the_token_an_event_is_stored() {
    let api = Api::with_token(Token::new("secret"));
    let request = post(EVENTS).header("authorization", "Bearer secret").body(event("1").to_string().into());
    assert_eq!(api.send(request.expect("a request")).await.json().await.0, 200);
    assert_eq!(api.rows(), 1);
}

#[tokio::test]
async fn the_scheme_may_be_written_in_any_case_and_several_tokens_are_none() {
    let api = Api::with_token(Token::new("secret"));
    let send = async |tokens: &[&str]| {
        let mut request = post(EVENTS);
        for token in tokens {
            request = request.header("authorization", *token);
        }
        api.send(request.body(event("1").to_string().into()).expect("a request")).await.json().await.0
    };
    assert_eq!(send(&["bEARER secret"]).await, 200);
    for several in [["Bearer secret", "Bearer secret"], ["Bearer secret", "Bearer x"], ["Bearer x", "Bearer secret"]] {
        assert_eq!(send(&several).await, 401, "{several:?}");
    }
    assert_eq!(api.rows(), 1);
}

#[tokio::test]
async fn the_health_path_needs_no_token_whatever_the_method_and_no_other_path_goes_without() {
    let api = Api::with_token(Token::new("secret"));
    let send = async |method: Method, path: &str| {
        let request = Request::builder().method(method).uri(path).body(Body::empty()).expect("a request");
        api.send(request).await.0.status().as_u16()
    };
    for (method, status) in [(Method::GET, 200), (Method::HEAD, 200), (Method::POST, 405), (Method::DELETE, 405)] {
        assert_eq!(send(method.clone(), HEALTH).await, status, "{method}");
    }
    assert_eq!(send(Method::GET, "/api/v1/events/health?deep=1").await, 200);
    for path in ["/api/v1/events/health/", "/api/v1/events/HEALTH", "/api/v1/events/health/../bulk", "//"] {
        assert_eq!(send(Method::GET, path).await, 401, "{path}");
    }
}
