//! What a person sees while the load runs.

use std::io::{IsTerminal, Write, stderr};

use super::summary::{Summary, duration};
use super::totals::PhaseTotals;
use crate::engine::{Observer, PhaseRecord, SecondRecord, StartRecord};

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Seconds of throughput that the view shows.
const WIDTH: usize = 40;

/// Shows each second on standard error: a view that renews itself on a terminal, else a line.
#[derive(Debug)]
pub struct Live {
    totals: PhaseTotals,
    recent: Vec<u64>,
    is_terminal: bool,
    drawn: bool,
    /// The phase that is over.
    pub summary: Option<Summary>,
}

impl Default for Live {
    fn default() -> Self {
        Self {
            totals: PhaseTotals::default(),
            recent: Vec::new(),
            is_terminal: stderr().is_terminal(),
            drawn: false,
            summary: None,
        }
    }
}

impl Live {
    fn print(&self, text: &str) {
        // A view that cannot be shown is no reason to stop the load.
        let _ = stderr().write_all(text.as_bytes());
    }
}

impl Observer for Live {
    fn start(&mut self, record: &StartRecord) {
        self.print(&format!("{} over {}, {} connections\n", record.target, record.protocol.name(), record.connections));
    }

    fn phase_start(&mut self, _phase: usize, _name: &str, _users: u32, _unix_ns: u64) {
        self.totals = PhaseTotals::default();
        self.recent.clear();
        self.drawn = false;
    }

    fn second(&mut self, record: &SecondRecord) {
        let tally = &record.tally;
        self.totals.add(tally);
        self.recent.push(tally.ok);
        let latency = tally.response.as_ref().unwrap_or(&tally.service);
        let quantile = |at| duration(latency.value_at_quantile(at));
        let line = format!(
            "{:>5} s {:>9}/s  failed {:>6}  unsent {:>6}  p50 {:>9}  p99 {:>9}  max {:>9}\n",
            record.second + 1,
            tally.ok,
            tally.failed,
            tally.unsent,
            quantile(0.5),
            quantile(0.99),
            quantile(1.0),
        );
        if !self.is_terminal {
            self.print(&line);
            return;
        }
        // Two lines: the second just over, and throughput over time; drawn again in their place.
        let back = if self.drawn { "\x1b[2A" } else { "" };
        self.drawn = true;
        self.print(&format!("{back}\x1b[2K{line}\x1b[2K        {}\n", bars(&self.recent)));
    }

    fn phase_end(&mut self, record: &PhaseRecord) {
        self.summary = Some(Summary::new(std::mem::take(&mut self.totals), record));
    }

    fn warning(&mut self, message: &str) {
        self.print(&format!("warning: {message}\n"));
    }

    fn end(&mut self, interrupted: bool, _unix_ns: u64) {
        self.print(if interrupted { "interrupted\n\n" } else { "\n" });
    }
}

/// The last counts as bars, the highest of them full.
fn bars(counts: &[u64]) -> String {
    let shown = &counts[counts.len().saturating_sub(WIDTH)..];
    let highest = shown.iter().copied().max().unwrap_or(0).max(1);
    let bar = |count: &u64| BARS[(count * (BARS.len() as u64 - 1)).div_ceil(highest) as usize];
    shown.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_reach_from_nothing_to_the_highest() {
        assert_eq!(bars(&[0, 1, 50, 100]), "▁▂▅█");
        assert_eq!(bars(&[]), "");
        assert_eq!(bars(&[0, 0]), "▁▁");
        assert_eq!(bars(&vec![7; 100]).chars().count(), WIDTH);
    }
}
