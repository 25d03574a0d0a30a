//! Where the target is reached.

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use super::error::EngineError;
use crate::plan::Transport;

/// How long an address of several may take to accept before the next one is tried (RFC 8305).
const HEAD_START: Duration = Duration::from_millis(250);

/// Where connections go.
#[derive(Debug, Clone)]
pub enum Address {
    Ip(SocketAddr),
    Unix(PathBuf),
}

impl Address {
    /// A blocking connection.
    pub(super) fn connect(&self, timeout: Duration) -> io::Result<TcpStream> {
        match self {
            Self::Ip(address) => TcpStream::connect_timeout(address, timeout),
            // Reading, writing and their timeouts are the same for all stream sockets.
            Self::Unix(path) => UnixStream::connect(path).map(|socket| TcpStream::from(OwnedFd::from(socket))),
        }
    }
}

/// The address of the target: of several the first that accepts connections, and the first of all where none does.
pub(super) fn resolve(transport: &Transport) -> Result<Address, EngineError> {
    if let Some(path) = &transport.unix_socket {
        return Ok(Address::Unix(PathBuf::from(path)));
    }
    let host = transport.address.as_ref().unwrap_or(&transport.host);
    let found = (host.as_str(), transport.port)
        .to_socket_addrs()
        .map_err(|source| EngineError::Resolve { host: host.clone(), source })?;
    let mut found: Vec<SocketAddr> = found.collect();
    // "localhost" resolves to IPv4 and IPv6; most test servers listen on IPv4 alone.
    found.sort_by_key(SocketAddr::is_ipv6);
    let accepts = |address: &&SocketAddr| TcpStream::connect_timeout(address, HEAD_START).is_ok();
    let accepting = if found.len() > 1 { found.iter().find(accepts) } else { None };
    let address = accepting.or(found.first()).copied();
    address.map(Address::Ip).ok_or_else(|| EngineError::NoAddress { host: host.clone() })
}
