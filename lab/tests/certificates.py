"""A certificate that authenticates itself, for servers of the tests."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

NAME = "shop.test"


@dataclass(frozen=True)
class Certificate:
    """PEM files of a certificate for `NAME` and of its key."""

    file: Path
    key: Path


def self_signed(folder: Path) -> Certificate:
    """A fresh one, or a skip that says what is missing."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("there is no openssl on the PATH, which makes certificates for this test")
    made = Certificate(folder / "certificate.pem", folder / "key.pem")
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=tests", "-addext", f"subjectAltName=DNS:{NAME}"]
    subprocess.run([*command, "-keyout", made.key, "-out", made.file], check=True, capture_output=True)
    return made
