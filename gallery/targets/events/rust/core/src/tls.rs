//! TLS, if a certificate is configured.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::settings::{CERTIFICATE_VARIABLE, KEY_VARIABLE, SettingError, TlsFiles};

/// A usable certificate and key.
pub struct Tls {
    /// Accepts TLS 1.2 and 1.3.
    pub acceptor: TlsAcceptor,
    /// The files, for servers with their own acceptor.
    pub files: TlsFiles,
}

impl Tls {
    /// Reads and checks the files; `protocols` are offered by ALPN, the preferred one first.
    pub fn load(files: &TlsFiles, protocols: &[&str]) -> Result<Self, SettingError> {
        Ok(Self { acceptor: acceptor(files, protocols)?, files: files.clone() })
    }
}

fn acceptor(files: &TlsFiles, protocols: &[&str]) -> Result<TlsAcceptor, SettingError> {
    let certificates = read_certificates(&files.certificates)
        .map_err(|reason| unusable(CERTIFICATE_VARIABLE, &files.certificates, "a PEM file of certificates", reason))?;
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| unusable(KEY_VARIABLE, &files.key, "a PEM file of a private key", reason(error)))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|versions| versions.with_no_client_auth().with_single_cert(certificates, key))
        .map_err(|error| unusable(KEY_VARIABLE, &files.key, "the key of the certificate in TLS_CERT_FILE", error))?;
    config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn read_certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, io::Error> {
    let certificates: Result<Vec<_>, _> = CertificateDer::pem_file_iter(file).map_err(reason)?.collect();
    match certificates.map_err(reason)? {
        none if none.is_empty() => Err(reason(pem::Error::NoItemsFound)),
        certificates => Ok(certificates),
    }
}

fn reason(error: pem::Error) -> io::Error {
    match error {
        pem::Error::Io(error) => error,
        pem::Error::NoItemsFound => io::Error::other("the file contains none"),
        error => io::Error::other(error),
    }
}

fn unusable(variable: &str, file: &Path, advice: &str, reason: impl fmt::Display) -> SettingError {
    SettingError::new(variable, &file.display().to_string(), &format!("{advice} ({reason})"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertifiedKey, generate_simple_self_signed};
    use std::fs;
    use std::path::PathBuf;

    /// A temporary folder with certificates and keys.
    struct Folder(PathBuf);

    impl Folder {
        fn create(test: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("events-tls-{test}-{}", std::process::id()));
            fs::create_dir_all(&folder).expect("a temporary folder");
            let CertifiedKey { cert, signing_key } =
                generate_simple_self_signed(["localhost".to_owned()]).expect("made");
            let other = generate_simple_self_signed(["localhost".to_owned()]).expect("made").signing_key;
            for (name, text) in [
                ("certificate", cert.pem()),
                ("key", signing_key.serialize_pem()),
                ("other-key", other.serialize_pem()),
            ] {
                fs::write(folder.join(name), text).expect("written");
            }
            Self(folder)
        }

        /// The error of a pair of files, empty if there is none.
        fn message(&self, certificates: &str, key: &str) -> String {
            let files = TlsFiles { certificates: self.0.join(certificates), key: self.0.join(key) };
            let folder = format!("{}/", self.0.display());
            acceptor(&files, &["h2"]).map_or_else(|error| error.to_string().replace(&folder, ""), |_| String::new())
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            fs::remove_dir_all(&self.0).expect("removed");
        }
    }

    #[test]
    fn a_certificate_and_its_key_are_usable() {
        assert_eq!(Folder::create("usable").message("certificate", "key"), "");
    }

    #[test]
    fn a_file_that_cannot_be_used_is_named_with_the_reason() {
        let folder = Folder::create("unusable");
        for (certificates, key, message) in [
            ("missing", "key", r#"TLS_CERT_FILE is "missing": use a PEM file of certificates (No such file"#),
            ("key", "key", r#"TLS_CERT_FILE is "key": use a PEM file of certificates (the file contains none)"#),
            (
                "certificate",
                "certificate",
                r#"TLS_KEY_FILE is "certificate": use a PEM file of a private key (the file contains none)"#,
            ),
            (
                "certificate",
                "other-key",
                r#"TLS_KEY_FILE is "other-key": use the key of the certificate in TLS_CERT_FILE ("#,
            ),
        ] {
            let actual = folder.message(certificates, key);
            assert!(actual.starts_with(message), "{actual}");
        }
    }
}
