//! Compiles the contract's proto file, without `protoc`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost::Message;

const CONTRACT: &str = "../../../../contract/events";
const PROTO: &str = "event_service.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", Path::new(CONTRACT).join(PROTO).display());
    let out = PathBuf::from(env::var("OUT_DIR")?);
    let descriptors = protox::compile([PROTO], [CONTRACT])?;
    // Served by reflection.
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;

    tonic_prost_build::configure()
        .build_client(false)
        .codec_path("crate::codec::EventCodec")
        // Messages with events are decoded by the core, directly to the stored form.
        .extern_path(".com.example.grpc.EventRequest", "crate::codec::IncomingEvent")
        .extern_path(".com.example.grpc.EventBatchRequest", "crate::codec::IncomingBatch")
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors.clone())?;

    // Tests use a generated client.
    let client = out.join("client");
    fs::create_dir_all(&client)?;
    tonic_prost_build::configure()
        .build_server(false)
        .out_dir(client)
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors)?;
    Ok(())
}
