//! Rules of a plan beyond its syntax.

use super::document::{Plan, VERSION};
use super::error::PlanError;
use super::headers;
use super::operation::{KeyKind, Operation, Owner};
use super::phase::{LARGEST_RATE, LONGEST_MS, MOST_REQUESTS, Phase};
use super::transport::{HttpVersion, Protocol};

impl Plan {
    /// Refuses an impossible plan.
    pub(crate) fn check(&self) -> Result<(), PlanError> {
        let rules = [
            (self.version == VERSION, "version: this engine understands version 1"),
            (is_hexadecimal(&self.seed, 16), "seed: must be 16 hexadecimal digits"),
            (is_hexadecimal(&self.run, 8), "run: must be 8 hexadecimal digits"),
            (!self.phases.is_empty(), "phases: at least one"),
            (!self.operations.is_empty(), "operations: at least one"),
            (self.sends_something(), "operations: at least one with a weight above zero"),
            (self.operations.iter().all(|o| !o.variants.is_empty()), "operations: at least one variant each"),
            (self.operations.iter().all(expects_something), "operations: expect is at least one status"),
            (self.operations.iter().filter(|o| o.login).count() <= 1, "operations: at most one login"),
            (self.operations.iter().all(login_is_possible), "operations: login needs nothing and has no effect"),
            (self.is_single() || !self.has_templates(), "header_templates: not with batches or streams"),
            (self.operations.iter().all(|o| o.key.is_none_or(|k| k < self.keys.len())), "operations: no such key"),
            (self.keys.iter().all(key_is_possible), "keys: share is 0 to 1, s above zero, shared at least one"),
            (
                self.phases.iter().all(phase_is_possible),
                "phases: users 1 or more, duration_ms 1 to 604800000, iterations 1 to 1000000000000, rate above 0 to 1000000",
            ),
            (self.phases.iter().all(rule_is_possible), "until_steady: window_s is 1 to 3600, tolerance above zero"),
            ((1..=10_000).contains(&self.transport.batch), "transport.batch: 1 to 10000"),
            (self.transport.port > 0, "transport.port: 1 to 65535"),
            (self.transport.connections != Some(0), "transport.connections: at least one"),
            ((1..=4_096).contains(&self.transport.window), "transport.window: 1 to 4096"),
            (
                self.transport.window == 1 || self.transport.stream,
                "transport.window: more than one message in flight needs a stream",
            ),
            (
                self.transport.keep_alive || !self.transport.is_http2(),
                "transport.keep_alive: false needs protocol http, version 1.1",
            ),
            (
                self.transport.http_version == HttpVersion::One || self.transport.protocol == Protocol::Http,
                "transport.http_version: needs protocol http",
            ),
            (!self.transport.gzip || self.transport.protocol == Protocol::Grpc, "transport.gzip: needs protocol grpc"),
            (self.transport.ping.is_none() || self.transport.is_http2(), "transport.ping: needs HTTP/2"),
            (
                self.transport.ping.is_none_or(|ping| ping.interval_ms > 0 && ping.timeout_ms > 0),
                "transport.ping: interval_ms and timeout_ms above zero",
            ),
            (
                self.operations.iter().all(pick_is_possible),
                "pick: needs an operation that needs something; of any: no effect",
            ),
            (
                self.operations.iter().all(|o| o.think_time_ms.is_none_or(|ms| ms >= 0.0 && ms.is_finite())),
                "think_time_ms: zero or more",
            ),
            (
                self.operations.iter().all(|o| o.rate.is_none_or(|rate| rate > 0.0 && rate.is_finite())),
                "operations: a rate is above zero",
            ),
            (
                self.is_single() || (self.sessions.is_empty() && self.operations.iter().all(|o| o.rate.is_none())),
                "sessions, and rates of operations: not with batches or streams",
            ),
            (
                self.sessions.iter().all(|s| s.think_time_ms.is_none_or(|ms| ms >= 0.0 && ms.is_finite())),
                "sessions: think_time_ms is zero or more",
            ),
            (!self.cookies || self.transport.protocol == Protocol::Http, "cookies: need protocol http"),
            (
                self.operations.iter().all(listed_captures_are_possible),
                "capture: from every item of a list only where the operation creates something and has no effect",
            ),
            (
                self.operations.iter().all(captures_are_possible),
                "capture: headers and parameters are captured over http alone",
            ),
            (self.transport.timeout_ms > 0, "transport.timeout_ms: at least 1"),
            (self.think_time_ms >= 0.0 && self.think_time_ms.is_finite(), "think_time_ms: zero or more"),
            ((0.0..=1.0).contains(&self.verify_share), "verify_share: 0 to 1"),
            (self.transport.batch == 1 || self.batch.is_some(), "transport.batch: the workload has no batch"),
            (
                self.transport.batch == 1 || self.operations.iter().all(|o| o.body.is_none()),
                "transport.batch: not with bodies that are no JSON",
            ),
            (!self.transport.stream || self.stream.is_some(), "transport.stream: the workload has no stream"),
            (!self.transport.stream || self.transport.batch == 1, "transport: a stream takes no batch"),
            (
                !self.transport.stream || self.transport.protocol == Protocol::Grpc,
                "transport.stream: streams need protocol grpc",
            ),
        ];
        match rules.iter().find(|(kept, _)| !kept) {
            Some((_, message)) => Err(PlanError::rule(*message)),
            None => self.check_headers(),
        }
    }

    fn sends_something(&self) -> bool {
        let mut weights = self.operations.iter().map(|o| o.weight).chain(self.sessions.iter().map(|s| s.weight));
        weights.any(|weight| weight > 0)
    }

    /// Whether each request carries one message, to its operation's own call.
    fn is_single(&self) -> bool {
        self.transport.batch == 1 && !self.transport.stream
    }

    fn has_templates(&self) -> bool {
        self.operations.iter().any(|operation| {
            operation.http.as_ref().is_some_and(|call| !call.header_templates.is_empty())
                || operation.grpc.as_ref().is_some_and(|call| !call.metadata_templates.is_empty())
        })
    }

    fn check_headers(&self) -> Result<(), PlanError> {
        for operation in &self.operations {
            if let Some(call) = &operation.http {
                headers::check_own(&operation.name, &call.headers)?;
                headers::check_templates(&operation.name, Protocol::Http, &call.header_templates)?;
            }
            if let Some(call) = &operation.grpc {
                headers::check_templates(&operation.name, Protocol::Grpc, &call.metadata_templates)?;
            }
        }
        headers::check_of_all(&self.transport.headers)
    }
}

fn expects_something(operation: &Operation) -> bool {
    operation.http.as_ref().is_none_or(|call| !call.expect.as_slice().is_empty())
        && operation.grpc.as_ref().is_none_or(|call| !call.expect.as_slice().is_empty())
}

fn login_is_possible(operation: &Operation) -> bool {
    !operation.login || (operation.needs.is_none() && operation.effect.is_none() && operation.creates.is_none())
}

fn captures_are_possible(operation: &Operation) -> bool {
    let is_in_content = |place: &String| {
        let place = place.strip_prefix("optional:").unwrap_or(place);
        place.is_empty() || place.starts_with('/')
    };
    operation.grpc.as_ref().is_none_or(|call| call.capture.values().all(is_in_content))
}

/// A list creates entities that earlier operations stored.
fn listed_captures_are_possible(operation: &Operation) -> bool {
    let calls = operation.http.iter().map(|call| &call.capture).chain(operation.grpc.iter().map(|call| &call.capture));
    let captures_list = calls.flat_map(|capture| capture.values()).any(|place| place.contains("/*"));
    !captures_list || (operation.creates.is_some() && operation.effect.is_none() && !operation.login)
}

fn pick_is_possible(operation: &Operation) -> bool {
    operation.pick.is_none_or(|pick| {
        let is_read = pick.of == Owner::Own || operation.effect.is_none();
        operation.needs.is_some() && is_read && pick.s > 0.0 && pick.s.is_finite()
    })
}

fn key_is_possible(kind: &KeyKind) -> bool {
    kind.reuse.is_none_or(|reuse| {
        let shared = reuse.shared.is_none_or(|count| count > 0);
        (0.0..=1.0).contains(&reuse.share) && reuse.s > 0.0 && reuse.s.is_finite() && shared
    })
}

fn is_hexadecimal(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn phase_is_possible(phase: &Phase) -> bool {
    phase.users() > 0
        && match phase {
            Phase::Held(phase) => (1..=LONGEST_MS).contains(&phase.duration_ms),
            Phase::Counted(phase) => (1..=MOST_REQUESTS).contains(&phase.iterations),
            Phase::Arriving(phase) => {
                (1..=LONGEST_MS).contains(&phase.duration_ms) && phase.rate > 0.0 && phase.rate <= LARGEST_RATE
            }
        }
}

fn rule_is_possible(phase: &Phase) -> bool {
    phase
        .until_steady()
        .is_none_or(|rule| (1..=3_600).contains(&rule.window_s) && rule.tolerance > 0.0 && rule.tolerance.is_finite())
}
