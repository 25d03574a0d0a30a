//! Instructions to an agent: lines of standard input.

use std::io::BufRead;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};

use crate::engine::{Instruction, Instructions};

/// Reads instructions in its own thread. `stop` and the end of the input set `interrupted`: an agent must not
/// outlive the process that leads it.
///
/// # Errors
/// The thread cannot be started.
pub fn read(input: impl BufRead + Send + 'static, interrupted: Arc<AtomicBool>) -> std::io::Result<Instructions> {
    let (sender, receiver) = channel();
    std::thread::Builder::new().name("instructions".to_owned()).spawn(move || {
        pass_on(input, &sender);
        interrupted.store(true, Ordering::Relaxed);
    })?;
    Ok(Instructions::new(receiver))
}

/// Passes instructions on until `stop`, the end of the input, or a line that is none.
fn pass_on(input: impl BufRead, sender: &Sender<Instruction>) {
    for line in input.lines().map_while(Result::ok) {
        match parsed(&line) {
            Some(instruction) if sender.send(instruction).is_ok() => {}
            Some(_) => return,
            None => {
                if line != "stop" {
                    eprintln!("error: unknown instruction {line:?}: expected clock ID, go, go UNIX_NS or stop");
                }
                return;
            }
        }
    }
}

fn parsed(line: &str) -> Option<Instruction> {
    match line.split_once(' ') {
        None if line == "go" => Some(Instruction::Go(None)),
        Some(("go", at)) => at.parse().ok().map(|at| Instruction::Go(Some(at))),
        Some(("clock", id)) => id.parse().ok().map(Instruction::Clock),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_instructions() {
        for (line, expected) in [
            ("go", Some(Instruction::Go(None))),
            ("go 17", Some(Instruction::Go(Some(17)))),
            ("clock 3", Some(Instruction::Clock(3))),
            ("stop", None),
            ("go now", None),
            ("clock", None),
            ("", None),
        ] {
            assert_eq!(parsed(line), expected, "{line}");
        }
    }

    #[test]
    fn nothing_is_passed_on_after_a_stop() {
        let (sender, receiver) = channel();
        pass_on(&b"clock 1\ngo\nstop\ngo\n"[..], &sender);
        drop(sender);
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [Instruction::Clock(1), Instruction::Go(None)]);
    }
}
