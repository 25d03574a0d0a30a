"""What a probe writes has no failed request when the engine sends it."""

import json
from dataclasses import replace

import pytest
from orders_api import description, serving
from rich.console import Console

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.comparing.comparison import compare
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.project import PROJECT_VARIABLE, Project

pytestmark = pytest.mark.end_to_end

QUICK = ComparisonRequest("quick", "a test", users=[4], phase_duration_s=2, warm_up_s=0)


@pytest.mark.parametrize(
    "rules",
    [
        ("created", "wrapped", "header", "etag", "states", "unique", "refuses", "catalogue", "customers"),
        ("version", "location", "states"),
    ],
    ids="-".join,
)
def test_a_probed_service_refuses_no_request(
    measuring_checkout: Project, monkeypatch: pytest.MonkeyPatch, rules: tuple[str, ...]
) -> None:
    root = measuring_checkout.root
    measuring_checkout.file.unlink()
    (root / "openapi.json").write_text(json.dumps(description(*rules)), "utf-8")
    monkeypatch.chdir(root)
    monkeypatch.delenv(PROJECT_VARIABLE)

    with serving(*rules) as server:
        make_project(InitOptions(["orders"], probe=server.url))
        server.failed.clear()
        request = replace(QUICK, attached={"orders": server.url})
        comparison = compare(measuring_checkout, request, PlainProgress(Console(quiet=True)))

    assert comparison.not_measured == {}
    (run,) = comparison.runs
    assert run.total is not None
    # The lab asks for / until the port answers.
    assert [each for each in server.failed if not each.startswith("GET /:")] == []
    assert (run.total.failed, run.total.requests > 100) == (0, True)
