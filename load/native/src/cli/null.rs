//! `null`: the server that costs least.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use rustix::process::{Signal, set_parent_process_death_signal};

use super::arguments::NullArguments;
use crate::null::{Delay, Server, server_config};

/// Serves until it is ended.
///
/// # Errors
/// The address cannot be listened on, or certificate and key cannot be used.
pub fn null(arguments: &NullArguments) -> Result<ExitCode, Box<dyn Error>> {
    if arguments.with_parent {
        set_parent_process_death_signal(Some(Signal::TERM))?;
    }
    let server = Server::bind(&arguments.listen, arguments.http_reply.as_bytes(), &arguments.grpc_reply)?;
    let delay = Delay {
        usual: Duration::from_millis(arguments.delay),
        slow_every: arguments.slow_every,
        slow: Duration::from_millis(arguments.slow_delay),
    };
    let mut server = server.delayed(delay);
    if let (Some(certificate), Some(key)) = (&arguments.tls_cert, &arguments.tls_key) {
        server = server.encrypted(server_config(certificate, key)?);
    }
    println!("listening {}", server.address()?);
    server.serve()?;
    Ok(ExitCode::SUCCESS)
}
