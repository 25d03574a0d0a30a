//! `StreamEvents`: events as they arrive, answered in order.

use std::pin::Pin;
use std::sync::Arc;

use events_core::error::Error;
use events_core::limits::EVENT_BYTES;
use events_core::receipt::Receipt;
use events_core::shutdown::Shutdown;
use events_core::writer::Writer;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tokio_stream::{Stream, StreamExt};
use tonic::{Status, Streaming};

use crate::codec::IncomingEvent;
use crate::proto::EventResponse;
use crate::status;

/// Maximum number of unanswered events of one stream. At the limit the stream is not read, so that HTTP/2
/// flow control slows the client down.
const WINDOW: usize = 1_024;

/// Replies of one stream.
pub type Replies = Pin<Box<dyn Stream<Item = Result<EventResponse, Status>> + Send>>;

/// A reply in the order of events.
enum PendingReply {
    Accepted(Receipt),
    Invalid(Error),
    /// Ends the stream.
    End(Status),
}

/// Stores the events of a stream; replies are sent in their order.
pub fn answer(events: Streaming<IncomingEvent>, writer: Arc<Writer>, shutdown: Shutdown) -> Replies {
    let (sender, pending) = mpsc::channel(WINDOW);
    tokio::spawn(accept(events, writer, shutdown, sender));
    Box::pin(ReceiverStream::new(pending).then(reply))
}

/// Reads the stream to its end, to the first error, or until the client disconnects or the process stops.
async fn accept(
    mut events: Streaming<IncomingEvent>,
    writer: Arc<Writer>,
    mut shutdown: Shutdown,
    replies: mpsc::Sender<PendingReply>,
) {
    // A slot is reserved before an event is read, so that a full window stops reading.
    while let Ok(slot) = replies.reserve().await {
        let event = tokio::select! {
            event = events.message() => event,
            () = shutdown.requested() => {
                slot.send(PendingReply::End(Status::unavailable("server: stopping, retry later")));
                return;
            }
        };
        match event {
            Ok(Some(IncomingEvent(Ok(event)))) => slot.send(PendingReply::Accepted(writer.accept(event).await)),
            Ok(Some(IncomingEvent(Err(error)))) => slot.send(PendingReply::Invalid(error)),
            Ok(None) => return,
            Err(refusal) => {
                slot.send(PendingReply::End(status::from_refused_size(refusal, EVENT_BYTES)));
                return;
            }
        }
    }
}

async fn reply(pending: PendingReply) -> Result<EventResponse, Status> {
    match pending {
        PendingReply::Accepted(receipt) => {
            receipt.outcome().await.map(|()| EventResponse::processed()).map_err(|error| status::from(&error))
        }
        PendingReply::Invalid(error) => Ok(EventResponse::failed(error.message())),
        PendingReply::End(status) => Err(status),
    }
}
