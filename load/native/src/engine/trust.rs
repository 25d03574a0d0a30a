//! The TLS client configuration: trusted authorities, the expected server name, the client's own certificate.

use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use super::error::EngineError;
use crate::plan::Tls;

/// The client's configuration: TLS 1.2 or 1.3, with the plan's protocol as the only ALPN entry.
///
/// # Errors
/// A certificate cannot be read or used.
pub fn client_config(tls: &Tls, is_http2: bool) -> Result<Arc<ClientConfig>, EngineError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let refused = |error: &dyn std::fmt::Display| EngineError::Tls(error.to_string());
    let versions = ClientConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
    let verifier = Verifier::new(tls, provider)?;
    let builder = versions.map_err(|error| refused(&error))?.dangerous().with_custom_certificate_verifier(verifier);
    let mut config = match (&tls.cert_file, &tls.key_file) {
        (Some(certificate), Some(key)) => {
            let unusable = |reason: &dyn std::fmt::Display| {
                EngineError::Tls(format!(
                    "the client certificate {certificate} with the key {key} is no good: {reason}"
                ))
            };
            let own = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(&error))?;
            builder.with_client_auth_cert(certificates(certificate)?, own).map_err(|error| unusable(&error))?
        }
        _ => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![if is_http2 { b"h2".to_vec() } else { b"http/1.1".to_vec() }];
    // Every connection costs the target a full handshake.
    config.resumption = Resumption::disabled();
    Ok(Arc::new(config))
}

/// The name that the certificate must match.
///
/// # Errors
/// It is neither a host's name nor an address.
pub fn server_name(tls: &Tls, host: &str) -> Result<ServerName<'static>, EngineError> {
    let name = tls.server_name.as_deref().unwrap_or(host);
    // The zone of an address is this machine's own.
    let name = name.split('%').next().unwrap_or(name);
    ServerName::try_from(name.to_owned())
        .map_err(|_| EngineError::Tls(format!("{name:?} is not a name that a certificate can have")))
}

fn certificates(path: &str) -> Result<Vec<CertificateDer<'static>>, EngineError> {
    let unusable = |reason: &dyn std::fmt::Display| EngineError::Tls(format!("cannot use {path}: {reason}"));
    let found = CertificateDer::pem_file_iter(path).map_err(|error| unusable(&error))?;
    let found = found.collect::<Result<Vec<_>, _>>().map_err(|error| unusable(&error))?;
    if found.is_empty() { Err(unusable(&"it holds no certificate in PEM form")) } else { Ok(found) }
}

/// Trusts what the authorities have issued, and a certificate that is itself among the trusted ones.
#[derive(Debug)]
struct Verifier {
    provider: Arc<CryptoProvider>,
    /// None where any certificate is accepted.
    authorities: Option<Arc<WebPkiServerVerifier>>,
    /// Certificates that the user has named.
    named: Vec<CertificateDer<'static>>,
}

impl Verifier {
    fn new(tls: &Tls, provider: Arc<CryptoProvider>) -> Result<Arc<Self>, EngineError> {
        let mut store = RootCertStore::empty();
        let named = tls.ca_file.as_deref().map(certificates).transpose()?.unwrap_or_default();
        for certificate in &named {
            let place = tls.ca_file.as_deref().unwrap_or_default();
            let unusable = |error: Error| EngineError::Tls(format!("cannot use {place}: {error}"));
            store.add(certificate.clone()).map_err(unusable)?;
        }
        if tls.ca_file.is_none() && !tls.insecure {
            // Some of a system's certificates may be of obsolete kinds: they are skipped.
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if store.is_empty() {
                return Err(EngineError::Tls(
                    "this system has no store of authorities: name them in a file".to_owned(),
                ));
            }
        }
        let of_store = || WebPkiServerVerifier::builder_with_provider(Arc::new(store), Arc::clone(&provider)).build();
        let authorities = if tls.insecure { None } else { Some(of_store()) };
        let authorities = authorities.transpose().map_err(|error| EngineError::Tls(error.to_string()))?;
        Ok(Arc::new(Self { provider, authorities, named }))
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(authorities) = &self.authorities else { return Ok(ServerCertVerified::assertion()) };
        let verified = authorities.verify_server_cert(end_entity, intermediates, name, ocsp, now);
        match &verified {
            // `openssl req -x509` makes a certificate of an authority: named itself, it is trusted for its names.
            Err(Error::InvalidCertificate(CertificateError::Other(_))) if self.named.contains(end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            _ => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
