"""Proves contenders by conformance and a smoke run.

Proofs of conformance are kept in files until the target, its settings or the cases change.
"""

import hashlib
import json
import os
from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from bakeoff import conformance
from bakeoff.builds.digests import digest_of
from bakeoff.comparing.measurer import Measurer
from bakeoff.comparing.new_operations import (
    candidate_of,
    is_other_commit,
    not_served,
    without_commit,
    without_operations,
)
from bakeoff.comparing.preparation import conform, required_profile
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.conformance.text import summary
from bakeoff.documents.whole_file import write_whole
from bakeoff.engines.client import has_client
from bakeoff.errors import BakeoffError
from bakeoff.options.table import AROUND_TARGET
from bakeoff.options.variant import Variant
from bakeoff.postgres import pooler
from bakeoff.project import COMMAND, FORMATS
from bakeoff.results.run import RunResult
from bakeoff.running.contender import Contender, Proof
from bakeoff.running.environment import environment_of
from bakeoff.running.modes import SMOKE
from bakeoff.running.run_request import RunRequest
from bakeoff.running.testbed import Testbed
from bakeoff.targets import replicas
from bakeoff.targets.manifest import Target
from bakeoff.targets.settings import settings_in_force
from bakeoff.workload.loader import Workload

# Of what a factor puts before or behind a target, in the checkout.
_CONFIGURATIONS = {"replicas": replicas.CONFIGURATION, "pgbouncer": pooler.CONFIGURATION}
# Facts of the environment that a proof depends on.
_FACTS = ("bakeoff", "machine", "toolchain", "database", "database_settings")


class Prover:
    """Skips contenders that fail conformance or smoke. A target with the same settings conforms once for all."""

    def __init__(self, measurer: Measurer, request: ComparisonRequest) -> None:
        self._measurer = measurer
        self._request = request
        self._proofs: dict[Hashable, Proof] = {}
        # By target, the operations that the other commit does not serve.
        self._not_served: dict[str, Collection[str]] = {}

    def prove_all(self, contenders: Sequence[Contender]) -> list[Contender]:
        """The contenders that may be measured, with their proofs; the others are refused."""
        proven = [proven for each in contenders if (proven := self._prove(each)).proof.problem is None]
        refused = self._measurer.recorder.comparison.refused
        # The side that was proven first has not known of operations that the other lacks.
        return [self._without_new_operations(each) for each in proven if candidate_of(each).key not in refused]

    def _prove(self, contender: Contender) -> Contender:
        checks = [self._conformance, self._smoke]
        for check in checks[:1] if self._request.mode == "smoke" else checks:
            contender = check(contender)
            if contender.proof.problem is not None:
                self._measurer.recorder.refuse(contender, contender.proof.problem)
                break
        return contender

    def _conformance(self, contender: Contender) -> Contender:
        variant, target = contender.variant, contender.target
        settings = (*_around_target(variant), *sorted(variant.settings.items()))
        state = (target.name, variant.runs_in, target.directory, variant.tls, variant.token, settings)
        if state not in self._proofs:
            testbed, again = self._measurer.testbed.of(contender), self._request.prove
            self._proofs[state] = prove(testbed, target, contender.workload, variant, again=again)
        return replace(contender, proof=self._proofs[state])

    def _smoke(self, contender: Contender) -> Contender:
        result, problem = self._smoke_run(contender)
        new = not_served(result) if problem is not None and is_other_commit(contender) else []
        if new:
            key = without_commit(contender).key
            reduced = replace(contender, workload=without_operations(contender.workload, new))
            _, rest = self._smoke_run(reduced)
            if rest is None:
                self._not_served[key] = new
                for name in new:
                    self._measurer.recorder.leave_out(f"{name} of {contender.key}", "that commit does not serve it.")
                return reduced
        return replace(contender, proof=replace(contender.proof, problem=problem))

    def _smoke_run(self, contender: Contender) -> tuple[RunResult, str | None]:
        (result,) = self._measurer.measure(RunRequest(contender, "smoke", SMOKE, options=self._request))
        return result, self._measurer.recorder.problem_with(result)

    def _without_new_operations(self, contender: Contender) -> Contender:
        new = self._not_served.get(without_commit(contender).key, ())
        return replace(contender, workload=without_operations(contender.workload, new)) if new else contender


def prove(testbed: Testbed, target: Target, workload: Workload, variant: Variant, *, again: bool) -> Proof:
    """The proof of an earlier run if nothing has changed since; else, or `again`, runs every case and keeps a pass.

    Of a workload without cases nothing is proven but that its own requests are answered as it expects.
    """
    if workload.declared.vectors is None:
        return Proof()
    if target.name in testbed.attached and not has_client():
        testbed.progress.say(f"{target.name}: conformance is not checked, because bakeoff-load is not here.")
        return Proof()
    file = _file_of(testbed, target, workload, variant)
    if not again and (known := _read(file)) is not None:
        return known
    testbed.progress.step(f"{target.name}: conformance")
    try:
        result = conform(testbed, target, workload, variant)
    except BakeoffError as error:
        return Proof(problem=error.message)
    profile = required_profile(target)
    if result.proved is None or not result.conforms(profile):
        return Proof(problem=f"{summary(result, profile)} {COMMAND} conform {target.name} shows the differences.")
    proof = Proof(datetime.now(UTC).isoformat(timespec="seconds"), len(result.results), result.proved.value)
    _write(file, proof)
    return proof


def _around_target(variant: Variant) -> list[tuple[str, str]]:
    """Factors of the programs before and behind the target's processes, with their levels.

    Defaults are left out, so that proofs of targets alone stay valid.
    """
    levels = variant.differences_from_default()
    return [(name, levels[name]) for name in AROUND_TARGET if name in levels]


def _file_of(testbed: Testbed, target: Target, workload: Workload, variant: Variant) -> Path | None:
    """Where the proof of this very state is kept; None for an attached target, whose program the lab cannot see."""
    if target.name in testbed.attached:
        return None
    digest = hashlib.sha256(json.dumps(list(_state(testbed, target, workload, variant))).encode()).hexdigest()
    return testbed.project.state / "proofs" / f"{target.name}-{digest[:24]}.json"


def _state(testbed: Testbed, target: Target, workload: Workload, variant: Variant) -> Iterator[str]:
    """All that the result of conformance depends on."""
    yield target.build.artifact_sha256 or ""
    yield msgspec.json.encode(target.manifest).decode()
    yield target.build.made_from or ""
    yield workload.digest
    yield workload.vectors_digest
    yield digest_of(workload.files)
    yield digest_of([FORMATS / "vectors.schema.json"])
    yield digest_of(sorted(Path(conformance.__path__[0]).rglob("*.py")))
    yield f"tls {variant.tls}, token {variant.token}"
    for name, value in _around_target(variant):
        yield f"{name}: {value}"
        yield digest_of([_CONFIGURATIONS[name]] if name in _CONFIGURATIONS else [])
    for name, (value, _origin) in sorted(settings_in_force(target, variant.settings, os.environ).items()):
        yield f"{name}={value}"
    for name, value in sorted(variant.settings.items()):
        yield f"{name}={value}"
    facts = environment_of(target, testbed.server)
    for name in _FACTS:
        yield f"{name}: {facts.get(name, '')}"


def _read(file: Path | None) -> Proof | None:
    """None where there is no proof, or an interrupted one."""
    try:
        return None if file is None else msgspec.json.decode(file.read_bytes(), type=Proof)
    except (OSError, msgspec.MsgspecError):
        return None


def _write(file: Path | None, proof: Proof) -> None:
    if file is not None:
        write_whole(file, msgspec.json.encode(proof))
