"""A comparison is measured on one server."""

from collections.abc import Sequence

import pytest

from bakeoff.comparing.comparison import _postgres_of
from bakeoff.errors import UsageError
from bakeoff.running.contender import Contender
from bakeoff.targets.storage import StorageKind, StorageTable
from made_up_manifests import engine, target, workload


def contender(name: str, postgres: str, kind: StorageKind | None = None) -> Contender:
    storage = StorageTable(kind, postgres=postgres)
    return Contender(target(name, storage=storage), workload(), engine("native"))


@pytest.mark.parametrize(
    ("contenders", "postgres"),
    [
        ([], "embedded"),
        ([contender("a", "embedded"), contender("b", "embedded")], "embedded"),
        ([contender("a", "system"), contender("b", "system")], "system"),
        ([contender("a", "system"), contender("b", "embedded", "memory")], "system"),
    ],
)
def test_contenders_share_a_postgresql(
    contenders: Sequence[Contender], postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    assert _postgres_of(contenders) == postgres


def test_contenders_on_different_servers_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    with pytest.raises(UsageError, match=r'"system" \(a\) and "/opt/pg/bin" \(b\)\. One command uses one server'):
        _postgres_of([contender("a", "system"), contender("b", "/opt/pg/bin")])
