//! `null`: the server that costs least.

use std::error::Error;
use std::process::ExitCode;

use super::NullArguments;

/// Serves until it is ended.
///
/// # Errors
/// The address cannot be listened on.
pub fn null(arguments: &NullArguments) -> Result<ExitCode, Box<dyn Error>> {
    let server = crate::null::Server::bind(&arguments.listen, arguments.http_reply.as_bytes(), &arguments.grpc_reply)?;
    println!("listening {}", server.address()?);
    server.serve()?;
    Ok(ExitCode::SUCCESS)
}
