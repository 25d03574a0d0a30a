//! The generator's own limit: what it does with the same requests against a server that does nothing.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use super::measure;
use crate::cli::arguments::HitArguments;
use crate::plan::{HeldPhase, OneOrMore, Phase, Plan};
use crate::results::{Live, Summary};

const DURATION_MS: u64 = 2_000;
/// The null server's only status.
const NULL_STATUS: u16 = 200;

/// Requests a second; none over TLS, after an interruption, and where there is nothing to compare it with.
///
/// # Errors
/// The system refuses a resource.
pub fn of(plan: &Plan, measured: &Summary, arguments: &HitArguments) -> Result<Option<f64>, Box<dyn Error>> {
    let is_over = measured.phase.interrupted || measured.totals.all.ok == 0;
    if plan.transport.tls.is_some() || is_over || arguments.no_capacity {
        return Ok(None);
    }
    let server = NullServer::start()?;
    let measured = measure::measured(&against(plan, server.port), arguments.threads, Live::silent())?;
    Ok(measured.map(|measured| measured.totals.all.ok as f64 / measured.seconds()).filter(|rate| *rate > 0.0))
}

/// This program's null server in its own process, which has its own descriptors.
struct NullServer {
    process: Child,
    port: u16,
}

impl NullServer {
    fn start() -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(std::env::current_exe()?);
        // Ctrl-C ends the load, and the load's end this server.
        command.args(["null", "--with-parent"]).process_group(0).stdout(Stdio::piped());
        let mut process = command.spawn()?;
        let mut line = String::new();
        BufReader::new(process.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        Ok(Self { process, port: port.ok_or("the null server does not start")? })
    }
}

impl Drop for NullServer {
    fn drop(&mut self) {
        // One that has ended already needs no end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The plan against a server on this port, as fast as possible.
fn against(plan: &Plan, port: u16) -> Plan {
    let mut plan = plan.clone();
    plan.transport.host = "127.0.0.1".to_owned();
    plan.transport.port = port;
    (plan.transport.address, plan.transport.unix_socket) = (None, None);
    let users = plan.phases[0].users();
    plan.phases = vec![Phase::Held(HeldPhase {
        name: "Capacity".to_owned(),
        virtual_users: users,
        duration_ms: DURATION_MS,
        until_steady: None,
    })];
    plan.think_time_ms = 0.0;
    for http in plan.operations.iter_mut().filter_map(|operation| operation.http.as_mut()) {
        http.expect = OneOrMore::One(NULL_STATUS);
    }
    plan
}
