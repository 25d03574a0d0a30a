//! The methods of `EventService`.

use std::sync::Arc;

use events_core::bulk::BulkReport;
use events_core::shutdown::Shutdown;
use events_core::writer::Writer;
use tonic::{Request, Response, Status, Streaming};

use crate::codec::{IncomingBatch, IncomingEvent};
use crate::proto::event_service_server::EventService;
use crate::proto::{EventBatchResponse, EventFailure, EventResponse, HealthRequest, HealthResponse};
use crate::status;
use crate::stream::{self, Replies};

/// The service.
#[derive(Clone)]
pub struct Api {
    writer: Arc<Writer>,
    shutdown: Shutdown,
}

impl Api {
    pub fn new(writer: Arc<Writer>, shutdown: Shutdown) -> Self {
        Self { writer, shutdown }
    }
}

#[tonic::async_trait]
impl EventService for Api {
    async fn process_event(&self, request: Request<IncomingEvent>) -> Result<Response<EventResponse>, Status> {
        let IncomingEvent(event) = request.into_inner();
        let stored = match event {
            Ok(event) => self.writer.store(event).await,
            Err(error) => Err(error),
        };
        stored.map(|()| Response::new(EventResponse::processed())).map_err(|error| status::from(&error))
    }

    async fn process_event_batch(
        &self,
        request: Request<IncomingBatch>,
    ) -> Result<Response<EventBatchResponse>, Status> {
        let IncomingBatch(events) = request.into_inner();
        let report = match events {
            Ok(events) => self.writer.store_bulk(events).await,
            Err(error) => Err(error),
        };
        report.map(|report| Response::new(batch_reply(report))).map_err(|error| status::from(&error))
    }

    type StreamEventsStream = Replies;

    async fn stream_events(
        &self,
        request: Request<Streaming<IncomingEvent>>,
    ) -> Result<Response<Self::StreamEventsStream>, Status> {
        Ok(Response::new(stream::answer(request.into_inner(), Arc::clone(&self.writer), self.shutdown.clone())))
    }

    async fn health_check(&self, _: Request<HealthRequest>) -> Result<Response<HealthResponse>, Status> {
        let healthy = self.writer.is_healthy().await;
        let message = if healthy { "OK" } else { "database: unavailable" };
        Ok(Response::new(HealthResponse { healthy, message: message.to_owned() }))
    }
}

fn batch_reply(report: BulkReport) -> EventBatchResponse {
    EventBatchResponse {
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

/// A bulk has at most 10,000 events.
fn count(events: usize) -> u32 {
    u32::try_from(events).unwrap_or(u32::MAX)
}
