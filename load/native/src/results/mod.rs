//! Results: the stream for the lab, and what a person sees.

mod figures;
mod live;
mod stream;
mod summary;
mod totals;

pub use figures::{grouped, known_at, value_at};
pub use live::Live;
pub use stream::StreamWriter;
pub use summary::Summary;
pub use totals::{PhaseTotals, encode};
