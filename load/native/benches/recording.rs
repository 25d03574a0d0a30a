//! Measures the cost of recording a reply: counters, histograms, and a record in the ledger.

#[path = "support/cpu_time.rs"]
mod cpu_time;

use std::hint::black_box;

use bakeoff_load::engine::Tally;
use bakeoff_load::ledger::{LedgerFile, Outcome};
use bakeoff_load::wire::Code;
use bakeoff_load::workload::Event;
use cpu_time::CpuTime;
use criterion::{Criterion, criterion_group, criterion_main};

fn recording(criterion: &mut Criterion<CpuTime>) {
    let mut tally = Tally::new(4, true);
    let mut latency_ns = 1_u64;
    criterion.bench_function("tally/closed and open", |bencher| {
        bencher.iter(|| {
            // Any latencies between 1 ns and 16 ms.
            latency_ns = (latency_ns.wrapping_mul(6_364_136_223_846_793_005) + 1) % (1 << 24);
            let call = (latency_ns % 4) as usize;
            tally.count_sent(call, Some(latency_ns >> 8));
            tally.calls[call].count_status(Code::Http(200));
            tally.count_ok(call, 1, false);
            tally.record_times(call, Some(latency_ns), latency_ns + 500);
            black_box(&tally);
        });
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = LedgerFile::create(&folder.path().join("ledger"), 1, b"0badcafe").expect("created");
    let mut sink = file.sink();
    let mut sequence = 0_u32;
    criterion.bench_function("ledger/record", |bencher| {
        bencher.iter(|| {
            sequence += 1;
            let event = Event {
                sequence,
                operation: 2,
                key_sequence: sequence / 2,
                is_shared: false,
                entity: None,
                step: None,
            };
            sink.record(sequence % 64, &event, Outcome::Acknowledged, None);
        });
    });
    drop(sink);
    file.finish().expect("written");
}

criterion_group!(name = benches; config = Criterion::default().with_measurement(CpuTime); targets = recording);
criterion_main!(benches);
