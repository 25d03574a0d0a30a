//! Enduro/X with a real domain where `NDRX_HOME` is set: replies, failures, large texts, servers that are killed.
//! Elsewhere its recorded answers: replies and failures.
#![expect(unsafe_code, reason = "the libraries read their settings from this process's environment")]

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bus::{Bus, Call, CallError, Payload};
use endurox::EnduroxBus;
use messages::service::{ECHO, HELLO, STATUS, TRANSACTION, TRANSACTIONS};
use messages::{Batch, Decision, Transaction};
use tempfile::TempDir;
use tokio::task::{LocalSet, spawn_local};
use tokio::time::sleep;
use ubf::{UbfStruct, View};

const QUEUES: &str = "/dev/mqueue";
/// So long that only a reply ends the call.
const LONG: Duration = Duration::from_mins(1);
const LARGE: usize = 64 << 10;

/// The domain of this process, shut down when it is dropped.
struct Domain {
    variables: Vec<(&'static str, String)>,
    folder: TempDir,
    daemon: Option<Child>,
    is_recorded: bool,
}

impl Domain {
    fn configured() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let installed = std::env::var("NDRX_HOME").ok().filter(|home| !home.is_empty());
        let is_recorded = installed.is_none();
        let home = installed.unwrap_or_else(|| recorded_home(folder.path()));
        let number = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let variables = vec![
            ("NDRX_HOME", home),
            ("NDRX_APPHOME", folder.path().display().to_string()),
            ("NDRX_QPREFIX", format!("/bakeoff{number}")),
            ("NDRX_IPCKEY", format!("{number}0")),
            ("NDRX_RNDK", number.to_string()),
            ("NDRX_CONFIG", format!("{}/../endurox/ndrxconfig.xml", env!("CARGO_MANIFEST_DIR"))),
            ("NDRX_DPID", at("ndrxd.pid")),
            ("NDRX_ULOG", at("")),
            ("NDRX_LOG", at("xadmin.log")),
            ("NDRX_DMNLOG", at("ndrxd.log")),
            ("NDRX_DEBUG_STR", "ndrx=1 ubf=1 tp=1".into()),
            ("NDRX_QPATH", QUEUES.into()),
            ("NDRX_NODEID", "1".into()),
            ("NDRX_CLUSTERISED", "0".into()),
            ("NDRX_LDBAL", "0".into()),
            ("NDRX_TOUT", "10".into()),
            ("NDRX_CMDWAIT", "1".into()),
            ("NDRX_SRVMAX", "80".into()),
            ("NDRX_SVCMAX", "80".into()),
            ("NDRX_DQMAX", "10".into()),
            ("NDRX_MSGMAX", "4".into()),
            ("NDRX_MSGSIZEMAX", "8192".into()),
        ];
        for (name, value) in &variables {
            // SAFETY: once, before this process opens its first bus; no other thread reads these variables.
            unsafe { std::env::set_var(name, value) };
        }
        Self { variables, folder, daemon: None, is_recorded }
    }

    fn script(&self, name: &str, arguments: &[&str], instance: usize) -> Child {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../endurox");
        let mut command = Command::new(folder.join(name));
        command.args(arguments).envs(self.variables.iter().map(|(name, value)| (*name, value.as_str())));
        command.env("BUS", "endurox").env("INSTANCE", instance.to_string()).stderr(Stdio::null());
        command.stdout(Stdio::null()).spawn().unwrap()
    }

    async fn start(&mut self) {
        self.daemon = Some(self.script("domain.sh", &[], 0));
        while !self.folder.path().join("ready").exists() {
            sleep(Duration::from_millis(5)).await;
        }
    }

    fn server(&self, instance: usize) -> Server {
        Server(self.script("server.sh", &[env!("CARGO_BIN_EXE_sample-server")], instance))
    }
}

/// A folder like an installation; its library replays recorded answers.
fn recorded_home(folder: &Path) -> String {
    let home = folder.join("home").display().to_string();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../endurox/recorded/home.sh");
    assert!(Command::new(script).arg(&home).status().unwrap().success());
    home
}

impl Drop for Domain {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            terminate(daemon);
            daemon.wait().unwrap();
        }
    }
}

/// A sample server, killed when it is dropped.
struct Server(Child);

impl Server {
    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([name, &self.0.id().to_string()]).status().unwrap();
        assert!(sent.success());
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

fn terminate(process: &Child) {
    Command::new("kill").args(["-TERM", &process.id().to_string()]).status().unwrap();
}

fn call(service: &'static str, payload: Payload) -> Call {
    Call { service, payload, deadline: LONG, idempotent: false }
}

fn echo(text: &str) -> Call {
    call(ECHO, Payload::text(text))
}

/// The result once a server offers the service: until then calls fail at once.
async fn when_available(bus: &EnduroxBus, call: &Call) -> Result<Payload, CallError> {
    loop {
        match bus.call(call.clone()).await {
            Err(CallError::Unavailable) => sleep(Duration::from_millis(5)).await,
            result => return result,
        }
    }
}

/// Returns when the daemon has noticed the server's end and removed its services.
async fn until_unavailable(bus: &EnduroxBus) {
    let short = Call { deadline: Duration::from_millis(100), ..echo("gone") };
    while bus.call(short.clone()).await != Err(CallError::Unavailable) {}
}

fn sale(id: &str) -> Payload {
    let (transaction_type, account, currency, description) = ("sale", "ACC-9", "USD", Some("Zoë"));
    let transaction =
        Transaction { transaction_type, transaction_id: id, account, amount: -15_000, currency, description };
    Payload::ubf(transaction.to_buffer().unwrap())
}

fn id_of(view: View<'_>) -> &str {
    Decision::read_from(view).unwrap().transaction_id
}

/// One after another: Enduro/X keeps the memory of the domain that a process joined first, so that all share one.
#[tokio::test]
async fn calls_and_faults() {
    let mut domain = Domain::configured();
    let tests = async {
        domain.start().await;
        every_service_answers(&domain).await;
        if domain.is_recorded {
            return;
        }
        what_is_larger_than_a_message_comes_back_whole(&domain).await;
        many_calls_are_outstanding_though_the_queues_are_small(&domain).await;
        a_call_to_a_killed_server_is_ended_by_its_deadline_and_another_server_is_found(&domain).await;
    };
    LocalSet::new().run_until(tests).await;
}

async fn every_service_answers(domain: &Domain) {
    let _server = domain.server(0);
    let bus = EnduroxBus::open().unwrap();
    assert_eq!(when_available(&bus, &call(STATUS, Payload::null())).await, Ok(Payload::text("Status: OK")));
    assert_eq!(bus.call(call(HELLO, Payload::text("Zoë"))).await, Ok(Payload::text("Hello, Zoë!")));
    for text in ["", "hi", "a\0b"] {
        assert_eq!(bus.call(echo(text)).await, Ok(Payload::text(text)));
    }
    let reply = bus.call(call(TRANSACTION, sale("T-1"))).await.unwrap();
    assert_eq!(id_of(View::parse(&reply.bytes).unwrap()), "T-1");
    let failed = bus.call(call(TRANSACTION, Payload::text("no buffer"))).await;
    assert_eq!(failed, Err(CallError::Failed("a fielded buffer is needed, not Text".into())));
    assert_eq!(bus.call(call("NOPE", Payload::null())).await, Err(CallError::Unavailable));
    assert_eq!(bus.outstanding(), 0);
}

async fn what_is_larger_than_a_message_comes_back_whole(domain: &Domain) {
    let _server = domain.server(0);
    let bus = EnduroxBus::open().unwrap();
    assert_eq!(when_available(&bus, &echo("small")).await, Ok(Payload::text("small")));
    for size in [2500, 6000, 9000, LARGE] {
        let text = "é".repeat(size / 2);
        assert_eq!(bus.call(echo(&text)).await, Ok(Payload::text(text)), "{size} bytes");
    }
    let failed = bus.call(call(TRANSACTION, Payload::text("x".repeat(LARGE)))).await;
    assert_eq!(failed, Err(CallError::Failed("a fielded buffer is needed, not Text".into())));
    let sales: Vec<_> = (0..100).map(|number| sale(&format!("T-{number}"))).collect();
    for count in [2, 20, 100] {
        let parts = sales[..count].iter().map(|sale| View::parse(&sale.bytes).unwrap()).collect();
        let batch = Payload::ubf(Batch { parts }.to_buffer().unwrap());
        let reply = bus.call(call(TRANSACTIONS, batch)).await.unwrap();
        let outcomes = Batch::read_from(View::parse(&reply.bytes).unwrap()).unwrap().parts;
        let ids: Vec<_> = outcomes.into_iter().map(id_of).collect();
        assert_eq!(ids, (0..count).map(|number| format!("T-{number}")).collect::<Vec<_>>());
    }
}

async fn many_calls_are_outstanding_though_the_queues_are_small(domain: &Domain) {
    let _servers = [domain.server(0), domain.server(1)];
    let bus = std::rc::Rc::new(EnduroxBus::open().unwrap());
    assert_eq!(when_available(&bus, &echo("first")).await, Ok(Payload::text("first")));
    let calls = (0..300).map(|number| {
        let bus = std::rc::Rc::clone(&bus);
        spawn_local(async move { (number, bus.call(echo(&number.to_string())).await) })
    });
    for call in calls.collect::<Vec<_>>() {
        let (number, reply) = call.await.unwrap();
        assert_eq!(reply, Ok(Payload::text(number.to_string())));
    }
    assert_eq!(bus.outstanding(), 0);
}

async fn a_call_to_a_killed_server_is_ended_by_its_deadline_and_another_server_is_found(domain: &Domain) {
    let mut server = domain.server(0);
    let bus = EnduroxBus::open().unwrap();
    assert_eq!(when_available(&bus, &echo("before")).await, Ok(Payload::text("before")));
    server.signal("-STOP");
    let began = Instant::now();
    let late = bus.call(Call { deadline: Duration::from_millis(150), ..echo("late") });
    let (late, ()) = tokio::join!(late, async { server.kill() });
    assert_eq!(late, Err(CallError::Deadline));
    assert!(began.elapsed() >= Duration::from_millis(150));
    until_unavailable(&bus).await;
    let _again = domain.server(0);
    assert_eq!(when_available(&bus, &echo("after")).await, Ok(Payload::text("after")));
}
