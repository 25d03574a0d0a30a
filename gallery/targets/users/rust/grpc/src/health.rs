//! The standard health service: serving means that the store can be used now.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::time::{MissedTickBehavior, interval};
use tokio_stream::wrappers::ReceiverStream;
use tonic::server::NamedService;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::Health;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};
use users_core::service::Service;
use users_core::shutdown::Shutdown;

use crate::methods::Users;
use crate::proto::user_service_server::UserServiceServer;

/// How often a watched state is looked at.
const WATCH_PERIOD: Duration = Duration::from_secs(1);

/// The health service.
pub struct State {
    pub service: Arc<Service>,
    /// Ends the streams of watchers, for which a graceful shutdown would wait.
    pub shutdown: Shutdown,
}

#[tonic::async_trait]
impl Health for State {
    async fn check(&self, request: Request<HealthCheckRequest>) -> Result<Response<HealthCheckResponse>, Status> {
        match status(&self.service, &request.into_inner().service).await {
            ServingStatus::ServiceUnknown => Err(Status::not_found("service: unknown")),
            status => Ok(Response::new(reply(status))),
        }
    }

    type WatchStream = ReceiverStream<Result<HealthCheckResponse, Status>>;

    async fn watch(&self, request: Request<HealthCheckRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let (changes, stream) = mpsc::channel(1);
        let name = request.into_inner().service;
        tokio::spawn(report(Arc::clone(&self.service), name, changes, self.shutdown.clone()));
        Ok(Response::new(ReceiverStream::new(stream)))
    }
}

/// Sends the state and then each change of it, until shutdown or until the client is gone.
async fn report(
    service: Arc<Service>,
    name: String,
    changes: mpsc::Sender<Result<HealthCheckResponse, Status>>,
    mut shutdown: Shutdown,
) {
    let mut ticks = interval(WATCH_PERIOD);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut last = None;
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            () = changes.closed() => return,
            () = shutdown.requested() => return,
        }
        let now = status(&service, &name).await;
        if last.replace(now) != Some(now) && changes.send(Ok(reply(now))).await.is_err() {
            return;
        }
    }
}

/// The state of the server, or of `UserService`.
async fn status(service: &Service, name: &str) -> ServingStatus {
    if !name.is_empty() && name != <UserServiceServer<Users> as NamedService>::NAME {
        return ServingStatus::ServiceUnknown;
    }
    if service.is_healthy().await { ServingStatus::Serving } else { ServingStatus::NotServing }
}

fn reply(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}
