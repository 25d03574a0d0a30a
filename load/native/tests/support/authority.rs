//! An authority of the test's own, and a certificate of its making.
#![allow(dead_code, reason = "each test file uses its own part of it")]

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::{Value, json};

/// The name in the certificate.
pub const NAME: &str = "shop.test";

/// An authority, and the server's side of TLS with a certificate of its making.
pub struct Authority {
    pub folder: tempfile::TempDir,
    pub server: Arc<ServerConfig>,
}

impl Authority {
    /// The server speaks this protocol alone.
    pub fn new(protocol: &str) -> Self {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let folder = tempfile::tempdir().expect("a folder");
        let certificate = params.self_signed(&key).expect("signed");
        std::fs::write(folder.path().join("ca.pem"), certificate.pem()).expect("written");
        let issuer = Issuer::new(params, key);
        let key = KeyPair::generate().expect("a key");
        let params = CertificateParams::new(vec![NAME.to_owned()]).expect("parameters");
        let certificate = params.signed_by(&key, &issuer).expect("signed");
        std::fs::write(folder.path().join("certificate.pem"), certificate.pem()).expect("written");
        std::fs::write(folder.path().join("key.pem"), key.serialize_pem()).expect("written");
        let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions().expect("versions").with_no_client_auth();
        let mut server = builder.with_single_cert(vec![certificate.der().clone()], key).expect("a configuration");
        server.alpn_protocols = vec![protocol.as_bytes().to_vec()];
        Self { folder, server: Arc::new(server) }
    }

    /// One of `ca.pem`, `certificate.pem` and `key.pem`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn ca_file(&self) -> String {
        self.file("ca.pem").display().to_string()
    }

    /// The plan's TLS settings that trust it.
    pub fn tls(&self) -> Value {
        json!({"ca_file": self.ca_file(), "server_name": NAME})
    }
}
