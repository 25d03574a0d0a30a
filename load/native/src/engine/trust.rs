//! The TLS client configuration: trusted authorities and the expected server name.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};

use super::error::EngineError;
use crate::plan::Tls;

/// The client's configuration: TLS 1.2 or 1.3, with the plan's protocol as the only ALPN entry.
///
/// # Errors
/// The authorities cannot be read.
pub fn client_config(tls: &Tls, is_http2: bool) -> Result<Arc<ClientConfig>, EngineError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let versions = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = versions.map_err(|error| EngineError::Tls(error.to_string()))?;
    let mut config = builder.with_root_certificates(authorities(tls)?).with_no_client_auth();
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
    ServerName::try_from(name.to_owned())
        .map_err(|_| EngineError::Tls(format!("{name:?} is not a name that a certificate can have")))
}

fn authorities(tls: &Tls) -> Result<RootCertStore, EngineError> {
    let mut store = RootCertStore::empty();
    match &tls.ca_file {
        None => {
            // Some of a system's certificates may be of obsolete kinds: they are skipped.
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
        Some(path) => {
            let unusable = |reason: String| EngineError::Tls(format!("cannot use the authorities in {path}: {reason}"));
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| unusable(error.to_string()))? {
                let certificate = certificate.map_err(|error| unusable(error.to_string()))?;
                store.add(certificate).map_err(|error| unusable(error.to_string()))?;
            }
        }
    }
    if store.is_empty() {
        let place = tls.ca_file.as_deref().unwrap_or("the system's store");
        return Err(EngineError::Tls(format!("no certificate found in {place}: set transport.tls.ca_file")));
    }
    Ok(store)
}
