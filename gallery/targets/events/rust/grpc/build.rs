//! Compiles the contract's proto file, without `protoc`, and adds garde's rules to its messages.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost::Message;

const CONTRACT: &str = "../../../../contract/events";
const PROTO: &str = "event_service.proto";

const MESSAGES: [&str; 4] = ["EventRequest", "EventHeader", "EventBody", "EntityUpdate"];

const RULES: [(&str, &str); 11] = [
    ("EventRequest.event_header", "required, dive"),
    ("EventRequest.event_body", "required, dive"),
    ("EventHeader.uuid", "custom(crate::rules::uuid)"),
    ("EventHeader.event_name", "length(chars, min = 1, max = 100), custom(crate::rules::storable)"),
    ("EventHeader.created_date", "custom(crate::rules::timestamp)"),
    ("EventHeader.saved_date", "custom(crate::rules::timestamp)"),
    ("EventHeader.event_type", "length(chars, max = 100), custom(crate::rules::storable)"),
    ("EventBody.entities", "length(min = 1, max = 1000), dive"),
    ("EntityUpdate.entity_type", "length(chars, min = 1, max = 100), custom(crate::rules::storable)"),
    ("EntityUpdate.entity_id", "length(chars, min = 1, max = 255), custom(crate::rules::storable)"),
    ("EntityUpdate.updated_attributes", "custom(crate::attributes::storable)"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", Path::new(CONTRACT).join(PROTO).display());
    println!("cargo::rerun-if-changed=build.rs");
    let descriptors = protox::compile([PROTO], [CONTRACT])?;
    // Served by reflection.
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("descriptors.bin"), descriptors.encode_to_vec())?;

    let mut builder = tonic_prost_build::configure().emit_rerun_if_changed(false);
    for message in MESSAGES {
        builder = builder.message_attribute(format!(".com.example.grpc.{message}"), "#[derive(garde::Validate)]");
    }
    for (field, rules) in RULES {
        builder = builder.field_attribute(format!(".com.example.grpc.{field}"), format!("#[garde({rules})]"));
    }
    builder.compile_fds(descriptors)?;
    Ok(())
}
