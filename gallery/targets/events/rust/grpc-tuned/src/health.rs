//! The standard `grpc.health.v1`, which checks the database on each call.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use events_core::shutdown::Shutdown;
use events_core::writer::Writer;
use tokio::sync::mpsc;
use tokio_stream::Stream;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::Health;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// Interval between checks for a watcher.
const WATCH_PERIOD: Duration = Duration::from_secs(1);
const SERVICES: [&str; 2] = ["", "com.example.grpc.EventService"];

/// The service.
pub struct HealthApi {
    writer: Arc<Writer>,
    shutdown: Shutdown,
}

impl HealthApi {
    pub fn new(writer: Arc<Writer>, shutdown: Shutdown) -> Self {
        Self { writer, shutdown }
    }
}

#[tonic::async_trait]
impl Health for HealthApi {
    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        if !is_known(&request.into_inner()) {
            return Err(Status::not_found("service: unknown"));
        }
        Ok(Response::new(response(serving_status(&self.writer).await)))
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let (updates, watcher) = mpsc::channel(1);
        if is_known(&request.into_inner()) {
            tokio::spawn(watch(Arc::clone(&self.writer), self.shutdown.clone(), updates));
        } else {
            // As the protocol requires, the call stays open, because the service might appear.
            let mut shutdown = self.shutdown.clone();
            tokio::spawn(async move {
                let _disconnected = updates.send(Ok(response(ServingStatus::ServiceUnknown))).await;
                tokio::select! {
                    () = shutdown.requested() => {}
                    () = updates.closed() => {}
                }
            });
        }
        Ok(Response::new(Box::pin(ReceiverStream::new(watcher))))
    }
}

/// Sends the status, and again whenever it has changed.
async fn watch(
    writer: Arc<Writer>,
    mut shutdown: Shutdown,
    updates: mpsc::Sender<Result<HealthCheckResponse, Status>>,
) {
    let mut sent = None;
    let mut ticks = tokio::time::interval(WATCH_PERIOD);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = shutdown.requested() => return,
            () = updates.closed() => return,
        }
        let status = serving_status(&writer).await;
        if sent.replace(status) != Some(status) && updates.send(Ok(response(status))).await.is_err() {
            return;
        }
    }
}

async fn serving_status(writer: &Writer) -> ServingStatus {
    if writer.is_healthy().await { ServingStatus::Serving } else { ServingStatus::NotServing }
}

fn is_known(request: &HealthCheckRequest) -> bool {
    SERVICES.contains(&request.service.as_str())
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}
