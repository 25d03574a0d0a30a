//! Ctrl-C, SIGTERM and SIGHUP end a load early, with the figures so far.

use std::io;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The signal that came last; zero until then.
static SIGNAL: OnceLock<Arc<AtomicUsize>> = OnceLock::new();

/// The flag that the signals set.
///
/// # Errors
/// The system refuses the handlers.
pub fn interruption() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let last = SIGNAL.get_or_init(Arc::default);
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if signal == SIGHUP && is_ignored(signal) {
            // Started by nohup.
            continue;
        }
        signal_hook::flag::register_usize(signal, Arc::clone(last), signal as usize)?;
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

/// The exit status of a command that a signal has interrupted, as shells give it.
pub fn exit_code() -> ExitCode {
    let signal = SIGNAL.get().map_or(0, |last| last.load(Ordering::Relaxed));
    ExitCode::from(128 + u8::try_from(if signal == 0 { SIGINT as usize } else { signal }).unwrap_or(0))
}

/// Whether the parent process lets this one ignore a signal.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask & (1 << (signal - 1)) != 0
}
