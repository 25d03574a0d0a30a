"""Digests of files."""

import hashlib
from collections.abc import Iterable
from pathlib import Path


def digest_of(paths: Iterable[Path]) -> str:
    """SHA-256 of names and content, in the order given; a file that does not exist differs from an empty one."""
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes() if path.is_file() else None
        own = "-" if content is None else hashlib.sha256(content).hexdigest()
        digest.update(f"{path.name}\0{own}\n".encode())
    return digest.hexdigest()
