//! How the rate of an open phase is divided among operations that have one of their own and all others.

use crate::plan::{Operation, Plan};
use crate::workload::Wanted;

/// The arrival rates. Operations with a rate have it out of `total`, and the others share the rest by their
/// weights. Where one of both is missing, or `total` is too low, the rates are scaled to it.
pub(super) fn rates_of(plan: &Plan, total: f64) -> Vec<(Wanted, f64)> {
    let rated = || plan.operations.iter().enumerate().filter_map(|(index, each)| Some((index as u16, each.rate?)));
    let own: f64 = rated().map(|(_, rate)| rate).sum();
    if own <= 0.0 {
        return vec![(Wanted::Drawn, total)];
    }
    let is_drawn = |each: &Operation| each.weight > 0 && each.rate.is_none();
    let has_others = plan.operations.iter().any(is_drawn) || plan.sessions.iter().any(|session| session.weight > 0);
    let scale = if has_others { (total / own).min(1.0) } else { total / own };
    let rest = total - own * scale;
    let others = (has_others && rest > 0.0).then_some((Wanted::DrawnWithoutRates, rest));
    others.into_iter().chain(rated().map(|(index, rate)| (Wanted::Operation(index), rate * scale))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn plan(rates: &[(u32, Option<f64>)]) -> Plan {
        let operation = |(weight, rate): &(u32, Option<f64>)| {
            json!({"name": "o", "weight": weight, "key": null, "http": null, "grpc": null, "variants": [[]],
                   "creates": null, "needs": null, "effect": null, "rate": rate})
        };
        serde_json::from_value(json!({
            "version": 1, "workload": "w", "target": "t", "mode": "m", "payload": "p", "run": "00000000",
            "seed": "0000000000000000", "base_time_ms": 0, "proto": null, "phases": [], "think_time_ms": 0,
            "transport": {"protocol": "http", "host": "h", "port": 1, "connections": null, "batch": 1, "stream": false,
                          "timeout_ms": 1},
            "thresholds": {"p95_ms": 1, "p99_ms": 1, "error_rate": 1}, "keys": [], "size_bytes": null,
            "operations": rates.iter().map(operation).collect::<Vec<Value>>(),
            "batch": null, "stream": null, "ledger": null, "verify_share": 1,
        }))
        .expect("a plan")
    }

    #[test]
    fn own_rates_come_out_of_the_total() {
        use Wanted::{Drawn, DrawnWithoutRates, Operation};
        let check = |operations: &[(u32, Option<f64>)], total: f64, expected: &[(Wanted, f64)]| {
            assert_eq!(rates_of(&plan(operations), total), expected, "{operations:?} {total}");
        };
        check(&[(1, None), (3, None)], 100.0, &[(Drawn, 100.0)]);
        check(&[(1, None), (0, Some(10.0))], 100.0, &[(DrawnWithoutRates, 90.0), (Operation(1), 10.0)]);
        let too_many = [(1, None), (1, Some(30.0)), (0, Some(10.0))];
        check(&too_many, 20.0, &[(Operation(1), 15.0), (Operation(2), 5.0)]);
        check(&[(1, Some(1.0)), (1, Some(3.0))], 100.0, &[(Operation(0), 25.0), (Operation(1), 75.0)]);
        check(&[(0, None), (1, Some(3.0))], 9.0, &[(Operation(1), 9.0)]);
    }
}
