//! The audit: compares what a database holds after a run with what plan and ledger require.

mod ahead;
mod database;
mod error;
pub(crate) mod expected;
pub mod json;
pub mod judge;
pub(crate) mod replay;
pub(crate) mod rows;
mod shared;
pub(crate) mod verdict;

use std::path::Path;
use std::thread::available_parallelism;
use std::time::Instant;

use ahead::RowsAhead;
pub use ahead::Source;
pub use error::AuditError;
use expected::Expected;
use replay::Replay;
use verdict::Findings;
pub use verdict::Verdict;

/// With more threads the database is the limit.
const MOST_JUDGES: usize = 4;

/// Compares a database with the state that plan and ledger require.
///
/// # Errors
/// An input cannot be used; violations are part of the verdict, not errors.
pub fn audit(plan: &Path, ledger: &Path, source: Source, examples: usize) -> Result<Verdict, AuditError> {
    let begun = Instant::now();
    let rows = RowsAhead::of(source);
    let expected = Expected::read(plan, ledger)?;
    let mut found = judge_rows(&expected, &rows, examples);
    rows.end()?;
    for (key, judgement) in Replay::new(&expected).judge_absent() {
        found.take_absent(&key, judgement);
    }
    found.take_preloaded(expected.preloaded);
    Ok(Verdict::new(begun, &expected, found))
}

/// Checks the rows on all cores; which thread checks which row is not determined.
fn judge_rows(expected: &Expected, rows: &RowsAhead, examples: usize) -> Findings {
    let judge = || {
        let (mut replay, mut found) = (Replay::new(expected), Findings::new(examples));
        while let Some(batch) = rows.next() {
            for row in batch.rows() {
                let judgement = replay.judge_row(&row);
                found.take(&row, judgement, || replay.last_document());
            }
        }
        found
    };
    std::thread::scope(|scope| {
        let others = available_parallelism().map_or(0, |cores| cores.get().min(MOST_JUDGES) - 1);
        let others: Vec<_> = (0..others).map(|_| scope.spawn(judge)).collect();
        let mut found = judge();
        for other in others {
            found.merge(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        }
        found
    })
}
