//! The plan: the load that the lab requests for one target. Its schema is `lab/src/bakeoff/formats/plan.schema.json`.

mod check;
mod document;
mod error;
mod headers;
mod operation;
mod phase;
mod reading;
mod segment;
mod transport;

pub use document::{Plan, Proto, Thresholds, VERSION};
pub use error::PlanError;
pub use headers::check_header;
pub use operation::{
    Batch, BodyEncoding, Effect, EntityPick, GrpcCall, HttpCall, KeyKind, ListCheck, OneOrMore, Operation, OwnMembers,
    Owner, Pick, Reads, Reuse, Session, Stream, Write,
};
pub use phase::{
    Arrival, ArrivingPhase, CountedPhase, HeldPhase, LARGEST_RATE, LONGEST_MS, MOST_REQUESTS, Phase, SteadyRule,
};
pub use segment::{Segment, SlotSegment};
pub use transport::{HttpVersion, Ping, Protocol, Tls, Transport};
