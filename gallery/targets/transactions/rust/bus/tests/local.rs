//! The local bus with real sockets: replies, dead and slow servers, and garbage.

use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use bus::local::{self, Frame, FrameError, LocalBus, MAX_FRAME};
use bus::{Bus, Call, CallError, Payload, Services};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, LocalSet, spawn_local};
use tokio::time::sleep;

const ECHO: &str = "ECHO";
const FAIL: &str = "FAIL";
const PANIC: &str = "PANIC";

struct Sample;

impl Services for Sample {
    fn names(&self) -> Vec<&'static str> {
        vec![ECHO, FAIL, PANIC]
    }

    fn call(&self, service: &str, payload: Payload) -> Result<Payload, String> {
        match service {
            ECHO => Ok(payload),
            PANIC => panic!("a service that panics"),
            _ => Err("it failed".into()),
        }
    }
}

/// A server in this process; dropping `stop` ends it.
struct Running {
    stop: oneshot::Sender<()>,
    task: JoinHandle<std::io::Result<()>>,
}

fn start(folder: &Path, instance: usize) -> Running {
    let (stop, stopped) = oneshot::channel::<()>();
    let socket = folder.join(local::socket_name(instance));
    let stopped = async move { drop(stopped.await) };
    Running { stop, task: spawn_local(async move { local::serve(&socket, Sample, stopped).await }) }
}

/// Accepts callers, says that it offers ECHO, and never answers. Returns once a call has arrived; then it is gone.
async fn end_in_mid_call(listener: UnixListener) {
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut hello = Vec::new();
    Frame::write_advertise(&[ECHO], &mut hello);
    stream.write_all(&hello).await.unwrap();
    stream.read_u8().await.unwrap();
}

fn call(service: &'static str, text: &str) -> Call {
    Call { service, payload: Payload::text(text), deadline: Duration::from_secs(20), idempotent: false }
}

async fn in_folder<F: Future>(test: impl FnOnce(tempfile::TempDir) -> F) -> F::Output {
    LocalSet::new().run_until(test(tempfile::tempdir().unwrap())).await
}

#[tokio::test]
async fn calls_are_answered_and_failures_told() {
    in_folder(|folder| async move {
        let _server = start(folder.path(), 0);
        let bus = LocalBus::connect(folder.path(), 1);
        bus.connected().await;
        assert_eq!(bus.call(call(ECHO, "hi")).await, Ok(Payload::text("hi")));
        assert_eq!(bus.call(call(FAIL, "")).await, Err(CallError::Failed("it failed".into())));
        assert_eq!(bus.call(call(PANIC, "")).await, Err(CallError::Failed("the service panicked".into())));
        assert_eq!(bus.call(call("NOPE", "")).await, Err(CallError::Unavailable));
        assert_eq!(bus.outstanding(), 0);
    })
    .await;
}

#[tokio::test]
async fn many_calls_are_outstanding_at_once() {
    in_folder(|folder| async move {
        let _servers = [start(folder.path(), 0), start(folder.path(), 1)];
        let bus = Rc::new(LocalBus::connect(folder.path(), 2));
        bus.connected().await;
        let calls = (0..500).map(|number| {
            let bus = Rc::clone(&bus);
            spawn_local(async move { bus.call(call(ECHO, &number.to_string())).await })
        });
        for (number, called) in calls.collect::<Vec<_>>().into_iter().enumerate() {
            assert_eq!(called.await.unwrap(), Ok(Payload::text(number.to_string())));
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_ends_in_mid_call_fails_the_call_or_another_answers() {
    in_folder(|folder| async move {
        let listener = UnixListener::bind(folder.path().join(local::socket_name(0))).unwrap();
        let dying = spawn_local(end_in_mid_call(listener));
        let bus = LocalBus::connect(folder.path(), 1);
        bus.connected().await;
        assert_eq!(bus.call(call(ECHO, "lost")).await, Err(CallError::Disconnected));
        dying.await.unwrap();
        assert_eq!(bus.call(call(ECHO, "none")).await, Err(CallError::Unavailable));

        std::fs::remove_file(folder.path().join(local::socket_name(0))).unwrap();
        let listener = UnixListener::bind(folder.path().join(local::socket_name(0))).unwrap();
        spawn_local(end_in_mid_call(listener));
        let bus = LocalBus::connect(folder.path(), 2);
        let _other = start(folder.path(), 1);
        bus.connected().await;
        let twice = Call { idempotent: true, ..call(ECHO, "again") };
        assert_eq!(bus.call(twice).await, Ok(Payload::text("again")));
    })
    .await;
}

#[tokio::test]
async fn a_server_that_comes_back_is_found() {
    in_folder(|folder| async move {
        let server = start(folder.path(), 0);
        let bus = LocalBus::connect(folder.path(), 1);
        bus.connected().await;
        drop(server.stop);
        server.task.await.unwrap().unwrap();
        let _again = start(folder.path(), 0);
        // Until the bus has seen the end and the return, calls fail at once.
        let answered = async {
            loop {
                match bus.call(call(ECHO, "back")).await {
                    Err(CallError::Disconnected | CallError::Unavailable) => sleep(Duration::from_millis(1)).await,
                    result => return result,
                }
            }
        };
        assert_eq!(answered.await, Ok(Payload::text("back")));
    })
    .await;
}

#[tokio::test]
async fn the_deadline_ends_a_call() {
    in_folder(|folder| async move {
        let listener = UnixListener::bind(folder.path().join(local::socket_name(0))).unwrap();
        let (release, held) = oneshot::channel::<()>();
        spawn_local(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut hello = Vec::new();
            Frame::write_advertise(&[ECHO], &mut hello);
            stream.write_all(&hello).await.unwrap();
            drop(held.await);
        });
        let bus = LocalBus::connect(folder.path(), 1);
        bus.connected().await;
        let late = Call { deadline: Duration::from_millis(20), ..call(ECHO, "late") };
        assert_eq!(bus.call(late).await, Err(CallError::Deadline));
        assert_eq!(bus.outstanding(), 0);
        drop(release);
    })
    .await;
}

#[tokio::test]
async fn garbage_from_a_server_ends_the_connection_and_nothing_else() {
    in_folder(|folder| async move {
        let listener = UnixListener::bind(folder.path().join(local::socket_name(0))).unwrap();
        spawn_local(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            Frame::write_advertise(&[ECHO], &mut bytes);
            stream.write_all(&bytes).await.unwrap();
            stream.read_u8().await.unwrap();
            stream.write_all(&[9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 77]).await.unwrap();
            std::future::pending::<()>().await;
        });
        let bus = LocalBus::connect(folder.path(), 1);
        bus.connected().await;
        assert_eq!(bus.call(call(ECHO, "x")).await, Err(CallError::Disconnected));
    })
    .await;
}

#[test]
fn frames_that_are_none_are_refused() {
    let mut whole = Vec::new();
    Frame::write_call(7, ECHO, &Payload::text("hi"), &mut whole);
    for length in 0..whole.len() {
        assert_eq!(Frame::read(&whole[..length]), Ok(None), "a part of a frame is no frame yet");
    }
    let expected = Frame::Call { id: 7, service: ECHO, payload: Payload::text("hi") };
    assert_eq!(Frame::read(&whole), Ok(Some((expected, whole.len()))));
    let huge = u32::try_from(MAX_FRAME + 1).unwrap().to_le_bytes();
    assert_eq!(Frame::read(&huge), Err(FrameError::Size(MAX_FRAME + 1)));
    assert_eq!(Frame::read(&[1, 0, 0, 0, 5]), Err(FrameError::Short));
    assert_eq!(Frame::read(&[9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 77]), Err(FrameError::Unknown(77)));
    assert_eq!(Frame::read(&[10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 9]), Err(FrameError::Unknown(9)));
    assert_eq!(Frame::read(&[10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 255]), Err(FrameError::Text));
}
