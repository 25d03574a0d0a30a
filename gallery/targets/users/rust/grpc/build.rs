//! Compiles the contract's proto file, without `protoc`.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use prost::Message;

const CONTRACT: &str = "../../../../contract/users";
const PROTO: &str = "user_service.proto";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={}", Path::new(CONTRACT).join(PROTO).display());
    println!("cargo::rerun-if-changed=build.rs");
    let descriptors = protox::compile([PROTO], [CONTRACT])?;
    // Served by reflection.
    fs::write(PathBuf::from(env::var("OUT_DIR")?).join("descriptors.bin"), descriptors.encode_to_vec())?;
    tonic_prost_build::configure().emit_rerun_if_changed(false).compile_fds(descriptors)?;
    Ok(())
}
