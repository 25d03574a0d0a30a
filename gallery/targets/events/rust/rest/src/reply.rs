//! Replies.

use axum::Json;
use axum::http::StatusCode;
use events_core::bulk::BulkReport;
use serde::Serialize;

/// The reply to an event, or to a request that failed.
#[derive(Serialize)]
pub struct Reply {
    success: bool,
    message: String,
}

impl Reply {
    /// The reply to an event that is durable.
    #[must_use]
    pub fn success() -> Self {
        Self { success: true, message: "Event processed successfully".to_owned() }
    }

    /// The reply to a request that failed.
    pub fn failure(status: StatusCode, message: &str) -> (StatusCode, Json<Self>) {
        (status, Json(Self { success: false, message: message.to_owned() }))
    }
}

/// The reply to a bulk.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BulkReply {
    success: bool,
    message: String,
    processed_count: usize,
    failed_count: usize,
    batch_id: String,
    processing_time_ms: u32,
    failures: Vec<Failure>,
}

#[derive(Serialize)]
struct Failure {
    index: usize,
    message: String,
}

impl From<BulkReport> for BulkReply {
    fn from(report: BulkReport) -> Self {
        Self {
            success: report.success(),
            message: report.message(),
            processed_count: report.processed,
            failed_count: report.failures.len(),
            batch_id: report.batch_id,
            processing_time_ms: report.processing_time_ms,
            failures: report
                .failures
                .into_iter()
                .map(|failure| Failure { index: failure.index, message: failure.message })
                .collect(),
        }
    }
}

/// The reply to a health check.
#[derive(Serialize)]
pub struct HealthReply {
    healthy: bool,
    message: &'static str,
}

impl HealthReply {
    pub fn new(healthy: bool) -> (StatusCode, Json<Self>) {
        let (status, message) =
            if healthy { (StatusCode::OK, "OK") } else { (StatusCode::SERVICE_UNAVAILABLE, "database: unavailable") };
        (status, Json(Self { healthy, message }))
    }
}
