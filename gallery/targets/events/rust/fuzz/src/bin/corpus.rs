//! Packs and unpacks corpora: `corpus pack|unpack CHECK...`

use std::process::ExitCode;

use events_fuzz::{CHECKS, corpus};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let run = match arguments.next().as_deref() {
        Some("pack") => corpus::pack,
        Some("unpack") => corpus::unpack,
        _ => return usage(),
    };
    for check in arguments {
        if !CHECKS.iter().any(|(name, _)| *name == check) {
            return usage();
        }
        if let Err(error) = run(&check) {
            eprintln!("error: corpus of {check}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    let names: Vec<&str> = CHECKS.iter().map(|(name, _)| *name).collect();
    eprintln!("usage: corpus pack|unpack CHECK...\nchecks: {}", names.join(", "));
    ExitCode::from(2)
}
