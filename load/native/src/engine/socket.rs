//! Non-blocking TCP sockets.

use std::io::IoSliceMut;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt::ReceiveTimestampns};
use nix::sys::time::TimeSpec;
use rustix::time::{ClockId, clock_gettime};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv, send, socket_with,
    sockopt,
};

use super::address::Address;
use crate::failure::Failure;

/// A TCP connection, established or connecting.
#[derive(Debug)]
pub struct Socket {
    fd: OwnedFd,
    /// The kernel notes when data arrives.
    is_stamped: bool,
}

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
    pub fn connect(address: &Address) -> Result<Self, Failure> {
        let family = match address {
            Address::Ip(SocketAddr::V4(_)) => AddressFamily::INET,
            Address::Ip(SocketAddr::V6(_)) => AddressFamily::INET6,
            Address::Unix(_) => AddressFamily::UNIX,
        };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let socket = socket_with(family, SocketType::STREAM, flags, None).map_err(connect_failure)?;
        let connected = match address {
            Address::Ip(address) => {
                // Without this, small requests would wait for the acknowledgement of earlier ones (Nagle).
                sockopt::set_tcp_nodelay(&socket, true).map_err(connect_failure)?;
                connect(&socket, address)
            }
            Address::Unix(path) => SocketAddrUnix::new(path.as_path()).and_then(|address| connect(&socket, &address)),
        };
        match connected {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => Ok(Self::from_fd(socket)),
            Err(error) => Err(connect_failure(error)),
        }
    }

    #[must_use]
    pub fn from_fd(fd: OwnedFd) -> Self {
        Self { fd, is_stamped: false }
    }

    /// Whether connecting succeeded, once the socket is writable.
    ///
    /// # Errors
    /// The kind of failure.
    pub fn check_connected(&self) -> Result<(), Failure> {
        match sockopt::socket_error(&self.fd) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) | Err(error) => Err(connect_failure(error)),
        }
    }

    /// Lets the kernel note when data arrives, where it can.
    pub fn note_arrivals(&mut self) {
        self.is_stamped = setsockopt(&self.fd, ReceiveTimestampns, &true).is_ok();
    }

    /// Reads what is available, and how long ago the last of it arrived where the kernel has noted that.
    #[inline]
    pub fn read_with_age(&self, buffer: &mut [u8]) -> (Moved, Option<Duration>) {
        if self.is_stamped { self.read_stamped(buffer) } else { (self.read(buffer), None) }
    }

    fn read_stamped(&self, buffer: &mut [u8]) -> (Moved, Option<Duration>) {
        let mut notes = nix::cmsg_space!(TimeSpec);
        let mut slices = [IoSliceMut::new(buffer)];
        let received = recvmsg::<()>(self.fd.as_raw_fd(), &mut slices, Some(&mut notes), MsgFlags::empty());
        let message = match received {
            Ok(message) if message.bytes == 0 => return (Moved::End, None),
            Ok(message) => message,
            Err(error) => return (moved(Errno::from_raw_os_error(error as i32)), None),
        };
        let stamp = message.cmsgs().ok().into_iter().flatten().find_map(|note| match note {
            ControlMessageOwned::ScmTimestampns(stamp) => Some(Duration::from(stamp)),
            _ => None,
        });
        (Moved::Bytes(message.bytes), stamp.map(age))
    }

    /// Reads what is available.
    #[inline]
    pub fn read(&self, buffer: &mut [u8]) -> Moved {
        match recv(&self.fd, buffer, RecvFlags::empty()) {
            Ok((0, _)) => Moved::End,
            Ok((count, _)) => Moved::Bytes(count),
            Err(error) => moved(error),
        }
    }

    /// Writes what the socket accepts.
    #[inline]
    pub fn write(&self, bytes: &[u8]) -> Moved {
        match send(&self.fd, bytes, SendFlags::NOSIGNAL) {
            Ok(count) => Moved::Bytes(count),
            Err(error) => moved(error),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// How long ago an instant of the wall clock was. Read at once, so that an adjustment of the clock hardly matters.
fn age(stamp: Duration) -> Duration {
    let now = clock_gettime(ClockId::Realtime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32).saturating_sub(stamp)
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
        // A Unix socket whose queue is full, or that does not exist.
        Errno::CONNREFUSED | Errno::AGAIN | Errno::NOENT => Failure::Refused,
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
