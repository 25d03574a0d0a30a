//! Replays what the fuzzers found worth keeping.

use std::fs;
use std::path::Path;

use events_fuzz::CHECKS;

#[test]
fn every_check_holds_for_its_corpus() {
    for (name, check) in CHECKS {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
        let files: Vec<_> = fs::read_dir(&corpus).expect("a folder").map(|file| file.expect("a file").path()).collect();
        assert!(files.len() > 10, "{} has only {} files", corpus.display(), files.len());
        for file in files {
            // Shown when the check panics.
            println!("{}", file.display());
            check(&fs::read(&file).expect("readable"));
        }
    }
}
