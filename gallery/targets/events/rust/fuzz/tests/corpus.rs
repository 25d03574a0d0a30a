//! Runs every check on the inputs of its corpus.

use events_fuzz::{CHECKS, corpus};

#[test]
fn every_check_holds_for_its_corpus() {
    for (name, check) in CHECKS {
        let inputs = corpus::read(name).expect("a packed corpus");
        assert!(inputs.len() > 10, "{name} has only {} inputs", inputs.len());
        for (index, input) in inputs.iter().enumerate() {
            // Shown when the check panics.
            println!("{name}, line {}: {}", index + 1, input.escape_ascii());
            check(input);
        }
    }
}
