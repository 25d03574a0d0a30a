"""What of a profile is written and said: the picture, functions that grew, and allocations, each where it is known."""

from pathlib import Path
from typing import Any

import pytest

from bakeoff.cli import cpu_profiles
from bakeoff.comparing.cpu_profiles import Allocated, CpuProfile
from bakeoff.profiling.stacks import Growth
from bakeoff.project import Project
from bakeoff.reporting.reasons import RequestCost

GROWN = [Growth("parse", 0.1, 0.3)]
KNOWN = Allocated(4_100, 250_000)


@pytest.mark.parametrize(
    ("profile", "words", "said"),
    [
        (
            CpuProfile("shop", "shop commit=abc", GROWN, "<svg/>", allocated=KNOWN),
            "CPU of shop against shop commit=abc, by function: parse 10% → 30%. All of them: comparison-7-shop-cpu.svg "
            "Allocations of shop per request: 4.1 kB → 250 kB.",
            "Differential flame graph: ",
        ),
        (
            CpuProfile("shop", "shop commit=abc", unsampled="perf is not there.", allocated=KNOWN),
            "Allocations of shop per request: 4.1 kB → 250 kB.",
            "The CPU of both sides could not be compared. perf is not there.",
        ),
        (
            CpuProfile("shop", "shop commit=abc", (), "<svg/>", allocated=Allocated(unknown="Import net/http/pprof.")),
            "",
            "Allocations of shop are not known. Import net/http/pprof.",
        ),
    ],
)
def test_what_is_known_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    profile: CpuProfile,
    words: str,
    said: str,
) -> None:
    monkeypatch.setattr(cpu_profiles, "profile_both", lambda *_: profile)
    monkeypatch.setenv("BAKEOFF_RESULTS", str(tmp_path))
    nothing: Any = None
    found = cpu_profiles.write_profile(Project(tmp_path), nothing, 7, nothing, nothing)
    assert found is not None
    assert (found.words, found.picture) == (words, "comparison-7-shop-cpu.svg" * bool(profile.flame_graph))
    allocated = [each for each in found.costs if each.figure == "allocated"]
    assert allocated == [RequestCost("shop", "allocated", 4_100, 250_000)] * (profile.allocated == KNOWN)
    assert said in capsys.readouterr().err
    assert (tmp_path / "comparison-7-shop-cpu.svg").exists() == bool(profile.flame_graph)
