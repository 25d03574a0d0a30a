//! Server processes that are killed in mid-call. The deadline is so long that only the end of the process ends a call.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use bus::local::LocalBus;
use bus::{Bus, Call, CallError, Payload};
use messages::service::ECHO;
use tokio::task::{LocalSet, spawn_local, yield_now};

/// A sample server, killed when it is dropped.
struct Server(Child);

impl Server {
    fn start(folder: &Path, instance: usize) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sample-server"));
        command.env("BUS_DIR", folder).env("INSTANCE", instance.to_string());
        Self(command.stderr(Stdio::null()).spawn().unwrap())
    }

    /// From here on it accepts calls, as the kernel does for it, and answers none.
    fn pause(&self) {
        let stopped = Command::new("kill").args(["-STOP", &self.0.id().to_string()]).status().unwrap();
        assert!(stopped.success());
    }

    fn kill(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn call(idempotent: bool) -> Call {
    Call { service: ECHO, payload: Payload::text("hi"), deadline: Duration::from_hours(1), idempotent }
}

async fn connected(folder: &Path, servers: usize) -> Rc<LocalBus> {
    let bus = Rc::new(LocalBus::connect(folder, servers));
    while bus.servers_for(ECHO) < servers {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    bus
}

/// Calls, kills the server when the call is outstanding, and returns what the caller gets.
async fn killed_in_mid_call(bus: &Rc<LocalBus>, server: &mut Server, idempotent: bool) -> Result<Payload, CallError> {
    server.pause();
    let calling = spawn_local({
        let bus = Rc::clone(bus);
        async move { bus.call(call(idempotent)).await }
    });
    while bus.outstanding() == 0 {
        yield_now().await;
    }
    server.kill();
    calling.await.unwrap()
}

async fn in_folder<F: Future>(test: impl FnOnce(tempfile::TempDir) -> F) {
    LocalSet::new().run_until(test(tempfile::tempdir().unwrap())).await;
}

#[tokio::test]
async fn the_caller_gets_an_error_long_before_the_deadline() {
    in_folder(|folder| async move {
        let mut server = Server::start(folder.path(), 0);
        let bus = connected(folder.path(), 1).await;
        assert_eq!(killed_in_mid_call(&bus, &mut server, false).await, Err(CallError::Disconnected));
        assert_eq!(killed_or_gone(&bus).await, Err(CallError::Unavailable));
    })
    .await;
}

#[tokio::test]
async fn another_instance_answers_what_may_be_called_twice() {
    in_folder(|folder| async move {
        let mut first = Server::start(folder.path(), 0);
        let _second = Server::start(folder.path(), 1);
        let bus = connected(folder.path(), 2).await;
        // Of two that have nothing to do the first is called.
        assert_eq!(killed_in_mid_call(&bus, &mut first, true).await, Ok(Payload::text("hi")));
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_started_again_is_called_again() {
    in_folder(|folder| async move {
        let mut server = Server::start(folder.path(), 0);
        let bus = connected(folder.path(), 1).await;
        assert_eq!(killed_in_mid_call(&bus, &mut server, true).await, Err(CallError::Unavailable));
        let _again = Server::start(folder.path(), 0);
        while bus.servers_for(ECHO) == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(bus.call(call(false)).await, Ok(Payload::text("hi")));
    })
    .await;
}

/// The result of a call once the bus knows that its server ended.
async fn killed_or_gone(bus: &LocalBus) -> Result<Payload, CallError> {
    loop {
        match bus.call(call(false)).await {
            Err(CallError::Disconnected) => yield_now().await,
            result => return result,
        }
    }
}
