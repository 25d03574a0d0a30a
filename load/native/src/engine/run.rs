//! Puts a run together: protocol, workers, ledger.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use super::address::{Address, resolve};
use super::agent::share_of_one;
use super::client::Client;
use super::clock::Clock;
use super::composer::Composer;
use super::coordinator::{Coordinator, Report, serve};
use super::error::EngineError;
use super::logins::Logins;
use super::options::Options;
use super::records::{Observer, StartRecord};
use super::users::Users;
use super::verified_reads::VerifiedReads;
use super::worker::Worker;
use super::{calls, descriptors, trust};
use crate::ledger::{LedgerFile, LedgerSink};
use crate::plan::{Plan, PlanError, Protocol, Transport};
use crate::reply::ReplyRules;
use crate::wire::Wire;
use crate::wire::h2::Http2;
use crate::wire::http1::Http1;
use crate::wire::tls::{Tls, TlsCalls};
use crate::workload::{Entity, UserState, Workload};

/// Executes a plan. Failed requests are results; an error is what prevents the execution.
///
/// # Errors
/// The plan cannot be executed, or the system refuses a resource that the engine needs.
pub fn run(plan: &Plan, options: &Options, observer: &mut impl Observer) -> Result<(), EngineError> {
    let workload = Arc::new(Workload::compile(plan)?);
    with_target(plan, &workload, Run { plan, options, workload: &workload, observer })?
}

/// The actions on a target of any protocol.
pub(super) trait TargetCalls {
    type Outcome;
    /// Whether the heads of all replies are kept.
    const KEEPS_HEADS: bool = false;

    fn call<W: Wire>(self, shared: &Arc<W::Shared>) -> Self::Outcome;
}

struct Run<'a, O> {
    plan: &'a Plan,
    options: &'a Options,
    workload: &'a Arc<Workload>,
    observer: &'a mut O,
}

impl<O: Observer> TargetCalls for Run<'_, O> {
    type Outcome = Result<(), EngineError>;

    fn call<W: Wire>(self, shared: &Arc<W::Shared>) -> Self::Outcome {
        let make_rules = || calls::rules(self.plan, self.workload);
        run_over::<W>(self.plan, self.options, self.workload, shared, &make_rules, self.observer)
    }
}

/// Prepares the calls of a plan in its protocol, and does something with them.
///
/// # Errors
/// The plan cannot be carried out.
pub(super) fn with_target<T: TargetCalls>(
    plan: &Plan,
    workload: &Workload,
    target: T,
) -> Result<T::Outcome, EngineError> {
    match plan.transport.protocol {
        Protocol::Http if !plan.transport.is_http2() => {
            let calls = calls::http_calls(plan, workload, T::KEEPS_HEADS);
            over::<Http1, T>(&plan.transport, Arc::new(calls), target)
        }
        Protocol::Http => over::<Http2, T>(&plan.transport, Arc::new(calls::http2_calls(plan, workload)), target),
        Protocol::Grpc => over::<Http2, T>(&plan.transport, Arc::new(calls::grpc_calls(plan, workload)?), target),
    }
}

/// In the clear, or inside TLS.
pub(super) fn over<W: Wire, T: TargetCalls>(
    transport: &Transport,
    shared: Arc<W::Shared>,
    target: T,
) -> Result<T::Outcome, EngineError> {
    let Some(tls) = &transport.tls else { return Ok(target.call::<W>(&shared)) };
    let config = trust::client_config(tls, transport.is_http2())?;
    let name = trust::server_name(tls, &transport.host)?;
    let shared = TlsCalls::new(shared, config, name).map_err(|error| EngineError::Tls(error.to_string()))?;
    Ok(target.call::<Tls<W>>(&Arc::new(shared)))
}

type MakeRules<'a> = &'a dyn Fn() -> Result<Vec<ReplyRules>, PlanError>;

fn run_over<W: Wire>(
    plan: &Plan,
    options: &Options,
    workload: &Arc<Workload>,
    shared: &Arc<W::Shared>,
    make_rules: MakeRules<'_>,
    observer: &mut impl Observer,
) -> Result<(), EngineError> {
    let clock = Clock::start();
    let address = resolve(&plan.transport)?;
    let agent = options.agent;
    let connections = share_of_one(plan.connections(), (agent.index, agent.of));
    // By the smallest share of any engine, so that all engines have equally many threads.
    let threads = options.threads.clamp(1, (plan.connections() / agent.of).max(1));
    let operations = calls::operations(plan, &make_rules()?);
    observer.start(&StartRecord {
        workload: plan.workload.clone(),
        target: plan.target.clone(),
        protocol: plan.transport.protocol,
        connections,
        operations,
        unix_ns: clock.unix_ns(clock.now()),
    });
    if let Some(advice) = descriptors::make_room_for(connections) {
        observer.warning(&advice);
    }
    let newcomer = newcomer::<W>(plan, workload, shared, &address)?;
    let ledger = create_ledger(plan, workload)?;
    let users_of_workers = (0..threads)
        .map(|worker| {
            let composer = Composer::new(plan, Arc::clone(workload))?;
            let sink = ledger.as_ref().map(LedgerFile::sink);
            let reads = VerifiedReads::new(workload, calls::read_rules(plan)?, plan.verify_share);
            let place = agent.place(worker, threads);
            Ok(make_users(plan, composer, make_rules()?, sink, reads, place, newcomer.clone()))
        })
        .collect::<Result<Vec<_>, PlanError>>()?;
    let interrupted = std::thread::scope(|scope| {
        let (reports, received) = channel();
        let workers = users_of_workers.into_iter().enumerate().map(|(index, users)| {
            let (command, commands) = channel();
            let (reports, shared, address) = (reports.clone(), Arc::clone(shared), address.clone());
            let (transport, timeout_ns) = (&plan.transport, timeout_ns(plan));
            std::thread::Builder::new().name(format!("worker {index}")).spawn_scoped(scope, move || {
                let result = Worker::<W>::new(clock, address, shared, users, transport, timeout_ns)
                    .and_then(|worker| serve(worker, &commands, &reports));
                if let Err(error) = result {
                    // The coordinator is dropped only after another worker has failed.
                    let _ = reports.send(Report::Failed(error));
                }
            })?;
            Ok(command)
        });
        let commands = workers.collect::<io::Result<Vec<_>>>()?;
        drop(reports);
        Coordinator::new(plan, options, clock, commands, received).lead(observer)
    })?;
    if let Some(ledger) = ledger {
        let path = plan.ledger.clone().unwrap_or_default();
        ledger.finish().map_err(|source| EngineError::Ledger { path, source })?;
    }
    observer.end(interrupted, clock.unix_ns(clock.now()));
    Ok(())
}

/// A user as all of them begin: logged in where one login serves them all. Where that fails, each of them tries.
fn newcomer<W: Wire>(
    plan: &Plan,
    workload: &Arc<Workload>,
    shared: &Arc<W::Shared>,
    address: &Address,
) -> Result<UserState, PlanError> {
    let user = workload.new_user();
    let Some(mut logins) = Logins::of(plan, workload)?.filter(Logins::is_one) else { return Ok(user) };
    let timeout = Duration::from_nanos(timeout_ns(plan));
    let mut client = Client::<W>::new(Arc::clone(shared), address.clone(), timeout);
    let mut composer = Composer::new(plan, Arc::clone(workload))?;
    Ok(match logins.values(&mut client, &mut composer, 0) {
        Ok(captured) => user.logged_in(Entity::clone(&captured)),
        Err(_) => user,
    })
}

fn create_ledger(plan: &Plan, workload: &Workload) -> Result<Option<LedgerFile>, EngineError> {
    let create = |path: &String| {
        LedgerFile::create(Path::new(path), workload.seed, &workload.run)
            .map_err(|source| EngineError::Ledger { path: path.clone(), source })
    };
    plan.ledger.as_ref().map(create).transpose()
}

fn make_users(
    plan: &Plan,
    composer: Composer,
    rules: Vec<ReplyRules>,
    ledger: Option<LedgerSink>,
    reads: Option<VerifiedReads>,
    numbering: (u32, u32),
    newcomer: UserState,
) -> Users {
    Users::new(composer, rules, ledger, reads, timeout_ns(plan), numbering, newcomer)
}

fn timeout_ns(plan: &Plan) -> u64 {
    plan.transport.timeout_ms.saturating_mul(1_000_000)
}
