//! Reads and checks a plan.

use std::path::Path;

use super::document::Plan;
use super::error::PlanError;

impl Plan {
    /// Reads and checks the plan in a file.
    ///
    /// # Errors
    /// The file cannot be read, is not a plan, or asks for something impossible.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let bytes =
            std::fs::read(path).map_err(|source| PlanError::Unreadable { path: path.display().to_string(), source })?;
        Self::parse(&bytes)
    }

    /// Reads and checks a plan.
    ///
    /// # Errors
    /// It is not a plan, or asks for something impossible.
    pub fn parse(bytes: &[u8]) -> Result<Self, PlanError> {
        let plan: Self = serde_json::from_slice(bytes)?;
        plan.check()?;
        Ok(plan)
    }
}
