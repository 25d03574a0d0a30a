//! `audit`: the verdict on standard output; 0 clean, 1 violated, 2 unusable input.

use std::error::Error;
use std::io::{Write, stdout};
use std::process::ExitCode;

use super::arguments::AuditArguments;
use crate::audit::{Source, Verdict, audit as compare};
use crate::engine::audit_through;

/// Compares a database with what a run must have left in it.
///
/// # Errors
/// An input cannot be used.
pub fn audit(arguments: &AuditArguments) -> Result<ExitCode, Box<dyn Error>> {
    if !arguments.through.is_empty() {
        let most = arguments.most.map_or(usize::MAX, |most| most as usize);
        return print(&audit_through(
            &arguments.plan,
            &arguments.ledger,
            &arguments.through,
            most,
            arguments.examples,
        )?);
    }
    let source = match (&arguments.rows, &arguments.database_url, &arguments.audit_sql) {
        (Some(rows), _, _) => Source::Rows(rows.clone()),
        (None, Some(url), Some(sql)) => Source::Database { url: url.clone(), sql: sql.clone() },
        _ => return Err("where is the stored state? Give --database-url and --audit-sql, --rows, or --through".into()),
    };
    print(&compare(&arguments.plan, &arguments.ledger, source, arguments.examples)?)
}

fn print(verdict: &Verdict) -> Result<ExitCode, Box<dyn Error>> {
    writeln!(stdout(), "{:#}", verdict.json())?;
    Ok(if verdict.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
