"""Configures a target for TLS and a token: the lab's own certificate with its authority, and a random token."""

import datetime
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.documents.whole_file import made_whole, write_privately
from bakeoff.targets.access import Access
from bakeoff.targets.manifest import Target
from bakeoff.workload.plan_records import PlannedTls

TLS_SETTING = "tls_cert_file"
"""The setting that makes a target speak TLS, together with that of its key."""

_VALID = datetime.timedelta(days=60)
_RENEWED_BEFORE_END = datetime.timedelta(days=7)
# The clocks of containers and hosts can differ.
_VALID_BEFORE_NOW = datetime.timedelta(hours=1)
_ADDRESS = "127.0.0.1"
_NAME = "localhost"


@dataclass(frozen=True)
class Certificate:
    """PEM files: what a server uses, and what a client trusts."""

    certificate: Path
    key: Path
    authority: Path


@dataclass(frozen=True)
class Secured:
    """How a target is to be secured; nothing by default. The token is nowhere stored."""

    certificate: Certificate | None = None
    token: str | None = field(default=None, repr=False)

    def variables_of(self, target: Target) -> dict[str, str]:
        settings = {}
        if self.certificate is not None:
            settings[TLS_SETTING] = str(self.certificate.certificate)
            settings["tls_key_file"] = str(self.certificate.key)
        if self.token is not None:
            settings["api_token"] = self.token
        return {target.setting_variable(name): value for name, value in settings.items()}

    def access(self, host: str, port: int) -> Access:
        tls = None if self.certificate is None else PlannedTls(ca_file=str(self.certificate.authority))
        return Access(host, port, tls, self.token)


def lab_certificate(folder: Path) -> Certificate:
    """The certificate for the loopback address in a folder; replaced when it is missing or expires soon."""
    files = Certificate(folder / "certificate.pem", folder / "key.pem", folder / "authority.pem")
    if not _usable(files):
        _make(files)
    return files


def _usable(files: Certificate) -> bool:
    from cryptography import x509

    try:
        made = x509.load_pem_x509_certificate(files.certificate.read_bytes())
    except (OSError, ValueError):
        return False
    ends = made.not_valid_after_utc - _RENEWED_BEFORE_END
    return files.key.exists() and files.authority.exists() and ends > datetime.datetime.now(datetime.UTC)


def _make(files: Certificate) -> None:
    import trustme

    now = datetime.datetime.now(datetime.UTC)
    authority = trustme.CA(organization_name="bakeoff")
    issued = authority.issue_cert(
        _NAME, _ADDRESS, common_name=_NAME, not_before=now - _VALID_BEFORE_NOW, not_after=now + _VALID
    )
    _write(files.authority, authority.cert_pem.bytes())
    _write(files.key, _pkcs8(issued.private_key_pem.bytes()))
    # Last: a certificate that exists is complete.
    _write(files.certificate, issued.cert_chain_pems[0].bytes())


def _pkcs8(key_pem: bytes) -> bytes:
    """The key in the one form that the servers of every language read."""
    from cryptography.hazmat.primitives import serialization

    key = serialization.load_pem_private_key(key_pem, password=None)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _write(path: Path, content: bytes) -> None:
    with made_whole(path) as partial:
        write_privately(partial, content)
