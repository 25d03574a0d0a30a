//! Resident memory while the local bus carries five million calls, caller and server in one process:
//! `cargo bench --package bus --bench memory`.

use std::fs;
use std::future::pending;
use std::path::Path;
use std::rc::Rc;
use std::thread;
use std::time::Duration;

use bus::local::{self, LocalBus};
use bus::{Bus, Call, Payload, Services};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, spawn_local};

const OUTSTANDING: usize = 64;
const STEPS: usize = 5;
const CALLS_PER_STEP: usize = 1_000_000;
const TEXT: &str = "Message 123456 of user 42";

struct Echo;

impl Services for Echo {
    fn names(&self) -> Vec<&'static str> {
        vec!["ECHO"]
    }

    fn call(&self, _: &str, payload: Payload) -> Result<Payload, String> {
        Ok(payload)
    }
}

fn main() {
    let folder = std::env::temp_dir().join(format!("bus-memory-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder for the sockets");
    let served = folder.clone();
    thread::spawn(move || {
        let socket = served.join(local::socket_name(0));
        on_one_thread(local::serve(&socket, Echo, pending())).expect("a free path");
    });
    on_one_thread(call_all(&folder));
    fs::remove_dir_all(&folder).expect("the folder is removed");
}

async fn call_all(folder: &Path) {
    let bus = Rc::new(LocalBus::connect(folder, 1));
    while bus.servers_for("ECHO") == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    for step in 1..=STEPS {
        let callers = (0..OUTSTANDING).map(|_| spawn_local(echoes(Rc::clone(&bus))));
        for caller in callers.collect::<Vec<_>>() {
            caller.await.expect("no panic");
        }
        println!("{step} million calls  {:>6} kB", resident_kb());
    }
}

async fn echoes(bus: Rc<LocalBus>) {
    for _ in 0..CALLS_PER_STEP / OUTSTANDING {
        let payload = Payload::text(TEXT);
        let call = Call { service: "ECHO", payload, deadline: Duration::from_secs(5), idempotent: true };
        bus.call(call).await.expect("an echo");
    }
}

fn resident_kb() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux shows it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("Linux shows it");
    line.trim_end_matches("kB").trim().parse().expect("a number")
}

fn on_one_thread<T>(work: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, work)
}
