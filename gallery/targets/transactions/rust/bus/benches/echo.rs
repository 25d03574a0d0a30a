//! Echoes a second with 64 outstanding: bare frames over a Unix socket, the local bus, and NATS where `NATS_URL` names a
//! server. Rounds are interleaved: `cargo bench --package bus`. Bare frames go out each with its own system call,
//! and all that are ready with one, as those of the bus do.

use std::future::pending;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use bus::local::{self, LocalBus};
use bus::nats::{self, NatsBus};
use bus::{Bus, Call, CallError, Payload, Services};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{LocalSet, spawn_local};

const OUTSTANDING: usize = 64;
const ECHOES: usize = 200_000;
const ROUNDS: usize = 7;
const TEXT: &str = "Message 123456 of user 42";
const LENGTH: usize = 4;

struct Echo;

impl Services for Echo {
    fn names(&self) -> Vec<&'static str> {
        vec!["ECHO"]
    }

    fn call(&self, _: &str, payload: Payload) -> Result<Payload, String> {
        Ok(payload)
    }
}

/// How bare frames are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sending {
    /// Each with its own system call.
    Alone,
    /// All that are ready with one system call.
    Together,
}

fn main() {
    let folder = std::env::temp_dir().join(format!("bus-echo-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the sockets");
    let [alone_socket, together_socket] =
        [Sending::Alone, Sending::Together].map(|sending| bare_server(&folder, sending));
    let served = folder.clone();
    thread::spawn(move || serve_local(&served));
    let broker = std::env::var("NATS_URL").ok();
    if let Some(url) = broker.clone() {
        thread::spawn(move || serve_nats(&url));
    }
    let (mut alone, mut together, mut own, mut nats) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        alone.push(per_second(|| echo_bare(&alone_socket, Sending::Alone)));
        together.push(per_second(|| echo_bare(&together_socket, Sending::Together)));
        own.push(local_round(&folder));
        nats.extend(broker.as_deref().map(nats_round));
    }
    let (alone, together, own) = (median(alone), median(together), median(own));
    println!("bare frames, each alone    {alone:>9.0}/s");
    println!("bare frames, all together  {together:>9.0}/s");
    println!("local bus                  {own:>9.0}/s  {:.2} and {:.2} of bare frames", own / alone, own / together);
    if !nats.is_empty() {
        println!("NATS                       {:>9.0}/s", median(nats));
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}

/// A socket behind which a thread sends back each frame that it reads, or whatever it reads.
fn bare_server(folder: &Path, sending: Sending) -> PathBuf {
    let socket = folder.join(format!("{sending:?}.sock"));
    let listener = UnixListener::bind(&socket).expect("a free path");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a caller");
            let (mut bytes, mut kept) = (vec![0; 64 << 10], 0);
            while let Ok(read @ 1..) = stream.read(&mut bytes[kept..]) {
                kept += read;
                let complete = send_frames(&mut stream, &bytes[..kept], sending).0;
                bytes.copy_within(complete..kept, 0);
                kept -= complete;
            }
        }
    });
    socket
}

/// Sends a frame for each that comes back, the first `OUTSTANDING` at once.
fn echo_bare(socket: &Path, sending: Sending) {
    let mut stream = UnixStream::connect(socket).expect("the server listens");
    let mut frame = Vec::new();
    local::Frame::write_call(0, "ECHO", &Payload::text(TEXT), &mut frame);
    send_frames(&mut stream, &frame.repeat(OUTSTANDING), sending);
    let (mut sent, mut received) = (OUTSTANDING, 0);
    let (mut bytes, mut kept) = (vec![0; 64 << 10], 0);
    while received < ECHOES {
        kept += stream.read(&mut bytes[kept..]).expect("the server answers");
        let (complete, frames) = complete(&bytes[..kept]);
        received += frames;
        let more = frames.min(ECHOES - sent);
        sent += more;
        send_frames(&mut stream, &bytes[..more * frame.len()], sending);
        bytes.copy_within(complete..kept, 0);
        kept -= complete;
    }
}

/// Sends the complete frames of the bytes; returns how many bytes and how many frames they are.
fn send_frames(stream: &mut UnixStream, bytes: &[u8], sending: Sending) -> (usize, usize) {
    let (end, frames) = complete(bytes);
    let size = if sending == Sending::Alone { end / frames.max(1) } else { end };
    for part in bytes[..end].chunks(size.max(1)) {
        stream.write_all(part).expect("the other side reads");
    }
    (end, frames)
}

/// How many bytes are complete frames, and how many frames.
fn complete(bytes: &[u8]) -> (usize, usize) {
    let (mut end, mut frames) = (0, 0);
    while let Some(length) = bytes[end..].first_chunk::<LENGTH>() {
        let size = LENGTH + u32::from_le_bytes(*length) as usize;
        if bytes.len() - end < size {
            break;
        }
        end += size;
        frames += 1;
    }
    (end, frames)
}

fn local_round(folder: &Path) -> f64 {
    on_one_thread(async {
        let bus = LocalBus::connect(folder, 1);
        while bus.servers_for("ECHO") == 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        echo_over(bus).await
    })
}

fn nats_round(url: &str) -> f64 {
    on_one_thread(async { echo_over(NatsBus::connect(url, "bench").await.expect("a URL")).await })
}

/// Echoes a second over a bus, once its server is there.
async fn echo_over(bus: impl Bus + 'static) -> f64 {
    let bus = Rc::new(bus);
    while echo(&*bus).await == Err(CallError::Unavailable) {}
    let began = Instant::now();
    let callers = (0..OUTSTANDING).map(|_| {
        let bus = Rc::clone(&bus);
        spawn_local(async move {
            for _ in 0..ECHOES / OUTSTANDING {
                echo(&*bus).await.expect("an echo");
            }
        })
    });
    for caller in callers.collect::<Vec<_>>() {
        caller.await.expect("no panic");
    }
    rate(began.elapsed())
}

async fn echo(bus: &impl Bus) -> Result<Payload, CallError> {
    let payload = Payload::text(TEXT);
    bus.call(Call { service: "ECHO", payload, deadline: Duration::from_secs(5), idempotent: true }).await
}

fn serve_local(folder: &Path) {
    on_one_thread(local::serve(&folder.join(local::socket_name(0)), Echo, pending())).expect("a free path");
}

fn serve_nats(url: &str) {
    on_one_thread(nats::serve(url, "bench", Echo, pending())).expect("a NATS server");
}

fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    let runtime: Runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, work)
}

fn per_second(echoes: impl FnOnce()) -> f64 {
    let began = Instant::now();
    echoes();
    rate(began.elapsed())
}

fn rate(elapsed: Duration) -> f64 {
    f64::from(u32::try_from(ECHOES).expect("few")) / elapsed.as_secs_f64()
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}
