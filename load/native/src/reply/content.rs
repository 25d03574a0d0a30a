//! The content of replies: decompressed, as JSON, and how values compare.

use std::borrow::Cow;
use std::io::{BufReader, Read};

use flate2::read::GzDecoder;
use prost_reflect::{DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

use crate::wire::Reply;
use crate::wire::http1::header;

/// Content that decompresses to more is not checked but refused.
const LONGEST_CONTENT: u64 = 16 << 20;

/// The content of a reply, decompressed; none when it cannot be.
pub(super) fn decoded<'a>(reply: &Reply<'a>) -> Option<Cow<'a, [u8]>> {
    if !header(reply.head, "content-encoding").is_some_and(|encoding| encoding.eq_ignore_ascii_case(b"gzip")) {
        return Some(Cow::Borrowed(reply.body));
    }
    let mut content = Vec::new();
    let limited = GzDecoder::new(reply.body).take(LONGEST_CONTENT + 1);
    BufReader::new(limited).read_to_end(&mut content).ok()?;
    (content.len() as u64 <= LONGEST_CONTENT).then_some(Cow::Owned(content))
}

/// A protobuf message as JSON; none when it cannot be decoded.
pub(super) fn as_json(descriptor: &MessageDescriptor, body: &[u8]) -> Option<Value> {
    let message = DynamicMessage::decode(descriptor.clone(), body).ok()?;
    let options = SerializeOptions::new().skip_default_fields(false).stringify_64_bit_integers(false);
    message.serialize_with_options(serde_json::value::Serializer, &options).ok()
}

/// Whether two values are equal. A whole number equals its text, as which protobuf's JSON mapping writes 64-bit integers.
pub(super) fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(number), Value::String(text)) | (Value::String(text), Value::Number(number)) => {
            !number.is_f64() && number.to_string() == *text
        }
        _ => left == right,
    }
}

/// A scalar as text: a number is the same inside and outside quotes.
pub(super) fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}
