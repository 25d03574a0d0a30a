//! The events of virtual users: those of a plan's operations, rendered from templates.

mod bodies;
mod compiled;
mod cookies;
mod event;
mod keys;
mod operation;
mod pool;
mod renderer;
mod session;
mod user;

pub use bodies::{MULTIPART_TYPE, encode};
pub use compiled::{KeyKind, Workload};
pub use cookies::Cookies;
pub use event::{Entity, Event, SHARED_USER, Step, Wanted};
pub use keys::AcknowledgedKeys;
pub use operation::{Effect, EffectKind, Operation, Texts, Variant};
pub use pool::Pool;
pub use renderer::{END_OF_PART, Renderer};
pub use session::{Session, has_next_step};
pub use user::UserState;
