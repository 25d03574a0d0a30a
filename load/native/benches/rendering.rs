//! Measures the cost of rendering an event, in CPU time. The goal: below 0.5 µs for a default body, below 5 µs for 64 KiB.

#[path = "support/cpu_time.rs"]
mod cpu_time;
#[path = "../tests/support/events.rs"]
mod events;
#[path = "../tests/support/mod.rs"]
mod support;

use std::hint::black_box;
use std::sync::Arc;

use bakeoff_load::workload::{Renderer, Workload};
use cpu_time::CpuTime;
use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;

/// An event as large as the events workload's: a literal frame and eleven slots.
fn default_message() -> serde_json::Value {
    json!([
        "{\"eventHeader\":{\"uuid\":\"", {"slot": "uuid"}, "\",\"eventName\":\"LoanCreated\",\"createdDate\":\"",
        {"slot": "timestamp"}, "\",\"savedDate\":\"", {"slot": "timestamp"},
        "\",\"eventType\":\"LoanCreated\"},\"eventBody\":{\"entities\":[{\"entityType\":\"Loan\",\"entityId\":\"",
        {"slot": "key"}, "\",\"updatedAttributes\":{\"balance\":",
        {"slot": "decimal", "min": 100_000, "max": 5_000_000, "scale": 2}, ",\"interestRate\":",
        {"slot": "decimal", "min": 100, "max": 1_200, "scale": 2}, ",\"termMonths\":",
        {"slot": "integer", "min": 12, "max": 84}, ",\"status\":\"",
        {"slot": "choice", "choices": ["pending", "active", "approved"]}, "\",\"lastPaidDate\":\"",
        {"slot": "timestamp"}, "\",\"createdAt\":\"", {"slot": "timestamp"}, "\",\"notes\":\"",
        {"slot": "pad", "text": "lorem ipsum dolor sit amet ".repeat(3_000)}, "\"}}]}}"
    ])
}

fn rendering(criterion: &mut Criterion<CpuTime>) {
    let address = "127.0.0.1:1".parse().expect("an address");
    for (name, size) in [("default", None), ("64k", Some(65_536))] {
        let mut plan = events::plan(address, &json!({"size_bytes": size}));
        plan.operations[0].variants = vec![serde_json::from_value(default_message()).expect("a template")];
        let workload = Arc::new(Workload::compile(&plan).expect("compiles"));
        let state = workload.new_user();
        let mut renderer = Renderer::new(Arc::clone(&workload));
        let mut out = Vec::new();
        let mut sequence = 0;
        for encoding in ["json", "protobuf"] {
            criterion.bench_function(&format!("{name}/{encoding}"), |bencher| {
                bencher.iter(|| {
                    sequence += 1;
                    out.clear();
                    renderer.next(7, &state, sequence);
                    if encoding == "json" {
                        renderer.json(&mut out)
                    } else {
                        renderer.protobuf(&mut out)
                    }
                    black_box(&out);
                });
            });
        }
    }
}

criterion_group!(name = benches; config = Criterion::default().with_measurement(CpuTime); targets = rendering);
criterion_main!(benches);
