"""Digests of files."""

import hashlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path


def digest_of(paths: Iterable[Path]) -> str:
    """SHA-256 of names and content, in the order given; a file that does not exist differs from an empty one."""
    digest = hashlib.sha256()
    for path in paths:
        content = path.read_bytes() if path.is_file() else None
        own = "-" if content is None else hashlib.sha256(content).hexdigest()
        digest.update(f"{path.name}\0{own}\n".encode())
    return digest.hexdigest()


def file_digest(path: Path) -> str:
    """SHA-256 of a file, and of a link that of its target's text: the target may lie elsewhere, or nowhere."""
    return hashlib.sha256(os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()).hexdigest()


def content_digest(paths: Sequence[Path]) -> str:
    """SHA-256 of one file; of several, that of the list which `sha256sum` prints of them, with their names alone."""
    digests = [(file_digest(path), path.name) for path in paths]
    if len(digests) == 1:
        return digests[0][0]
    return hashlib.sha256("".join(f"{digest}  {name}\n" for digest, name in digests).encode()).hexdigest()


def text_digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
