//! TLS around a client's requests and their replies.

use std::error::Error;
use std::io::{BufRead as _, ErrorKind, Write as _};
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

/// The server's certificate and configuration: TLS 1.2 or 1.3, either protocol.
///
/// # Errors
/// The files cannot be read, or do not belong together.
pub fn server_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, Box<dyn Error>> {
    let unusable = |path: &Path, reason: &dyn Error| format!("cannot use {}: {reason}", path.display());
    let chain: Vec<_> = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect)
        .map_err(|error| unusable(certificate, &error))?;
    let key_der = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let chosen = versions.with_no_client_auth().with_single_cert(chain, key_der);
    let mut config = chosen.map_err(|error| unusable(certificate, &error))?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    // The engine resumes no session: tickets would be unused.
    config.send_tls13_tickets = 0;
    Ok(Arc::new(config))
}

/// One client's session.
#[derive(Debug)]
pub struct Session(Box<ServerConnection>);

impl Session {
    /// # Errors
    /// The configuration offers nothing to a client.
    pub fn new(config: &Arc<ServerConfig>) -> Result<Self, rustls::Error> {
        let mut session = ServerConnection::new(Arc::clone(config))?;
        // Bytes that the socket does not accept wait in the client's backlog, not here.
        session.set_buffer_limit(None);
        Ok(Self(Box::new(session)))
    }

    /// Passes decrypted bytes to `take`. False when the client has ended or broken the session, or `take` returns false.
    pub fn decrypt(&mut self, mut input: &[u8], mut take: impl FnMut(&[u8]) -> bool) -> bool {
        while !input.is_empty() {
            if self.0.read_tls(&mut input).is_err() || self.0.process_new_packets().is_err() {
                return false;
            }
            let mut reader = self.0.reader();
            loop {
                let length = match reader.fill_buf() {
                    Ok(bytes) if !bytes.is_empty() && take(bytes) => bytes.len(),
                    Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                    Ok(_) | Err(_) => return false,
                };
                reader.consume(length);
            }
        }
        true
    }

    /// Replaces the output with TLS records, and adds TLS's own messages.
    pub fn encrypt(&mut self, out: &mut Vec<u8>) {
        // Without a limit the session takes everything, and nothing keeps a vector from growing.
        let _ = self.0.writer().write_all(out);
        out.clear();
        while self.0.wants_write() {
            if self.0.write_tls(out).is_err() {
                return;
            }
        }
    }
}
