//! Reports the state of the database to the standard health service.

use std::sync::Arc;
use std::time::Duration;

use events_core::shutdown::Shutdown;
use events_core::writer::Writer;
use tokio::time::sleep;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

const CHECK_PERIOD: Duration = Duration::from_secs(1);
const SERVICES: [&str; 2] = ["", "com.example.grpc.EventService"];

/// Reports each change until shutdown.
pub async fn report(mut reporter: HealthReporter, writer: Arc<Writer>, mut shutdown: Shutdown) {
    let mut current = set(&reporter, status(&writer).await).await;
    loop {
        tokio::select! {
            () = sleep(CHECK_PERIOD) => {}
            () = shutdown.requested() => break,
        }
        let status = status(&writer).await;
        if status != current {
            current = set(&reporter, status).await;
        }
    }
    // Ends the streams of watchers, for which a graceful shutdown would wait.
    for service in SERVICES {
        reporter.clear_service_status(service).await;
    }
}

/// Sets the status of all services.
pub async fn set(reporter: &HealthReporter, status: ServingStatus) -> ServingStatus {
    for service in SERVICES {
        reporter.set_service_status(service, status).await;
    }
    status
}

async fn status(writer: &Writer) -> ServingStatus {
    if writer.is_healthy().await { ServingStatus::Serving } else { ServingStatus::NotServing }
}
