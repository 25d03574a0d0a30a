//! Bodies of calls, within the memory that unfinished requests may occupy.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use tonic::Status;
use users_core::service::Charge;

use crate::status;

/// A body that charges for what arrives, and fails when there is no memory for it.
pub struct Charged<B> {
    body: B,
    charge: Charge,
}

impl<B> Charged<B> {
    /// Charges for what is read from `body`.
    pub fn new(body: B, charge: Charge) -> Self {
        Self { body, charge }
    }
}

impl<B: Body<Data = Bytes, Error = Status> + Unpin> Body for Charged<B> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context).map(|frame| {
            frame.map(|frame| {
                let frame = frame?;
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                self.charge.add(bytes).map_err(status::from_error)?;
                Ok(frame)
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
