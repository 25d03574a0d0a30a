//! Limits: those of the contract, and the bound of memory.

/// Largest event, as a body, a message, or an element of a bulk.
pub const EVENT_BYTES: usize = 1_048_576;
/// Largest body or message of a bulk.
pub const BULK_BYTES: usize = 16_777_216;
/// Most events of a bulk.
pub const BULK_EVENTS: usize = 10_000;
/// Most entities of an event.
pub const ENTITIES: usize = 1_000;
/// Levels of objects and arrays in `updatedAttributes`, itself being the first.
pub const ATTRIBUTE_DEPTH: usize = 32;
/// Longest text of a number in `updatedAttributes`.
pub const NUMBER_CHARACTERS: usize = 1_100;
/// Exponent of a number, without its sign: beyond it `numeric` may refuse even a zero.
pub const NUMBER_EXPONENT: u32 = 1_100;
/// Limits the bytes of queued events: the bound on events alone would allow 20 GB of the largest ones.
pub(crate) const QUEUED_BYTES: usize = 256 << 20;
