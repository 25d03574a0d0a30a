"""The causes that logs of PostgreSQL programs name."""

from pathlib import Path

import pytest

from bakeoff.postgres.failure_cause import cause_in


@pytest.mark.parametrize(
    ("output", "words"),
    [
        ("PANIC: could not write to file: No space left on device", " The disk is full: free some space"),
        (
            'initdb: error: could not access directory "/a": Permission denied',
            "may not use /a: make it",
        ),
        (
            "FATAL: database files are incompatible with server",
            "Another version of PostgreSQL made its data: use that, or remove /a",
        ),
        ("initdb: could not look up effective user ID 12345", "--volume /etc/passwd:/etc/passwd:ro"),
        (
            'FATAL: could not open shared memory segment "/PostgreSQL.1": Permission denied',
            "a /dev/shm that its account",
        ),
        (
            'FATAL: could not resize shared memory segment "/PostgreSQL.1" to 2 bytes: No space left on device',
            "--shm-size 1g",
        ),
        ("FATAL: invalid value for parameter", ""),
    ],
)
def test_only_what_the_log_says_is_named(output: str, words: str) -> None:
    cause = cause_in(output, Path("/a"))
    assert words in cause
    assert bool(cause) == bool(words)
