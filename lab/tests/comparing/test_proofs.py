"""A proof of conformance is kept until something changes that it depends on."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bakeoff.builds.build import Build
from bakeoff.comparing import proofs
from bakeoff.conformance.runner import CaseResult, ConformanceResult
from bakeoff.options.variant import Variant
from bakeoff.project import Project
from bakeoff.running.contender import Proof
from bakeoff.running.testbed import Testbed
from bakeoff.targets.access import Access
from bakeoff.targets.manifest import DeclaredSetting
from bakeoff.workload.declaration import Declaration
from bakeoff.workload.loader import Workload
from made_up_manifests import target as made_up_target


class Quiet:
    def __getattr__(self, _name: str) -> Any:
        return lambda *_: None


class Checkout:
    """A target and a workload in files, and how often the cases ran."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.ran = 0
        self.passes = True
        self.default_pool = "10"
        self.attached: Mapping[str, Access] = {}
        self.facts = {"toolchain": "go 1.26", "kernel": "6.1"}
        for name in ("artifact", "gallery/contract/events/vectors/one.json"):
            self.write(name, "first")
        monkeypatch.setattr(proofs, "conform", self._conform)
        monkeypatch.setattr(proofs, "environment_of", lambda *_: self.facts)

    def write(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def prove(self, variant: Variant = Variant(), *, again: bool = False) -> Proof:  # noqa: B008 — it is frozen
        nowhere = self.root / "nowhere"
        build = Build("t", self.root, ("true",), (), self.root / "artifact", nowhere, self.root / "stamp", nowhere)
        made_up = made_up_target("t", settings={"pool_size": DeclaredSetting("POOL", self.default_pool)})
        target = replace(made_up, directory=self.root, build=build)
        progress: Any = Quiet()
        testbed = Testbed(Project(self.root), None, progress, attached=self.attached)
        workload = Workload(
            "events", self.root / "gallery/contract/events", Declaration(database="none", vectors="vectors")
        )
        return proofs.prove(testbed, target, workload, variant, again=again)

    def _conform(self, *_: object) -> ConformanceResult:
        self.ran += 1
        differences = () if self.passes else ("wrong",)
        return ConformanceResult("rest", (CaseResult("case", "subject", "rule", differences),), 0)


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checkout:
    return Checkout(tmp_path, monkeypatch)


def test_nothing_runs_again_while_nothing_has_changed(checkout: Checkout) -> None:
    first = checkout.prove()
    assert (first.problem, first.cases, checkout.ran) == (None, 1, 1)
    # A fact that does not touch what the target does.
    checkout.facts = {**checkout.facts, "kernel": "6.2"}
    assert checkout.prove() == first
    assert checkout.ran == 1


def test_it_can_be_proved_again(checkout: Checkout) -> None:
    checkout.prove()
    checkout.prove(again=True)
    assert checkout.ran == 2


def test_a_manifest_that_changed_proves_again(checkout: Checkout) -> None:
    checkout.prove()
    checkout.default_pool = "11"
    checkout.prove()
    checkout.prove()
    assert checkout.ran == 2


@pytest.mark.parametrize("name", ["artifact", "stamp", "gallery/contract/events/vectors/one.json"])
def test_a_file_that_changed_proves_again(checkout: Checkout, name: str) -> None:
    checkout.prove()
    checkout.write(name, "second")
    checkout.prove()
    checkout.prove()
    assert checkout.ran == 2


@pytest.mark.parametrize(
    ("name", "variant"),
    [
        ("replicas", Variant(replicas=2)),
        ("pgbouncer", Variant(pgbouncer="session")),
    ],
)
def test_a_configuration_proves_again_what_it_stands_around(
    checkout: Checkout, name: str, variant: Variant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(proofs._CONFIGURATIONS, name, checkout.root / name)
    checkout.write(name, "first")
    for each in (Variant(), variant):
        checkout.prove(each)
    checkout.write(name, "second")
    checkout.prove()
    assert checkout.ran == 2
    checkout.prove(variant)
    assert checkout.ran == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"tls": True},
        {"token": True},
        {"settings": {"pool_size": "4"}},
        {"replicas": 2},
        {"pgbouncer": "session"},
        {"pgbouncer_connections": 8},
        {"read_replica": True},
        {"overlay": "partitioned"},
    ],
)
def test_each_setting_is_proved_by_itself(checkout: Checkout, changed: dict[str, Any]) -> None:
    checkout.prove()
    checkout.prove(replace(Variant(), **changed))
    checkout.prove(replace(Variant(), **changed))
    assert checkout.ran == 2


def test_a_setting_from_the_environment_and_another_toolchain_prove_again(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.prove()
    monkeypatch.setenv("POOL", "3")
    checkout.prove()
    assert checkout.ran == 2
    checkout.facts = {"toolchain": "go 1.27"}
    checkout.prove()
    assert checkout.ran == 3


def test_a_failure_is_not_kept(checkout: Checkout) -> None:
    checkout.passes = False
    problem = checkout.prove().problem
    assert problem is not None
    assert "1 of 1 conformance cases failed" in problem
    checkout.passes = True
    assert checkout.prove().problem is None


def test_an_attached_target_is_proved_each_time(checkout: Checkout) -> None:
    checkout.attached = {"t": Access("127.0.0.1", 1)}
    checkout.prove()
    checkout.prove()
    assert checkout.ran == 2


def test_a_broken_proof_is_none(checkout: Checkout) -> None:
    checkout.prove()
    (file,) = (checkout.root / ".bakeoff" / "proofs").iterdir()
    file.write_text('{"proved_at"')
    checkout.prove()
    assert checkout.ran == 2
