"""Writes files that appear whole or not at all."""

from pathlib import Path


def write_whole(path: Path, content: bytes) -> Path:
    """Creates the folder, writes beside the path, and renames: a reader or a crash never meets half a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    partial.write_bytes(content)
    return partial.replace(path)
