//! The descriptors that a plan carries.

use base64::Engine as _;
use prost_reflect::prost::Message as _;
use prost_reflect::prost_types::FileDescriptorSet;
use prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor};

use super::compile::{LENGTH_DELIMITED, field_named, tag};
use crate::plan::PlanError;

/// Names that a message lists.
const MOST_NAMES: usize = 12;

/// The descriptors that a plan carries.
#[derive(Debug, Clone)]
pub struct Descriptors {
    pool: DescriptorPool,
}

/// The repeated field of a bulk request that holds its messages.
#[derive(Debug, Clone)]
pub struct BatchField {
    /// Tag as it is written before each element.
    pub tag: u64,
    pub message: MessageDescriptor,
}

impl Descriptors {
    /// Reads a base64 `FileDescriptorSet`.
    ///
    /// # Errors
    /// It is not one.
    pub fn from_base64(text: &str) -> Result<Self, PlanError> {
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(text)
            .map_err(|error| PlanError::rule(format!("proto.descriptor_set: {error}")))?;
        let unusable = |reason: String| PlanError::rule(format!("proto.descriptor_set: {reason}"));
        let files = FileDescriptorSet::decode(bytes.as_slice()).map_err(|error| unusable(error.to_string()))?;
        check_syntax(&files).map_err(unusable)?;
        let pool = DescriptorPool::from_file_descriptor_set(files).map_err(|error| unusable(error.to_string()))?;
        Ok(Self { pool })
    }

    /// The method `package.Service/Method`.
    ///
    /// # Errors
    /// The descriptors have no such method; those that they have are named.
    pub fn method(&self, path: &str) -> Result<MethodDescriptor, PlanError> {
        let (service, method) = path.split_once('/').unwrap_or((path, ""));
        let Some(known) = self.pool.get_service_by_name(service) else {
            let names = listed(self.pool.services().map(|each| each.full_name().to_owned()));
            return Err(PlanError::rule(format!("proto: no service {service}. Services: {names}")));
        };
        known.methods().find(|each| each.name() == method).ok_or_else(|| {
            let names = listed(known.methods().map(|each| each.name().to_owned()));
            PlanError::rule(format!("proto: no method {path}. Methods of {service}: {names}"))
        })
    }

    /// The field of a bulk method's request that holds the messages.
    ///
    /// # Errors
    /// There is no such repeated message field.
    pub fn batch_field(&self, method: &str, field: &str) -> Result<BatchField, PlanError> {
        let input = self.method(method)?.input();
        let found = field_named(&input, field).filter(FieldDescriptor::is_list);
        match found.as_ref().map(|field| (field, field.kind())) {
            Some((field, Kind::Message(message))) => Ok(BatchField { tag: tag(field, LENGTH_DELIMITED), message }),
            _ => {
                Err(PlanError::rule(format!("batch.field: {field} is not a repeated message of {}", input.full_name())))
            }
        }
    }
}

/// A list for a message, which a long one would hide.
fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let more = if names.len() > MOST_NAMES { format!(" and {} more", names.len() - MOST_NAMES) } else { String::new() };
    match names.len() {
        0 => "none".to_owned(),
        count => names[..count.min(MOST_NAMES)].join(", ") + &more,
    }
}

/// prost-reflect panics on a syntax that it does not know, such as Protobuf editions.
fn check_syntax(files: &FileDescriptorSet) -> Result<(), String> {
    match files.file.iter().find(|file| !matches!(file.syntax(), "" | "proto2" | "proto3")) {
        Some(file) => Err(format!("{}: syntax {:?} is not proto2 or proto3", file.name(), file.syntax())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use prost_reflect::prost_types::FileDescriptorProto;

    use super::*;

    #[test]
    fn syntax_that_is_not_known_is_refused() {
        for (syntax, words) in [
            (None, None),
            (Some("proto2"), None),
            (Some("proto3"), None),
            (Some("editions"), Some("a.proto: syntax \"editions\" is not proto2 or proto3")),
        ] {
            let syntax = syntax.map(str::to_owned);
            let file = FileDescriptorProto { name: Some("a.proto".to_owned()), syntax, ..Default::default() };
            let bytes = FileDescriptorSet { file: vec![file] }.encode_to_vec();
            let read = Descriptors::from_base64(&base64::engine::general_purpose::STANDARD.encode(bytes));
            let message = read.err().map(|error| error.to_string());
            assert_eq!(message.is_some(), words.is_some(), "{message:?}");
            assert!(words.is_none_or(|words| message.is_some_and(|message| message.ends_with(words))));
        }
    }
}
