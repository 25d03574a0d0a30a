"""The certificate that targets use for TLS: trusted by its authority, private, and reused until it expires soon."""

import datetime
import ssl
from pathlib import Path

import pytest
from cryptography import x509

from bakeoff.targets import security
from bakeoff.targets.security import lab_certificate


def test_its_authority_vouches_for_the_loopback_name_for_sixty_days(tmp_path: Path) -> None:
    files = lab_certificate(tmp_path / "tls")
    leaf = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    authority = x509.load_pem_x509_certificate(files.authority.read_bytes())
    left = leaf.not_valid_after_utc - datetime.datetime.now(datetime.UTC)
    assert datetime.timedelta(days=59) < left <= datetime.timedelta(days=60)
    leaf.verify_directly_issued_by(authority)
    names = leaf.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["localhost"]
    assert [str(address) for address in names.get_values_for_type(x509.IPAddress)] == ["127.0.0.1"]
    # Java reads keys as PKCS #8 only.
    assert files.key.read_bytes().startswith(b"-----BEGIN PRIVATE KEY-----")
    # The key belongs to it.
    ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(files.certificate, files.key)


def test_only_its_owner_may_read_the_files(tmp_path: Path) -> None:
    files = lab_certificate(tmp_path)
    assert {path.stat().st_mode & 0o777 for path in (files.certificate, files.key, files.authority)} == {0o600}


def test_it_is_reused_until_it_expires_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = lab_certificate(tmp_path).certificate.read_bytes()
    assert lab_certificate(tmp_path).certificate.read_bytes() == first
    monkeypatch.setattr(security, "_RENEWED_BEFORE_END", datetime.timedelta(days=61))
    assert lab_certificate(tmp_path).certificate.read_bytes() != first
