//! `audit`: the verdict on standard output; 0 clean, 1 violated, 2 unusable input.

use std::error::Error;
use std::io::{Write, stdout};
use std::process::ExitCode;

use super::arguments::AuditArguments;
use crate::audit::{Source, audit as compare};

/// Compares a database with what a run must have left in it.
///
/// # Errors
/// An input cannot be used.
pub fn audit(arguments: &AuditArguments) -> Result<ExitCode, Box<dyn Error>> {
    let source = match (&arguments.rows, &arguments.database_url, &arguments.audit_sql) {
        (Some(rows), _, _) => Source::Rows(rows.clone()),
        (None, Some(url), Some(sql)) => Source::Database { url: url.clone(), sql: sql.clone() },
        _ => return Err("where is the stored state? Give --database-url and --audit-sql, or --rows".into()),
    };
    let verdict = compare(&arguments.plan, &arguments.ledger, source, arguments.examples)?;
    writeln!(stdout(), "{:#}", verdict.json())?;
    Ok(if verdict.is_clean() { ExitCode::SUCCESS } else { ExitCode::from(1) })
}
