//! The plan parser and all that is compiled from a plan.
#![no_main]

use bakeoff_load::plan::Plan;
use bakeoff_load::workload::Workload;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(plan) = Plan::parse(bytes) {
        let _ = Workload::compile(&plan);
    }
});
