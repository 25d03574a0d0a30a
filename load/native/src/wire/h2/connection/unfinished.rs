//! What a reply lacks that has begun and not ended.

use super::{Http2, Stream};
use crate::wire::h2::messages;
use crate::wire::http1::is_event_stream;

impl Http2 {
    /// What the oldest reply lacks that has begun; none where the connection is at fault.
    pub(super) fn missing(&self) -> Option<String> {
        let begun = self.streams.iter().filter(|(_, stream)| stream.status.is_some());
        let (_, stream) = begun.min_by_key(|(id, _)| **id)?;
        Some(if self.shared.rest.is_none() { stream.messages() } else { stream.body() })
    }
}

impl Stream {
    fn body(&self) -> String {
        let is_events = is_event_stream(&self.head);
        if is_events { "it is a stream of server-sent events" } else { "the end of its body is missing" }.to_owned()
    }

    /// A call ends with its status, after its messages.
    fn messages(&self) -> String {
        let count = messages::count(self.received.bytes());
        format!("its status is missing after {count} message{}", if count == 1 { "" } else { "s" })
    }
}
