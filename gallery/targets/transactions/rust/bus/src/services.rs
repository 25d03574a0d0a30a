use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::payload::Payload;

/// The side that answers: the services that one server offers.
pub trait Services {
    /// Their names, each at most 255 bytes.
    fn names(&self) -> Vec<&'static str>;

    /// Answers a call to one of them; an `Err` reaches the caller as the service's failure.
    fn call(&self, service: &str, payload: Payload) -> Result<Payload, String>;
}

/// Answers a call; a service that panics fails its call and no other.
pub fn answer(services: &impl Services, service: &str, payload: Payload) -> Result<Payload, String> {
    catch_unwind(AssertUnwindSafe(|| services.call(service, payload)))
        .unwrap_or_else(|_| Err("the service panicked".into()))
}
