//! Templates: literal text with slots, as `lab/src/bakeoff/formats/README.md` describes them.

mod calendar;
mod compiled;
mod language;
mod slots;
mod values;

pub use compiled::{Part, Template};
pub use language::parse as parse_template;
pub use slots::{Slot, SlotTable};
pub use values::{Context, Values};
