use std::future::Future;
use std::path::Path;
use std::rc::Rc;
use std::{fs, io};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tracing::warn;

use super::connection::invalid;
use super::frame::Frame;
use crate::services::{Services, answer};

const READ_BYTES: usize = 64 << 10;

/// Answers calls on a socket, one at a time as a server of XATMI does, until `stop`; then the calls that have arrived
/// are answered and the connections are closed.
pub async fn serve(socket: &Path, services: impl Services + 'static, stop: impl Future<Output = ()>) -> io::Result<()> {
    // Left behind by a server that was killed: no process listens on it.
    match fs::remove_file(socket) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let listener = UnixListener::bind(socket)?;
    let services = Rc::new(services);
    let (stopping, stopped) = watch::channel(false);
    let mut callers = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                callers.spawn_local(serve_caller(stream, Rc::clone(&services), stopped.clone()));
            }
            Some(_) = callers.join_next() => {}
        }
    }
    fs::remove_file(socket)?;
    stopping.send_replace(true);
    while callers.join_next().await.is_some() {}
    Ok(())
}

async fn serve_caller(mut stream: UnixStream, services: Rc<impl Services>, mut stopped: watch::Receiver<bool>) {
    if let Err(error) = exchange(&mut stream, &*services, &mut stopped).await {
        // A caller that ends in mid-call is no fault of the server.
        warn!(%error, "the connection to a caller was closed");
    }
}

async fn exchange(
    stream: &mut UnixStream,
    services: &impl Services,
    stopped: &mut watch::Receiver<bool>,
) -> io::Result<()> {
    let (mut received, mut replies) = (Vec::with_capacity(READ_BYTES), Vec::new());
    Frame::write_advertise(&services.names(), &mut replies);
    loop {
        stream.write_all(&replies).await?;
        replies.clear();
        received.reserve(READ_BYTES);
        let read = tokio::select! {
            // Calls that have arrived are answered before the server stops.
            biased;
            read = stream.read_buf(&mut received) => read?,
            _ = stopped.changed() => 0,
        };
        if read == 0 {
            return Ok(());
        }
        let used = answer_all(&received, services, &mut replies)?;
        received.drain(..used);
    }
}

/// Answers every call that is complete; returns how many bytes they had.
fn answer_all(received: &[u8], services: &impl Services, replies: &mut Vec<u8>) -> io::Result<usize> {
    let mut used = 0;
    while let Some((frame, length)) = Frame::read(&received[used..]).map_err(invalid)? {
        used += length;
        let Frame::Call { id, service, payload } = frame else {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a caller sent what only servers send"));
        };
        Frame::write_reply(id, &answer(services, service, payload), replies);
    }
    Ok(used)
}
