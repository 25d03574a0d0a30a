//! The descriptors that a plan carries.

use base64::Engine as _;
use prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor};

use super::compile::{LENGTH_DELIMITED, field_named, tag};
use crate::plan::PlanError;

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
        let pool = DescriptorPool::decode(bytes.as_slice())
            .map_err(|error| PlanError::rule(format!("proto.descriptor_set: {error}")))?;
        Ok(Self { pool })
    }

    /// The method `package.Service/Method`.
    ///
    /// # Errors
    /// The descriptors have no such method.
    pub fn method(&self, path: &str) -> Result<MethodDescriptor, PlanError> {
        let (service, method) = path.split_once('/').unwrap_or((path, ""));
        self.pool
            .get_service_by_name(service)
            .and_then(|service| service.methods().find(|known| known.name() == method))
            .ok_or_else(|| PlanError::rule(format!("proto: there is no method {path}")))
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
            _ => Err(PlanError::rule(format!("batch.field: {field} is no repeated message of {}", input.full_name()))),
        }
    }
}
