//! The methods of `EventService`.

use std::sync::Arc;

use events_core::bulk::{self, BulkReport};
use events_core::shutdown::Shutdown;
use events_core::writer::Writer;
use tonic::{Request, Response, Status, Streaming};

use crate::proto::event_service_server::EventService;
use crate::proto::{
    EventBatchRequest, EventBatchResponse, EventFailure, EventRequest, EventResponse, HealthRequest, HealthResponse,
};
use crate::stream::{self, Replies};
use crate::{event, status};

/// The service.
pub struct Events {
    writer: Arc<Writer>,
    shutdown: Shutdown,
}

impl Events {
    pub fn new(writer: Arc<Writer>, shutdown: Shutdown) -> Self {
        Self { writer, shutdown }
    }
}

#[tonic::async_trait]
impl EventService for Events {
    async fn process_event(&self, request: Request<EventRequest>) -> Result<Response<EventResponse>, Status> {
        let event = event::from_message(request.into_inner()).map_err(status::from_error)?;
        self.writer.store(event).await.map_err(status::from_error)?;
        Ok(Response::new(EventResponse::processed()))
    }

    async fn process_event_batch(
        &self,
        request: Request<EventBatchRequest>,
    ) -> Result<Response<EventBatchResponse>, Status> {
        let EventBatchRequest { events } = request.into_inner();
        bulk::check_count(events.len()).map_err(status::from_error)?;
        let events = events.into_iter().map(event::from_element).collect();
        let report = self.writer.store_bulk(events).await.map_err(status::from_error)?;
        Ok(Response::new(report.into()))
    }

    type StreamEventsStream = Replies;

    async fn stream_events(
        &self,
        request: Request<Streaming<EventRequest>>,
    ) -> Result<Response<Self::StreamEventsStream>, Status> {
        Ok(Response::new(stream::answer(request.into_inner(), Arc::clone(&self.writer), self.shutdown.clone())))
    }

    async fn health_check(&self, _: Request<HealthRequest>) -> Result<Response<HealthResponse>, Status> {
        let healthy = self.writer.is_healthy().await;
        let message = if healthy { "OK" } else { "database: unavailable" };
        Ok(Response::new(HealthResponse { healthy, message: message.to_owned() }))
    }
}

impl From<BulkReport> for EventBatchResponse {
    fn from(report: BulkReport) -> Self {
        Self {
            success: report.success(),
            message: report.message(),
            processed_count: count(report.processed),
            failed_count: count(report.failures.len()),
            batch_id: report.batch_id,
            processing_time_ms: report.processing_time_ms,
            failures: report
                .failures
                .into_iter()
                .map(|failure| EventFailure { index: count(failure.index), message: failure.message })
                .collect(),
        }
    }
}

/// A bulk has at most 10,000 events.
fn count(events: usize) -> u32 {
    u32::try_from(events).unwrap_or(u32::MAX)
}
