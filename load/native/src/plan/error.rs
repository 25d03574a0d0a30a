//! Why a plan is refused.

/// Why a plan, or a command line, cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("cannot read the plan {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{0}")]
    Syntax(#[from] serde_json::Error),
    #[error("{0}")]
    Rule(String),
}

impl PlanError {
    pub fn rule(message: impl Into<String>) -> Self {
        Self::Rule(message.into())
    }

    /// The message for a plan file: says that the plan is at fault.
    #[must_use]
    pub fn in_plan(&self) -> String {
        match self {
            Self::Unreadable { .. } => self.to_string(),
            Self::Syntax(_) | Self::Rule(_) => format!("the plan is not valid: {self}"),
        }
    }
}
