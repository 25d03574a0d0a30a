//! File descriptors: one for each connection.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Beside the connections: files, timers, standard streams.
const OTHERS: u64 = 32;

/// Raises the soft limit to what this many connections need, up to the hard limit.
/// Returns advice where that is not enough.
#[must_use]
pub fn make_room_for(connections: u32) -> Option<String> {
    let wanted = u64::from(connections) + OTHERS;
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current >= wanted) {
        return None;
    }
    let reachable = limit.maximum.map_or(wanted, |maximum| maximum.min(wanted));
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(reachable), maximum: limit.maximum });
    if raised.is_ok() && reachable >= wanted {
        return None;
    }
    Some(format!(
        "{connections} connections need {wanted} file descriptors and only {reachable} are allowed: \
         raise the hard limit (`ulimit -Hn {wanted}`, LimitNOFILE= of the service, nofile in limits.conf) \
         or share connections among users"
    ))
}
