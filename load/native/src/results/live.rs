//! The display during the load.

use std::io::{IsTerminal, Write, stderr};

use super::figures::{grouped, quantile, sketch};
use super::summary::Summary;
use super::totals::PhaseTotals;
use crate::engine::{Observer, PhaseRecord, SecondRecord, StartRecord};

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// Seconds of throughput that the view shows.
const WIDTH: usize = 60;

/// Shows each second on standard error: a view that is redrawn on a terminal, else a line.
#[derive(Debug)]
pub struct Live {
    /// The duration of each phase; none where its requests are counted.
    planned_ms: Vec<Option<u64>>,
    phase: usize,
    totals: PhaseTotals,
    recent: Vec<u64>,
    is_silent: bool,
    is_terminal: bool,
    /// Lines of the view that stand on the terminal.
    drawn: usize,
    /// The last phase that is over.
    pub summary: Option<Summary>,
}

impl Live {
    /// A view of phases that are planned to last so long; none where their requests are counted.
    #[must_use]
    pub fn new(planned_ms: Vec<Option<u64>>) -> Self {
        Self {
            planned_ms,
            phase: 0,
            totals: PhaseTotals::default(),
            recent: Vec::new(),
            is_silent: false,
            is_terminal: stderr().is_terminal(),
            drawn: 0,
            summary: None,
        }
    }

    /// Measures without a view.
    #[must_use]
    pub fn silent() -> Self {
        Self { is_silent: true, is_terminal: false, ..Self::new(Vec::new()) }
    }

    fn print(&self, text: &str) {
        if self.is_silent {
            return;
        }
        // A view that cannot be shown is no reason to stop the load.
        let _ = stderr().write_all(text.as_bytes());
    }

    fn planned_s(&self) -> Option<u64> {
        self.planned_ms.get(self.phase).copied().flatten().map(|ms| ms.div_ceil(1_000))
    }

    fn count(&mut self, record: &SecondRecord) {
        let tally = &record.tally;
        self.totals.add(tally);
        if self.planned_s().is_none_or(|end| record.second < end) {
            self.recent.push(tally.all().ok);
        }
    }

    /// The second just over, throughput over time, and all latencies so far.
    fn view(&self, record: &SecondRecord) -> Vec<String> {
        // The last replies may come after the time is over.
        let second = record.second + 1;
        let passed = self.planned_s().map_or_else(|| second.to_string(), |end| format!("{} of {end}", second.min(end)));
        let mut lines = vec![
            format!(
                "{passed} s   {}/s   failed {}   late {}",
                grouped(record.tally.all().ok),
                grouped(self.totals.all.failed),
                grouped(record.tally.late)
            ),
            bars(&self.recent),
            String::new(),
        ];
        let latency = self.totals.all.latency();
        let [p50, p99, max] = [0.5, 0.99, 1.0].map(|at| quantile(latency, at));
        lines.push(format!("latency  p50 {p50}  p99 {p99}  max {max}"));
        lines.extend(sketch(latency));
        lines
    }

    /// Redraws the view, as many lines as fit on the terminal.
    fn draw(&mut self, lines: &[String]) {
        // 80×24 where the size is unknown.
        let size = rustix::termios::tcgetwinsize(stderr()).ok().filter(|size| size.ws_col > 0 && size.ws_row > 0);
        let (columns, rows) = size.map_or((80, 24), |size| (usize::from(size.ws_col), usize::from(size.ws_row)));
        let shown = lines.len().min(rows.saturating_sub(1));
        let mut text = match self.drawn {
            0 => String::new(),
            lines => format!("\x1b[{lines}A\x1b[J"),
        };
        for line in &lines[..shown] {
            // A line that wrapped would be two, and the next view would begin too low.
            text.extend(line.chars().take(columns.saturating_sub(1)));
            text.push('\n');
        }
        self.drawn = shown;
        self.print(&text);
    }
}

impl Observer for Live {
    fn start(&mut self, record: &StartRecord) {
        let connections = grouped(u64::from(record.connections));
        self.print(&format!("{} over {}, {connections} connections\n", record.target, record.protocol.name()));
    }

    fn phase_start(&mut self, phase: usize, _name: &str, _users: u32, _unix_ns: u64) {
        self.phase = phase;
        self.totals = PhaseTotals::default();
        self.recent.clear();
        self.drawn = 0;
    }

    fn second(&mut self, record: &SecondRecord) {
        self.count(record);
        if self.is_terminal {
            self.draw(&self.view(record));
        } else {
            self.print(&line(record));
        }
    }

    fn phase_end(&mut self, record: &PhaseRecord) {
        if self.drawn > 0 {
            // The summary replaces the view.
            self.print(&format!("\x1b[{}A\x1b[J", self.drawn));
        }
        self.summary = Some(Summary { totals: std::mem::take(&mut self.totals), phase: record.clone() });
    }

    fn warning(&mut self, message: &str) {
        self.print(&format!("warning: {message}\n"));
    }

    fn end(&mut self, interrupted: bool, _unix_ns: u64) {
        self.print(if interrupted { "interrupted\n\n" } else { "\n" });
    }
}

/// A second alone, in a line.
fn line(record: &SecondRecord) -> String {
    let all = record.tally.all();
    let [p50, p99, max] = [0.5, 0.99, 1.0].map(|at| quantile(all.latency(), at));
    format!(
        "{:>5} s {:>9}/s  failed {:>6}  late {:>6}  p50 {p50:>9}  p99 {p99:>9}  max {max:>9}\n",
        record.second + 1,
        grouped(all.ok),
        grouped(all.failed),
        grouped(record.tally.late),
    )
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
    use crate::engine::Tally;

    #[test]
    fn bars_reach_from_nothing_to_the_highest() {
        assert_eq!(bars(&[0, 1, 50, 100]), "▁▂▅█");
        assert_eq!(bars(&[]), "");
        assert_eq!(bars(&[0, 0]), "▁▁");
        assert_eq!(bars(&vec![7; 100]).chars().count(), WIDTH);
    }

    fn second(second: u64, ok: u64, failed: u64) -> SecondRecord {
        let mut tally = Tally::new(1, false);
        for number in 0..ok {
            tally.count_ok(0, 1, false);
            tally.record_times(0, Some(1_000 * (number + 1)), 0);
        }
        tally.calls[0].failed = failed;
        SecondRecord { phase: 0, second, unix_ns: 0, tally }
    }

    fn shown(records: &[SecondRecord]) -> Vec<String> {
        let mut live = Live::new(vec![Some(2_500)]);
        records.iter().for_each(|record| live.count(record));
        live.view(records.last().expect("a second"))
    }

    #[test]
    fn the_view_shows_the_last_second_and_all_latencies() {
        let lines = shown(&[second(0, 2_000, 3), second(1, 1_000, 0)]);
        assert_eq!(lines[0], "2 of 3 s   1,000/s   failed 3   late 0");
        assert_eq!(lines[1], "█▅");
        assert!(lines[3].starts_with("latency  p50 ") && lines[3].ends_with("max 2.00 ms"), "{}", lines[3]);
        assert_eq!(lines.len(), 14, "and a sketch");
        assert!(lines.iter().all(|line| line.chars().count() < 72), "it fits into any terminal: {lines:#?}");
    }

    #[test]
    fn replies_after_the_end_are_no_further_second() {
        let lines = shown(&[second(0, 9, 0), second(1, 9, 0), second(2, 9, 0), second(3, 1, 0)]);
        assert_eq!((lines[0].as_str(), lines[1].as_str()), ("3 of 3 s   1/s   failed 0   late 0", "███"));
    }

    #[test]
    fn a_backlog_is_shown_as_it_is_and_not_added_up() {
        let late = |number, late| {
            let mut record = second(number, 9, 0);
            (record.tally.unsent, record.tally.late) = (50, late);
            record
        };
        let records = [late(0, 50), late(1, 1_050), late(2, 1_050)];
        assert_eq!(shown(&records)[0], "3 of 3 s   9/s   failed 0   late 1,050");
        assert!(line(&records[2]).contains("  late  1,050  "), "{}", line(&records[2]));
    }

    #[test]
    fn a_second_without_replies_has_no_latency() {
        assert_eq!(shown(&[second(0, 0, 5)])[3], "latency  p50 –  p99 –  max –");
        assert_eq!(
            line(&second(0, 0, 1_500)),
            "    1 s         0/s  failed  1,500  late      0  p50         –  p99         –  max         –\n"
        );
    }
}
