"""A requested contender without a measurement fails a gate; one that was not requested does not."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.gating.check import Check, Outcome
from bakeoff.gating.validity import VALIDITY, unmeasured
from bakeoff.history.run_figures import RunFigures, figures_of
from bakeoff.history.run_references import Requested
from bakeoff.options.variant import Level
from bakeoff.results.run import RunResult, Status
from made_up import run_result

BOTH = ("go-rest", "rust-rest")
WRITE_MODES = {"write_mode": ("group-commit", "per-request")}


def requested(
    request: ComparisonRequest | None = None, status: str = "completed", *refused: str, **skipped: str
) -> Requested:
    """A comparison as it is stored; `skipped` are left out, with the reason."""
    document = {} if request is None else {**request.as_document(), "machine": "this one"}
    reasons = {name.replace("_", "-"): reason for name, reason in skipped.items()}
    return Requested(
        document, status, {**reasons, **{name: f"{name}: it did not conform" for name in refused}}, frozenset(refused)
    )


def quick(
    *targets: str,
    levels: Mapping[str, Sequence[Level]] | None = None,
    settings: Mapping[str, Sequence[str]] | None = None,
) -> ComparisonRequest:
    request = ComparisonRequest("quick", "./bakeoff run quick", targets=targets)
    return replace(request, levels=levels or {}, settings=settings or {})


def runs(*contenders: str, **changes: Any) -> list[RunFigures]:
    return [figures_of(_run(name, changes)) for name in contenders]


def _run(contender: str, changes: dict[str, Any]) -> RunResult:
    return run_result(contender.split()[0], **{"contender": contender, **changes})


def reported(checks: Sequence[Check]) -> dict[str, str]:
    assert all((check.metric, check.outcome) == (VALIDITY, Outcome.FAILED) for check in checks)
    return {check.series.label: check.words for check in checks}


@pytest.mark.parametrize(
    ("wanted", "fails"),
    [
        (quick("rust-rest"), False),  # the other one was not requested
        (quick("rust-rest", "go-rest"), True),
        (quick(), True),  # all of them
        (quick("rust-rest", "go-rest", levels={"payload": ("8k",)}), False),
        (quick(levels={"engine": ("k6",)}), False),
        (quick(settings=WRITE_MODES), False),  # its contenders are others
        (ComparisonRequest("full", "./bakeoff run full"), False),
        (None, False),  # imported: unknown
    ],
)
def test_what_the_baseline_has_must_be_there_if_it_was_asked_for(wanted: ComparisonRequest, fails: bool) -> None:
    checks = unmeasured(runs(*BOTH), runs("rust-rest"), requested(wanted))
    assert reported(checks) == (
        {"go-rest · quick · default · 10 users": "not measured: no reason was recorded"} if fails else {}
    )


def test_the_reason_is_told_where_it_is_known() -> None:
    checks = unmeasured(
        runs(*BOTH), runs("rust-rest"), requested(quick(), "completed", go_rest="go-rest: no toolchain")
    )
    assert list(reported(checks).values()) == ["not measured: go-rest: no toolchain"]
    checks = unmeasured(runs(*BOTH), [], requested(quick("go-rest"), "interrupted"))
    assert list(reported(checks).values()) == ["not measured: the comparison is interrupted"]


def test_a_contender_is_a_target_with_its_factors() -> None:
    ways = ["go-rest write_mode=group-commit", "go-rest write_mode=per-request"]
    checks = unmeasured(runs(*ways), runs(ways[0]), requested(quick(settings=WRITE_MODES)))
    assert list(reported(checks)) == [f"{ways[1]} · quick · default · 10 users"]
    # A target that does not build takes all of its contenders with it, and is reported once.
    checks = unmeasured(runs(*ways), [], requested(quick(settings=WRITE_MODES), "failed", "go-rest"))
    assert reported(checks) == {
        f"{way} · quick · default · 10 users": "not measured: go-rest: it did not conform" for way in ways
    }


def test_runs_that_broke_down_were_measured_at_least() -> None:
    broken = runs("go-rest", status=Status.FAILED, phases=[], total=None)
    assert unmeasured(runs(*BOTH), runs("rust-rest") + broken, requested(quick())) == []
    assert unmeasured(runs("rust-rest") + broken, runs("rust-rest"), requested(quick())) == []


def test_what_was_refused_needs_no_baseline() -> None:
    checks = unmeasured(
        [], runs("rust-rest"), requested(quick(), "completed", "go-rest", java_rest="java-rest: no JDK")
    )
    assert reported(checks) == {"go-rest · quick": "not measured: go-rest: it did not conform"}


def test_what_was_requested_is_unknown_for_a_single_run_and_for_a_file() -> None:
    assert unmeasured(runs(*BOTH), runs("rust-rest"), None) == []
