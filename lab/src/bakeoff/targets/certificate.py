"""The lab's own certificate for targets that are to speak TLS, and the authority that clients are told to trust."""

import datetime
import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_VALID = datetime.timedelta(days=60)
_RENEWED_BEFORE_END = datetime.timedelta(days=7)
# Clocks of containers and hosts are not always together.
_VALID_BEFORE_NOW = datetime.timedelta(hours=1)
_ADDRESS = "127.0.0.1"
_NAME = "localhost"


@dataclass(frozen=True)
class Certificate:
    """PEM files: what a server is given, and what a client trusts."""

    certificate: Path
    key: Path
    authority: Path


def lab_certificate(folder: Path) -> Certificate:
    """The certificate for the loopback address that lies in a folder; made anew when it is missing or ends soon."""
    files = Certificate(folder / "certificate.pem", folder / "key.pem", folder / "authority.pem")
    if not _usable(files):
        folder.mkdir(parents=True, exist_ok=True)
        _make(files)
    return files


def _usable(files: Certificate) -> bool:
    try:
        made = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    except (OSError, ValueError):
        return False
    ends = made.not_valid_after_utc - _RENEWED_BEFORE_END
    return files.key.exists() and files.authority.exists() and ends > datetime.datetime.now(datetime.UTC)


def _make(files: Certificate) -> None:
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    authority_name, name = _named("bakeoff authority"), _named(_NAME)
    extensions: Sequence[tuple[x509.ExtensionType, bool]] = [
        (x509.SubjectAlternativeName([x509.DNSName(_NAME), x509.IPAddress(ipaddress.ip_address(_ADDRESS))]), False),
        (x509.BasicConstraints(ca=False, path_length=None), True),
        (x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH]), False),
    ]
    authority = _signed(
        authority_name, authority_name, authority_key, authority_key, [(x509.BasicConstraints(True, 0), True)]
    )
    certificate = _signed(name, authority_name, key, authority_key, extensions)
    _write(files.authority, authority.public_bytes(serialization.Encoding.PEM))
    _write(files.key, _private_pem(key))
    # Last: a certificate that is there is whole.
    _write(files.certificate, certificate.public_bytes(serialization.Encoding.PEM))


def _signed(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    signer: ec.EllipticCurvePrivateKey,
    extensions: Sequence[tuple[x509.ExtensionType, bool]],
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _VALID_BEFORE_NOW)
        .not_valid_after(now + _VALID)
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(signer, hashes.SHA256())


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write(path: Path, content: bytes) -> None:
    partial = path.with_name(f"{path.name}.partial")
    partial.unlink(missing_ok=True)
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    partial.rename(path)
