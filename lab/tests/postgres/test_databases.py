import os
from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.postgres import binaries
from bakeoff.postgres.databases import last_choice, metrics_url, one_choice
from bakeoff.postgres.embedded import SETTINGS_FILE
from bakeoff.project import Project


@pytest.mark.parametrize(
    ("environment", "url"),
    [
        ({}, None),
        ({"METRICS_DATABASE_URL": "postgresql://a/b", "DB_HOST": "c"}, "postgresql://a/b"),
        ({"DB_HOST": "db"}, "postgresql://postgres:password@db:5432/performance_metrics"),
        (
            {"DB_HOST": "db", "DB_PORT": "5433", "DB_NAME": "m x", "DB_USER": "u@v", "DB_PASSWORD": "p/q:r"},
            "postgresql://u%40v:p%2Fq%3Ar@db:5433/m%20x",
        ),
    ],
)
def test_the_documented_variables_make_a_url(environment: dict[str, str], url: str | None) -> None:
    assert metrics_url(environment) == url


@pytest.mark.parametrize("setting", ["fsync", "synchronous_commit", "full_page_writes"])
def test_the_published_settings_keep_durability_on(setting: str) -> None:
    assert f"\n{setting} = on\n" in SETTINGS_FILE.read_text("utf-8")


def test_targets_of_one_command_share_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert one_choice({}) == "embedded"
    assert one_choice({"a-rest": "system", "b-rest": "system"}) == "system"
    with pytest.raises(UsageError, match=r'differs: "system" \(a-rest\) and "embedded" \(b-rest\)\. .*DATABASE_URL'):
        one_choice({"a-rest": "system", "b-rest": "embedded"})
    monkeypatch.setenv("DATABASE_URL", "postgresql://a/b")
    one_choice({"a-rest": "system", "b-rest": "embedded"})


def test_the_last_choice_is_the_one_started_last(empty_checkout: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binaries, "_reachable_by_others", lambda _path: True)
    assert last_choice(empty_checkout) == "embedded"
    embedded = binaries.find_installation(empty_checkout).data
    installed = embedded / "installed-15"
    for number, (folder, programs) in enumerate(((embedded, "packaged"), (installed, "own build"))):
        options = folder / "application" / "postmaster.opts"
        options.parent.mkdir(parents=True)
        options.write_text(f'"/{programs}/postgres" "-D" "{options.parent}"\n', "utf-8")
        os.utime(options, (number, number))
    assert last_choice(empty_checkout) == str(Path("/own build"))
    os.utime(embedded / "application" / "postmaster.opts", (2, 2))
    assert last_choice(empty_checkout) == "embedded"
