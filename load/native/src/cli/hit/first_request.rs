//! The one request before all others: whether the server answers, and the status of a good reply.

use std::error::Error;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use rustls::{ClientConnection, StreamOwned};

use super::request::Request;
use crate::engine::{client_config, server_name};
use crate::plan::Tls;
use crate::wire::http1::{header, parse_head};

const LONGEST_HEAD: usize = 64 << 10;

/// The status of the server's reply. The error names the server that does not answer, or redirects.
pub fn status_of(request: &Request, tls: Option<&Tls>) -> Result<u16, String> {
    let (status, place) = reply_to(request, tls).map_err(|error| explained(request, error.as_ref()))?;
    let url = &request.url;
    match status {
        300..400 => Err(format!(
            "{url} redirects to {place} (status {status}). Measure that address, or accept the redirect as the reply \
             with --expect {status}."
        )),
        _ => Ok(status),
    }
}

/// The reply's status, and where it redirects to.
fn reply_to(request: &Request, tls: Option<&Tls>) -> Result<(u16, String), Box<dyn Error>> {
    let timeout = Duration::from_millis(request.timeout_ms);
    let socket = connected(request, timeout)?;
    socket.set_read_timeout(Some(timeout))?;
    socket.set_write_timeout(Some(timeout))?;
    let (head, status) = match tls {
        None => exchange(socket, &bytes_of(request))?,
        Some(tls) => {
            let name = server_name(tls, &request.target.host)?;
            let session = ClientConnection::new(client_config(tls, false)?, name)?;
            exchange(StreamOwned::new(session, socket), &bytes_of(request))?
        }
    };
    let place = header(&head, "location").map_or("nowhere".into(), String::from_utf8_lossy);
    Ok((status, place.into_owned()))
}

fn connected(request: &Request, timeout: Duration) -> io::Result<TcpStream> {
    let mut failure = ErrorKind::AddrNotAvailable.into();
    for address in (request.target.host.as_str(), request.target.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(socket) => return Ok(socket),
            Err(error) => failure = error,
        }
    }
    Err(failure)
}

fn bytes_of(request: &Request) -> Vec<u8> {
    let mut text =
        format!("{} {} HTTP/1.1\r\nHost: {}\r\n", request.method, request.target.path, request.target.address());
    for (name, value) in &request.headers {
        text += &format!("{name}: {value}\r\n");
    }
    let body = request.body.as_deref().unwrap_or_default();
    if !body.is_empty() || !matches!(request.method.as_str(), "GET" | "DELETE") {
        text += &format!("Content-Length: {}\r\n", body.len());
    }
    (text + "Connection: close\r\n\r\n" + body).into_bytes()
}

/// The head of the final reply, and its status.
fn exchange(mut stream: impl Read + Write, request: &[u8]) -> Result<(Vec<u8>, u16), Box<dyn Error>> {
    stream.write_all(request)?;
    stream.flush()?;
    let mut received = Vec::new();
    let mut chunk = [0; 4_096];
    while received.len() < LONGEST_HEAD {
        match parse_head(&received, false).map_err(|_| "the reply is not HTTP/1.1")? {
            Some((head, length)) if head.status < 200 => drop(received.drain(..length)),
            Some((head, _)) => return Ok((received, head.status)),
            None => match stream.read(&mut chunk)? {
                0 => return Err("Remote end closed connection without response".into()),
                count => received.extend_from_slice(&chunk[..count]),
            },
        }
    }
    Err("the head of the reply is too long".into())
}

fn explained(request: &Request, error: &(dyn Error + 'static)) -> String {
    if let Some(reason) = distrust(error) {
        let address = request.target.address();
        return format!("The certificate of {address} is not trusted ({reason}): name its authority with --ca-file.");
    }
    format!("{} does not answer: {}. Start the server, or check the address.", request.url, reason_of(error))
}

/// Why a certificate was refused; none where it was not.
fn distrust(error: &(dyn Error + 'static)) -> Option<String> {
    match error.downcast_ref::<io::Error>()?.get_ref()?.downcast_ref::<rustls::Error>()? {
        rustls::Error::InvalidCertificate(reason) => Some(reason.to_string()),
        _ => None,
    }
}

/// The system's words, without the number and the call that it adds.
fn reason_of(error: &(dyn Error + 'static)) -> String {
    let is_timeout = error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut));
    if is_timeout {
        return "timed out".to_owned();
    }
    let text = error.to_string();
    let text = text.strip_prefix("failed to lookup address information: ").unwrap_or(&text);
    text.split(" (os error").next().unwrap_or(text).to_owned()
}
