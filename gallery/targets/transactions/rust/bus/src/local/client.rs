use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

use tokio::net::UnixStream;
use tokio::task::{AbortHandle, spawn_local};
use tokio::time::{Instant, sleep};
use tracing::info;

use super::connection::Connection;
use super::socket_name;
use crate::error::CallError;
use crate::payload::Payload;
use crate::{Bus, Call};

const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Connections to all servers of a folder, from one thread; made again when a server comes back.
#[derive(Debug)]
pub struct LocalBus {
    servers: Vec<Server>,
}

/// A place where a server may be.
#[derive(Debug)]
struct Server {
    connection: Rc<RefCell<Option<Rc<Connection>>>>,
    task: AbortHandle,
}

impl LocalBus {
    /// Connects to servers 0 to `servers` - 1 whose sockets are in the folder, now or when they are there.
    ///
    /// # Panics
    /// Outside of a `LocalSet` or another executor of one thread.
    #[must_use]
    pub fn connect(folder: &Path, servers: usize) -> Self {
        Self { servers: (0..servers).map(|instance| Server::at(folder.join(socket_name(instance)))).collect() }
    }

    /// Returns when every server that listens now has said what it offers, and after a moment at the latest.
    pub async fn connected(&self) {
        let until = Instant::now() + LONGEST_PAUSE;
        while self.servers.iter().any(|server| !server.is_known()) && Instant::now() < until {
            sleep(Duration::from_millis(1)).await;
        }
    }

    /// How many servers that are connected offer the service.
    #[must_use]
    pub fn servers_for(&self, service: &str) -> usize {
        let connected = self.servers.iter().filter_map(|server| server.connection.borrow().clone());
        connected.filter(|each| each.offers(service)).count()
    }

    /// The server that offers the service and has the fewest calls to answer.
    fn least_busy(&self, service: &str) -> Option<Rc<Connection>> {
        let connected = self.servers.iter().filter_map(|server| server.connection.borrow().clone());
        connected.filter(|each| each.offers(service)).min_by_key(|each| each.outstanding())
    }

    async fn call_once(&self, call: &Call, until: Instant) -> Result<Payload, CallError> {
        let connection = self.least_busy(call.service).ok_or(CallError::Unavailable)?;
        connection.send(call.service, &call.payload, until).await
    }
}

impl Bus for LocalBus {
    async fn call(&self, call: Call) -> Result<Payload, CallError> {
        let until = Instant::now() + call.deadline;
        loop {
            match self.call_once(&call, until).await {
                // Each attempt found a server that then ended, so that this cannot go on without end.
                Err(CallError::Disconnected) if call.idempotent => {}
                result => return result,
            }
        }
    }

    fn outstanding(&self) -> usize {
        self.servers.iter().filter_map(|server| Some(server.connection.borrow().as_ref()?.outstanding())).sum()
    }
}

impl Server {
    fn at(socket: PathBuf) -> Self {
        let connection = Rc::default();
        let task = spawn_local(stay_connected(socket, Rc::clone(&connection))).abort_handle();
        Self { connection, task }
    }

    fn is_known(&self) -> bool {
        self.connection.borrow().as_ref().is_some_and(|connection| connection.is_known())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn stay_connected(socket: PathBuf, connected: Rc<RefCell<Option<Rc<Connection>>>>) {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Ok(stream) = UnixStream::connect(&socket).await {
            pause = FIRST_PAUSE;
            let connection = Rc::new(Connection::default());
            *connected.borrow_mut() = Some(Rc::clone(&connection));
            connection.run(stream).await;
            *connected.borrow_mut() = None;
            info!(server = %socket.display(), "a server ended");
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
