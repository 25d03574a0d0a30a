//! Any protocol inside TLS: what it writes is encrypted, what comes for it is decrypted. No socket is known here.

use std::io::{BufRead as _, ErrorKind, Write as _};
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection};

use super::{Cancelled, Reply, Request, Wire};
use crate::failure::Failure;

/// The state that all connections of a run share.
#[derive(Debug)]
pub struct TlsCalls<S> {
    calls: Arc<S>,
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

impl<S> TlsCalls<S> {
    /// Prepares connections to a server of this name.
    ///
    /// # Errors
    /// The configuration cannot be used for a client.
    pub fn new(calls: Arc<S>, config: Arc<ClientConfig>, name: ServerName<'static>) -> Result<Self, rustls::Error> {
        ClientConnection::new(Arc::clone(&config), name.clone())?;
        Ok(Self { calls, config, name })
    }

    fn session(&self) -> ClientConnection {
        let mut session = ClientConnection::new(Arc::clone(&self.config), self.name.clone())
            .unwrap_or_else(|_| unreachable!("the configuration was tried"));
        // A request is written as a whole; the connection's backlog is where bytes wait.
        session.set_buffer_limit(None);
        session
    }
}

/// A connection that speaks `W` inside TLS.
#[derive(Debug)]
pub struct Tls<W: Wire> {
    shared: Arc<TlsCalls<W::Shared>>,
    inner: W,
    /// Made when the connection is: its first message holds a fresh key.
    session: Option<Box<ClientConnection>>,
    is_established: bool,
    /// The peer will send no more.
    has_ended: bool,
    /// The inner protocol's output that is not encrypted yet.
    plain: Vec<u8>,
    refusal: Option<Box<rustls::Error>>,
}

impl<W: Wire> Wire for Tls<W> {
    type Shared = TlsCalls<W::Shared>;

    fn new(shared: &Arc<Self::Shared>) -> Self {
        Self {
            inner: W::new(&shared.calls),
            shared: Arc::clone(shared),
            session: None,
            is_established: false,
            has_ended: false,
            plain: Vec::new(),
            refusal: None,
        }
    }

    fn greet(&mut self, out: &mut Vec<u8>) {
        let session = self.session.insert(Box::new(self.shared.session()));
        write_records(session, out);
    }

    fn has_room(&self) -> bool {
        self.is_established && !self.has_ended && self.inner.has_room()
    }

    fn send(&mut self, request: &Request<'_>, out: &mut Vec<u8>) {
        self.inner.send(request, &mut self.plain);
        self.encrypt(out);
    }

    fn receive(
        &mut self,
        mut input: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl FnMut(Reply<'_>),
    ) -> Result<(), Failure> {
        while !input.is_empty() && !self.has_ended {
            let Some(session) = &mut self.session else { return Err(Failure::Tls) };
            session.read_tls(&mut input).map_err(|_| Failure::Tls)?;
            if let Err(error) = session.process_new_packets() {
                // The alert shows the server why.
                write_records(session, out);
                let failure = failure(&error);
                self.refusal = Some(Box::new(error));
                return Err(failure);
            }
            if !self.is_established && !session.is_handshaking() {
                self.is_established = true;
                self.inner.greet(&mut self.plain);
            }
            let received = self.decrypt(sink);
            self.encrypt(out);
            received?;
        }
        Ok(())
    }

    /// Without a TLS close_notify the end may be a truncation attack: a reply that ends with the connection is incomplete.
    fn end(&mut self, _sink: &mut impl FnMut(Reply<'_>)) {
        self.has_ended = true;
    }

    fn cancel(&mut self, tag: u32, out: &mut Vec<u8>) -> Cancelled {
        let cancelled = self.inner.cancel(tag, &mut self.plain);
        self.encrypt(out);
        cancelled
    }

    fn abandon(&mut self, sink: &mut impl FnMut(u32)) {
        self.inner.abandon(sink);
    }

    fn is_idle(&self) -> bool {
        self.inner.is_idle()
    }

    fn is_closing(&self) -> bool {
        self.has_ended || self.inner.is_closing()
    }

    fn tick(&mut self, now: u64, out: &mut Vec<u8>) -> Result<(), Failure> {
        if !self.is_established {
            return Ok(());
        }
        let checked = self.inner.tick(now, &mut self.plain);
        self.encrypt(out);
        checked
    }

    fn reason(&self) -> Option<String> {
        self.refusal.as_deref().map(words).or_else(|| self.inner.reason())
    }

    fn farewell(&mut self, out: &mut Vec<u8>) {
        if !self.is_established {
            return;
        }
        self.inner.farewell(&mut self.plain);
        self.encrypt(out);
        if let Some(session) = &mut self.session {
            session.send_close_notify();
            write_records(session, out);
        }
    }
}

impl<W: Wire> Tls<W> {
    /// Hands the inner protocol what has been decrypted.
    fn decrypt(&mut self, sink: &mut impl FnMut(Reply<'_>)) -> Result<(), Failure> {
        let Some(session) = &mut self.session else { return Ok(()) };
        let mut reader = session.reader();
        loop {
            let length = match reader.fill_buf() {
                Ok([]) => {
                    self.has_ended = true;
                    self.inner.end(sink);
                    return Ok(());
                }
                Ok(bytes) => {
                    self.inner.receive(bytes, &mut self.plain, sink)?;
                    bytes.len()
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(_) => return Err(Failure::Tls),
            };
            reader.consume(length);
        }
    }

    /// Appends records of the inner protocol's output, and TLS's own messages.
    fn encrypt(&mut self, out: &mut Vec<u8>) {
        let Some(session) = &mut self.session else { return };
        if !self.plain.is_empty() {
            // Without a limit the session takes everything.
            let _ = session.writer().write_all(&self.plain);
            self.plain.clear();
        }
        write_records(session, out);
    }
}

fn write_records(session: &mut ClientConnection, out: &mut Vec<u8>) {
    while session.wants_write() {
        // Nothing keeps a vector from growing.
        if session.write_tls(out).is_err() {
            return;
        }
    }
}

/// The reason as a person reads it; rustls names some as its types are.
fn words(error: &rustls::Error) -> String {
    use rustls::{CertificateError, Error};
    match error {
        Error::InvalidCertificate(CertificateError::UnknownIssuer) => "no trusted authority has issued it".to_owned(),
        Error::InvalidCertificate(CertificateError::Other(other)) => match other.to_string().as_str() {
            "CaUsedAsEndEntity" => "a certificate of an authority (CA:TRUE) is used as the server's own".to_owned(),
            other => other.to_owned(),
        },
        Error::InvalidCertificate(CertificateError::BadEncoding) => "its encoding is not valid".to_owned(),
        Error::InvalidCertificate(reason) => reason.to_string(),
        Error::NoApplicationProtocol => "the server offers none of the protocols asked for (ALPN)".to_owned(),
        Error::InvalidMessage(_) => "the server does not answer with TLS".to_owned(),
        Error::AlertReceived(alert) => format!("the server refused the handshake: {alert:?}"),
        error => error.to_string(),
    }
}

fn failure(error: &rustls::Error) -> Failure {
    match error {
        rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => Failure::Certificate,
        _ => Failure::Tls,
    }
}
