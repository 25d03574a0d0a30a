//! Whether throughput is steady, so that a phase may end early.

use super::records::Steadiness;
use crate::plan::{Phase, SteadyRule};

/// Whether the latest whole seconds of a phase, with these acknowledged operations in each, are steady: each second
/// of the window is near their mean, and so is the mean of as many seconds before. Few operations vary by chance
/// alone, which is tolerated: three standard deviations of a Poisson count.
#[must_use]
fn is_steady(rule: SteadyRule, operations: &[u64]) -> bool {
    let window = rule.window_s as usize;
    let Some((rest, latest)) = operations.len().checked_sub(window).map(|split| operations.split_at(split)) else {
        return false;
    };
    let Some(before) = rest.len().checked_sub(window).map(|start| &rest[start..]) else {
        return false;
    };
    let level = mean(latest);
    let tolerated = (rule.tolerance * level).max(3.0 * level.sqrt());
    let is_near = |value: f64| (value - level).abs() <= tolerated;
    level > 0.0 && latest.iter().all(|count| is_near(*count as f64)) && is_near(mean(before))
}

fn mean(counts: &[u64]) -> f64 {
    counts.iter().map(|count| *count as f64).sum::<f64>() / counts.len() as f64
}

/// Observes a running phase that has such a rule.
#[derive(Debug)]
pub(super) struct SteadinessWatch {
    rule: SteadyRule,
    /// Whole seconds that the phase may last: replies that arrive later are ignored.
    seconds: u64,
    operations: Vec<u64>,
    pub steadiness: Steadiness,
}

impl SteadinessWatch {
    /// None where no rule ends the phase early.
    pub fn of(phase: &Phase) -> Option<Self> {
        let seconds = phase.duration_ms()? / 1_000;
        Some(Self { rule: phase.until_steady()?, seconds, operations: Vec::new(), steadiness: Steadiness::Never })
    }

    /// Takes the next second. True when the phase may end with it; later seconds change nothing.
    pub fn take(&mut self, operations: u64) -> bool {
        if self.steadiness != Steadiness::Never || self.operations.len() as u64 >= self.seconds {
            return false;
        }
        self.operations.push(operations);
        if is_steady(self.rule, &self.operations) {
            self.steadiness = Steadiness::AfterSeconds(self.operations.len() as u64);
        }
        self.steadiness != Steadiness::Never
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;
    use crate::plan::{CountedPhase, HeldPhase};

    #[derive(Deserialize)]
    struct Vectors {
        cases: Vec<Case>,
    }

    #[derive(Deserialize)]
    struct Case {
        name: String,
        window_s: u32,
        tolerance: f64,
        operations: Vec<u64>,
        steady: bool,
    }

    #[test]
    fn the_contract_s_cases_come_out_as_they_must() {
        let vectors = include_str!("../../../../lab/src/bakeoff/formats/vectors/steady.json");
        let vectors: Vectors = serde_json::from_str(vectors).expect("the contract's vectors");
        assert!(!vectors.cases.is_empty());
        for case in vectors.cases {
            let rule = SteadyRule { window_s: case.window_s, tolerance: case.tolerance };
            assert_eq!(is_steady(rule, &case.operations), case.steady, "{}", case.name);
        }
    }

    fn watch(duration_ms: u64) -> SteadinessWatch {
        let until_steady = Some(SteadyRule { window_s: 1, tolerance: 0.1 });
        let phase = HeldPhase { name: String::new(), virtual_users: 1, duration_ms, until_steady };
        SteadinessWatch::of(&Phase::Held(phase)).expect("a rule")
    }

    #[test]
    fn a_phase_ends_once_and_late_replies_change_nothing() {
        let mut watch = watch(10_000);
        let ends = [5_000, 9_000, 9_100, 3, 3].map(|operations| watch.take(operations));
        assert_eq!((ends, watch.steadiness), ([false, false, true, false, false], Steadiness::AfterSeconds(3)));
    }

    #[test]
    fn a_partial_second_is_ignored() {
        let mut watch = watch(2_500);
        assert_eq!([5_000, 9_000, 9_000].map(|operations| watch.take(operations)), [false; 3]);
        assert_eq!(watch.steadiness, Steadiness::Never);
    }

    #[test]
    fn without_a_rule_nothing_is_watched() {
        let counted = Phase::Counted(CountedPhase { name: String::new(), virtual_users: 1, iterations: 5 });
        assert!(SteadinessWatch::of(&counted).is_none());
    }
}
