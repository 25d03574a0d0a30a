//! Leads the workers through the phases and merges their reports.

use std::collections::BTreeMap;
use std::io;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender};

use super::agent::{Agent, share_of_one};
use super::clock::Clock;
use super::error::EngineError;
use super::instruction::{Instruction, Instructions};
use super::options::Options;
use super::pacer::Schedule;
use super::rates::rates_of;
use super::records::{Observer, PhaseRecord, SecondRecord};
use super::steadiness::SteadinessWatch;
use super::stop::Stop;
use super::tally::Tally;
use super::users::Rest;
use super::worker::{PhaseObserver, PhaseOutcome, Share, Worker};
use crate::plan::{Phase, Plan};
use crate::wire::Wire;

pub(super) enum Command {
    Prepare { users: u32, connections: usize, stop: Stop },
    Run(Box<Share>),
}

pub(super) enum Report {
    Prepared,
    Second { second: u64, tally: Box<Tally> },
    PhaseOver(PhaseOutcome),
    Failed(io::Error),
}

struct ReportSender<'a>(&'a Sender<Report>);

impl PhaseObserver for ReportSender<'_> {
    fn second(&mut self, second: u64, tally: Tally) {
        // The receiver is dropped only after the run has failed.
        let _ = self.0.send(Report::Second { second, tally: Box::new(tally) });
    }
}

/// Executes the coordinator's commands until the coordinator is dropped.
pub(super) fn serve<W: Wire>(
    mut worker: Worker<W>,
    commands: &Receiver<Command>,
    reports: &Sender<Report>,
) -> io::Result<()> {
    sharpen_timers();
    for command in commands {
        let report = match command {
            Command::Prepare { users, connections, stop } => {
                worker.prepare(users, connections, &stop)?;
                Report::Prepared
            }
            Command::Run(share) => Report::PhaseOver(worker.run(*share, &mut ReportSender(reports))?),
        };
        if reports.send(report).is_err() {
            break;
        }
    }
    worker.finish();
    Ok(())
}

/// The kernel rounds a thread's timers by 50 µs to save power: too much for a schedule.
fn sharpen_timers() {
    // Where this is refused, send lag shows the effect.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
}

/// Leads the workers through a plan.
pub(super) struct Coordinator<'a> {
    plan: &'a Plan,
    interrupted: &'a Arc<AtomicBool>,
    agent: Agent,
    instructions: Option<&'a Instructions>,
    clock: Clock,
    commands: Vec<Sender<Command>>,
    reports: Receiver<Report>,
}

/// A running phase.
struct Progress {
    phase: usize,
    start_ns: u64,
    stop: Stop,
    watch: Option<SteadinessWatch>,
}

impl Progress {
    /// From the begin to the end that was planned, or brought forward; none without one.
    fn planned_ns(&self) -> Option<u64> {
        let until_ns = self.stop.until_ns();
        (until_ns < u64::MAX).then(|| until_ns.saturating_sub(self.start_ns))
    }

    /// Ends the phase early if throughput is steady after this second.
    fn take_second(&mut self, tally: &Tally, now: u64) {
        if self.watch.as_mut().is_some_and(|watch| watch.take(tally.operations)) {
            self.stop.bring_forward(now);
        }
    }
}

/// Workers begin a phase together: the begin lies this far ahead, so that every worker knows it in time.
const HEAD_START_NS: u64 = 1_000_000;

impl<'a> Coordinator<'a> {
    pub(super) fn new(
        plan: &'a Plan,
        options: &'a Options,
        clock: Clock,
        commands: Vec<Sender<Command>>,
        reports: Receiver<Report>,
    ) -> Self {
        let instructions = options.instructions.as_ref();
        Self { plan, interrupted: &options.interrupted, agent: options.agent, instructions, clock, commands, reports }
    }

    /// Runs all phases; returns whether they were interrupted.
    pub(super) fn lead(&self, observer: &mut impl Observer) -> Result<bool, EngineError> {
        for (index, phase) in self.plan.phases.iter().enumerate() {
            if self.is_interrupted() {
                break;
            }
            self.prepare(phase)?;
            let Some(start_ns) = self.start_of(index, observer) else { break };
            observer.phase_start(index, phase.name(), self.users(phase), self.clock.unix_ns(start_ns));
            let stop = self.begin(phase, start_ns)?;
            // With several agents every phase runs for its whole length: an agent cannot know when the others would end it.
            let watch = (self.agent.of == 1).then(|| SteadinessWatch::of(phase)).flatten();
            let record = self.gather(Progress { phase: index, start_ns, stop, watch }, observer)?;
            observer.phase_end(&record);
        }
        Ok(self.is_interrupted())
    }

    /// When a prepared phase starts: at once, or as instructed, but not in the past. None after an interruption.
    fn start_of(&self, phase: usize, observer: &mut impl Observer) -> Option<u64> {
        let Some(instructions) = self.instructions else { return Some(self.clock.now() + HEAD_START_NS) };
        observer.ready(phase, self.clock.unix_ns(self.clock.now()));
        while !self.is_interrupted() {
            match instructions.next() {
                Some(Instruction::Clock(id)) => observer.clock(id, self.clock.unix_ns(self.clock.now())),
                Some(Instruction::Go(at)) => {
                    let instructed = at.map_or(0, |unix_ns| self.clock.instant(unix_ns));
                    return Some(instructed.max(self.clock.now() + HEAD_START_NS));
                }
                None => {}
            }
        }
        None
    }

    fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    fn workers(&self) -> u32 {
        self.commands.len() as u32
    }

    /// A worker's share of something that is share_of_one out one by one among the workers of all engines.
    fn share_of(&self, total: u32, worker: u32) -> u32 {
        share_of_one(total, self.agent.place(worker, self.workers()))
    }

    /// The virtual users of a phase that are this engine's.
    fn users(&self, phase: &Phase) -> u32 {
        (0..self.workers()).map(|worker| self.share_of(phase.users(), worker)).sum()
    }

    fn command(&self, worker: usize, command: Command) -> Result<(), EngineError> {
        self.commands[worker].send(command).map_err(|_| EngineError::WorkerLost)
    }

    fn prepare(&self, phase: &Phase) -> Result<(), EngineError> {
        for worker in 0..self.workers() {
            let users = self.share_of(phase.users(), worker);
            let shared = self.plan.transport.connections.map_or(users, |total| self.share_of(total, worker).max(1));
            let stop = Stop::new(None, None, Arc::clone(self.interrupted));
            let command = Command::Prepare { users, connections: shared.min(users) as usize, stop };
            self.command(worker as usize, command)?;
        }
        for _ in &self.commands {
            match self.reports.recv().map_err(|_| EngineError::WorkerLost)? {
                Report::Failed(error) => return Err(error.into()),
                Report::Prepared | Report::Second { .. } | Report::PhaseOver(_) => {}
            }
        }
        Ok(())
    }

    /// Starts all workers; returns the stop that ends the phase for all of them.
    fn begin(&self, phase: &Phase, start_ns: u64) -> Result<Stop, EngineError> {
        let until = |duration_ms: u64| start_ns.saturating_add(duration_ms.saturating_mul(1_000_000));
        let (until_ns, left) = match phase {
            Phase::Held(phase) => (Some(until(phase.duration_ms)), None),
            Phase::Counted(phase) => (None, Some(Arc::new(AtomicU64::new(self.agent.share_of(phase.iterations))))),
            Phase::Arriving(phase) => (Some(until(phase.duration_ms)), None),
        };
        let stop = Stop::new(until_ns, left, Arc::clone(self.interrupted));
        let think_ns = (self.plan.think_time_ms * 1e6) as u64;
        let rest = if phase.is_open() { Rest::Idle } else { Rest::Think(think_ns) };
        for worker in 0..self.workers() {
            let share = Share {
                users: self.share_of(phase.users(), worker),
                rest,
                arrivals: self.arrivals(phase, worker),
                stop: stop.clone(),
                start_ns,
                is_scheduled: phase.is_open() || self.thinks(),
            };
            self.command(worker as usize, Command::Run(Box::new(share)))?;
        }
        Ok(stop)
    }

    /// Whether users pause, so that their next request has an instant at which it is due.
    fn thinks(&self) -> bool {
        let pauses = |ms: f64| ms > 0.0;
        let of_operations = self.plan.operations.iter().filter_map(|operation| operation.think_time_ms);
        let of_sessions = self.plan.sessions.iter().filter_map(|session| session.think_time_ms);
        pauses(self.plan.think_time_ms) || of_operations.chain(of_sessions).any(pauses)
    }

    fn arrivals(&self, phase: &Phase, worker: u32) -> Option<Schedule> {
        let Phase::Arriving(phase) = phase else { return None };
        let duration_ns = phase.duration_ms.saturating_mul(1_000_000);
        let seed = self.plan.seed_number();
        let place = self.agent.place(worker, self.workers());
        let shares = rates_of(self.plan, phase.rate);
        Some(Schedule::new(&shares, phase.arrival, duration_ns, place, seed))
    }

    /// Reports seconds in order, each once all workers have reported it, until the phase has ended for all workers.
    fn gather(&self, mut progress: Progress, observer: &mut impl Observer) -> Result<PhaseRecord, EngineError> {
        let Progress { phase, start_ns, .. } = progress;
        let mut record = PhaseRecord {
            phase,
            unix_ns: 0,
            duration_ns: 0,
            planned_ns: None,
            unsent: 0,
            connections_opened: 0,
            interrupted: false,
            steadiness: None,
        };
        let mut seconds: BTreeMap<u64, (u32, Tally)> = BTreeMap::new();
        let mut running = self.workers();
        while running > 0 {
            match self.reports.recv().map_err(|_| EngineError::WorkerLost)? {
                Report::Failed(error) => return Err(error.into()),
                Report::Prepared => {}
                Report::Second { second, tally } => match seconds.get_mut(&second) {
                    Some((reported, known)) => {
                        *reported += 1;
                        known.add(&tally);
                    }
                    None => {
                        seconds.insert(second, (1, *tally));
                    }
                },
                Report::PhaseOver(outcome) => {
                    running -= 1;
                    record.unsent += outcome.unsent;
                    record.connections_opened += outcome.connections_opened;
                    record.duration_ns = record.duration_ns.max(outcome.ended_ns.saturating_sub(start_ns));
                }
            }
            let complete = self.workers();
            while let Some(entry) = seconds.first_entry()
                && (running == 0 || entry.get().0 == complete)
            {
                let (second, (_, tally)) = entry.remove_entry();
                progress.take_second(&tally, self.clock.now());
                let unix_ns = self.clock.unix_ns(start_ns + second * 1_000_000_000);
                observer.second(&SecondRecord { phase, second, unix_ns, tally });
            }
        }
        record.unix_ns = self.clock.unix_ns(self.clock.now());
        record.interrupted = self.is_interrupted();
        record.planned_ns = progress.planned_ns().filter(|_| !record.interrupted);
        record.steadiness = progress.watch.map(|watch| watch.steadiness);
        Ok(record)
    }
}
