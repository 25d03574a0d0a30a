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

use crate::api::processed;
use crate::codec::IncomingEvent;
use crate::proto::EventResponse;
use crate::status;

/// Events of one stream that are accepted and not yet answered. When that many are, the stream is not read,
/// and HTTP/2 flow control holds the client back.
const WINDOW: usize = 1_024;

/// Replies of one stream.
pub type Replies = Pin<Box<dyn Stream<Item = Result<EventResponse, Status>> + Send>>;

/// The place of an event in the order of replies.
enum Turn {
    Accepted(Receipt),
    Invalid(Error),
    /// Ends the stream.
    End(Status),
}

/// Stores the events of a stream; the replies come in their order.
pub fn answer(events: Streaming<IncomingEvent>, writer: Arc<Writer>, shutdown: Shutdown) -> Replies {
    let (turns, replies) = mpsc::channel(WINDOW);
    tokio::spawn(accept(events, writer, shutdown, turns));
    Box::pin(ReceiverStream::new(replies).then(reply))
}

/// Reads the stream to its end, to the first error, or until its client or the process goes away.
async fn accept(
    mut events: Streaming<IncomingEvent>,
    writer: Arc<Writer>,
    mut shutdown: Shutdown,
    turns: mpsc::Sender<Turn>,
) {
    // The place is taken before the event is read: who gets no place is not read.
    while let Ok(place) = turns.reserve().await {
        let event = tokio::select! {
            event = events.message() => event,
            () = shutdown.requested() => {
                place.send(Turn::End(Status::unavailable("server: stopping, retry later")));
                return;
            }
        };
        match event {
            Ok(Some(IncomingEvent(Ok(event)))) => place.send(Turn::Accepted(writer.accept(event).await)),
            Ok(Some(IncomingEvent(Err(error)))) => place.send(Turn::Invalid(error)),
            Ok(None) => return,
            Err(refusal) => {
                place.send(Turn::End(status::from_refused_size(refusal, EVENT_BYTES)));
                return;
            }
        }
    }
}

async fn reply(turn: Turn) -> Result<EventResponse, Status> {
    match turn {
        Turn::Accepted(receipt) => receipt.outcome().await.map(|()| processed()).map_err(|error| status::from(&error)),
        Turn::Invalid(error) => Ok(EventResponse { success: false, message: error.message().to_owned() }),
        Turn::End(status) => Err(status),
    }
}
