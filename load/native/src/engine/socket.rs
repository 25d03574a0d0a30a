//! Non-blocking TCP sockets.

use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, connect, recv, send, socket_with, sockopt,
};

use crate::failure::Failure;

/// A TCP connection, established or connecting.
#[derive(Debug)]
pub struct Socket(OwnedFd);

/// The outcome of reading or writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moved {
    Bytes(usize),
    WouldBlock,
    /// The peer has closed its side.
    End,
    Failed(Failure),
}

impl Socket {
    /// Begins to connect.
    ///
    /// # Errors
    /// The kind of failure, when it is known at once.
    pub fn connect(address: SocketAddr) -> Result<Self, Failure> {
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family, SocketType::STREAM, flags, None).map_err(connect_failure)?;
        // Without this, small requests would wait for the acknowledgement of earlier ones (Nagle).
        sockopt::set_tcp_nodelay(&socket, true).map_err(connect_failure)?;
        match connect(&socket, &address) {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(Self(socket)),
            Err(error) => Err(connect_failure(error)),
        }
    }

    #[must_use]
    pub fn from_fd(fd: OwnedFd) -> Self {
        Self(fd)
    }

    /// Whether connecting succeeded, once the socket is writable.
    ///
    /// # Errors
    /// The kind of failure.
    pub fn check_connected(&self) -> Result<(), Failure> {
        match sockopt::socket_error(&self.0) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) | Err(error) => Err(connect_failure(error)),
        }
    }

    /// Reads what is available.
    #[inline]
    pub fn read(&self, buffer: &mut [u8]) -> Moved {
        match recv(&self.0, buffer, RecvFlags::empty()) {
            Ok((0, _)) => Moved::End,
            Ok((count, _)) => Moved::Bytes(count),
            Err(error) => moved(error),
        }
    }

    /// Writes what the socket accepts.
    #[inline]
    pub fn write(&self, bytes: &[u8]) -> Moved {
        match send(&self.0, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => Moved::Bytes(count),
            Err(error) => moved(error),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

fn moved(error: Errno) -> Moved {
    match error {
        Errno::AGAIN | Errno::INTR => Moved::WouldBlock,
        Errno::CONNREFUSED => Moved::Failed(Failure::Refused),
        Errno::TIMEDOUT => Moved::Failed(Failure::Timeout),
        _ => Moved::Failed(Failure::Reset),
    }
}

fn connect_failure(error: Errno) -> Failure {
    match error {
        Errno::CONNREFUSED => Failure::Refused,
        Errno::TIMEDOUT => Failure::ConnectTimeout,
        Errno::ADDRNOTAVAIL | Errno::ADDRINUSE => Failure::PortsExhausted,
        Errno::MFILE | Errno::NFILE => Failure::DescriptorsExhausted,
        Errno::CONNRESET | Errno::PIPE => Failure::Reset,
        _ => Failure::Unreachable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_keeps_a_connection_from_being_made_has_a_kind() {
        for (error, failure) in [
            (Errno::CONNREFUSED, Failure::Refused),
            (Errno::TIMEDOUT, Failure::ConnectTimeout),
            (Errno::ADDRNOTAVAIL, Failure::PortsExhausted),
            (Errno::MFILE, Failure::DescriptorsExhausted),
            (Errno::NFILE, Failure::DescriptorsExhausted),
            (Errno::CONNRESET, Failure::Reset),
            (Errno::NETUNREACH, Failure::Unreachable),
        ] {
            assert_eq!(connect_failure(error), failure);
        }
    }
}
