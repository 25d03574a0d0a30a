"""Checks of Compose's file without a Docker engine: see end_to_end/test_compose.py for the rest."""

import re

import yaml

from bakeoff.postgres.embedded import SETTINGS_FILE
from bakeoff.project import Project

# Written down in the lab's settings although they are the defaults of PostgreSQL 18.
DEFAULTS = {
    *("fsync", "synchronous_commit", "full_page_writes", "password_encryption", "checkpoint_completion_target"),
    *("default_toast_compression", "wal_compression", "autovacuum"),
    *("log_min_messages", "log_checkpoints", "log_line_prefix"),
}
# A container's own business.
WHERE_IT_LISTENS = {"listen_addresses", "unix_socket_directories"}


def test_the_database_has_the_settings_of_the_lab_s_own(clone: Project) -> None:
    text = SETTINGS_FILE.read_text("utf-8")
    own = dict(re.findall(r"^(\w+) = '?([^'\n]*)", text, re.MULTILINE))
    compose = yaml.safe_load((clone.root / "deploy/compose/docker-compose.yml").read_text("utf-8"))
    _, *options = compose["services"]["postgres-large"]["command"]
    given = dict(option.removeprefix("-c").split("=", 1) for option in options)
    assert own.keys() >= DEFAULTS | WHERE_IT_LISTENS
    expected = {name: value for name, value in own.items() if name not in DEFAULTS | WHERE_IT_LISTENS}
    assert given.pop("listen_addresses") == "*"
    # What a machine has not, its user may lower.
    assert given.pop("shared_buffers") == f"${{POSTGRES_SHARED_BUFFERS:-{expected.pop('shared_buffers')}}}"
    assert given == expected
