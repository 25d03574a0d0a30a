//! NATS with a real server: replies, failures, a server that is gone and comes back, and what is no typed buffer.
//!
//! The server is the one that `nats/go.mod` pins. Without Go the tests say so and check nothing.

#![expect(clippy::large_futures, reason = "each test has one")]

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use bus::nats::{self, NatsBus};
use bus::{Bus, Call, CallError, Payload, Services};
use futures_util::StreamExt;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, LocalSet, spawn_local};
use tokio::time::sleep;

const ECHO: &str = "ECHO";
const FAIL: &str = "FAIL";
const LARGE: &str = "LARGE";
const PREFIX: &str = "test";
/// More than a NATS server takes by default: 1 MiB.
const TOO_LARGE: usize = 2 << 20;

struct Sample;

impl Services for Sample {
    fn names(&self) -> Vec<&'static str> {
        vec![ECHO, FAIL, LARGE]
    }

    fn call(&self, service: &str, payload: Payload) -> Result<Payload, String> {
        match service {
            ECHO => Ok(payload),
            LARGE => Ok(Payload::text("x".repeat(TOO_LARGE))),
            _ => Err("it failed\nbadly".into()),
        }
    }
}

/// A NATS server, killed when it is dropped.
struct Broker {
    process: Child,
    port: u16,
}

impl Broker {
    fn on(program: &Path, port: u16) -> Self {
        let mut command = Command::new(program);
        command.args(["--addr", "127.0.0.1", "--port", &port.to_string()]);
        Self { process: command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap(), port }
    }

    fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
}

impl Drop for Broker {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

/// The pinned server, built when it is first needed; None without Go.
fn program() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let programs = folder.join("../../target/bin");
    let mut go = Command::new("go");
    go.args(["-C", "nats", "install", "github.com/nats-io/nats-server/v2"]).current_dir(folder);
    let Ok(status) = go.env("GOBIN", &programs).status() else {
        eprintln!("skipped: go not found, so there is no nats-server");
        return None;
    };
    assert!(status.success(), "go install ended with {status}");
    Some(programs.join("nats-server"))
}

fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

async fn with_broker<F: Future>(test: impl FnOnce(Broker, PathBuf) -> F) {
    let Some(program) = program() else { return };
    let broker = Broker::on(&program, free_port());
    LocalSet::new().run_until(test(broker, program)).await;
}

fn serve(url: String) -> (oneshot::Sender<()>, JoinHandle<std::io::Result<()>>) {
    let (stop, stopped) = oneshot::channel::<()>();
    let task = spawn_local(async move { nats::serve(&url, PREFIX, Sample, async move { drop(stopped.await) }).await });
    (stop, task)
}

fn call(service: &'static str, text: &str) -> Call {
    Call { service, payload: Payload::text(text), deadline: Duration::from_secs(20), idempotent: false }
}

/// The result once the server can be reached: until then calls fail at once.
async fn when_available(bus: &NatsBus, call: &Call) -> Result<Payload, CallError> {
    loop {
        match bus.call(call.clone()).await {
            Err(CallError::Unavailable) => sleep(Duration::from_millis(1)).await,
            result => return result,
        }
    }
}

#[tokio::test]
async fn calls_are_answered_and_failures_told() {
    with_broker(|broker, _| async move {
        let (_stop, _server) = serve(broker.url());
        let bus = NatsBus::connect(&broker.url(), PREFIX).await.unwrap();
        assert_eq!(when_available(&bus, &call(ECHO, "hi")).await, Ok(Payload::text("hi")));
        assert_eq!(bus.call(call(FAIL, "")).await, Err(CallError::Failed("it failed badly".into())));
        assert_eq!(bus.call(call("NOPE", "")).await, Err(CallError::Unavailable));
        assert_eq!(bus.outstanding(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_server_that_never_answers_is_ended_by_the_deadline() {
    with_broker(|broker, _| async move {
        let client = async_nats::ConnectOptions::new().retry_on_initial_connect().connect(broker.url()).await.unwrap();
        let mut calls = client.subscribe(format!("{PREFIX}.{ECHO}")).await.unwrap();
        let bus = NatsBus::connect(&broker.url(), PREFIX).await.unwrap();
        let late = Call { deadline: Duration::from_millis(100), ..call(ECHO, "late") };
        assert_eq!(when_available(&bus, &late).await, Err(CallError::Deadline));
        assert!(calls.next().await.is_some(), "the call arrived");
        assert_eq!(bus.outstanding(), 0);
    })
    .await;
}

#[tokio::test]
async fn without_the_nats_server_calls_fail_at_once_and_work_again_when_it_is_back() {
    with_broker(|broker, program| async move {
        let (_stop, _server) = serve(broker.url());
        let bus = NatsBus::connect(&broker.url(), PREFIX).await.unwrap();
        assert_eq!(when_available(&bus, &call(ECHO, "before")).await, Ok(Payload::text("before")));
        let port = broker.port;
        drop(broker);
        // The first may have been sent before the end of the connection was seen: its short deadline ends it.
        let short = Call { deadline: Duration::from_millis(100), ..call(ECHO, "meanwhile") };
        while bus.call(short.clone()).await != Err(CallError::Unavailable) {}
        let _again = Broker::on(&program, port);
        assert_eq!(when_available(&bus, &call(ECHO, "after")).await, Ok(Payload::text("after")));
    })
    .await;
}

#[tokio::test]
async fn what_is_no_typed_buffer_fails_its_call_and_no_other() {
    with_broker(|broker, _| async move {
        let (_stop, _server) = serve(broker.url());
        let bus = NatsBus::connect(&broker.url(), PREFIX).await.unwrap();
        assert_eq!(when_available(&bus, &call(ECHO, "")).await, Ok(Payload::text("")));
        let client = async_nats::connect(broker.url()).await.unwrap();
        for garbage in [&b""[..], b"\x09garbage"] {
            let reply = client.request(format!("{PREFIX}.{ECHO}"), garbage.into()).await.unwrap();
            let failure = reply.headers.unwrap().get("Failure").unwrap().to_string();
            assert_eq!(failure, "the call is no typed buffer");
        }
        let mut requests = client.subscribe(format!("{PREFIX}.GARBAGE")).await.unwrap();
        let liar = spawn_local(async move {
            let reply_to = requests.next().await.unwrap().reply.unwrap();
            client.publish(reply_to, "\x09garbage".into()).await.unwrap();
            client.flush().await.unwrap();
        });
        let expected = Err(CallError::Protocol("the reply is no typed buffer".into()));
        assert_eq!(when_available(&bus, &call("GARBAGE", "")).await, expected);
        liar.await.unwrap();
        assert_eq!(bus.call(call(ECHO, "still")).await, Ok(Payload::text("still")));
    })
    .await;
}

#[tokio::test]
async fn what_is_too_large_for_nats_fails_its_call_and_no_other() {
    with_broker(|broker, _| async move {
        let (_stop, _server) = serve(broker.url());
        let bus = NatsBus::connect(&broker.url(), PREFIX).await.unwrap();
        assert_eq!(when_available(&bus, &call(ECHO, "")).await, Ok(Payload::text("")));
        let refused = bus.call(call(ECHO, &"x".repeat(TOO_LARGE))).await;
        assert!(matches!(refused, Err(CallError::Protocol(_))), "{refused:?}");
        let answered = bus.call(call(LARGE, "")).await;
        assert!(matches!(answered, Err(CallError::Failed(_))), "{answered:?}");
        assert_eq!(bus.call(call(ECHO, "still")).await, Ok(Payload::text("still")));
    })
    .await;
}
