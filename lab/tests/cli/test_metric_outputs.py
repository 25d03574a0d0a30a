"""`--prometheus` and `--otlp`: what is found before anything runs, and what stands in the way afterwards."""

import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.cli.metric_outputs import require_otlp, send_otlp, write_prometheus
from bakeoff.cli.run.compare import run_comparison
from bakeoff.cli.run.request import RunOptions, refuse_beside_resume
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.reporting.metrics.phases import phases_of
from made_up import run_result
from otlp_collector import collecting, replying

EXPORTER = "opentelemetry.exporter.otlp.proto.http.metric_exporter"
PHASES = phases_of([run_result()], "7")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"otlp": "collector:4318"}, '--otlp: "collector:4318" is not the address of a collector'),
        ({"prometheus": "/dev/null"}, "--prometheus: /dev/null cannot be written: name a file in a folder"),
        ({"prometheus": "/dev/null/a.prom"}, "--prometheus: /dev/null/a.prom cannot be written"),
        ({"prometheus": "."}, "--prometheus: . cannot be written"),
    ],
)
def test_a_wrong_place_is_found_before_anything_runs(given: dict[str, str], words: str) -> None:
    with pytest.raises(UsageError) as refused:
        run_comparison(RunOptions("quick", "", given))
    assert refused.value.message.startswith(words)


def test_packages_that_are_absent_are_named_before_anything_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, EXPORTER, None)
    with pytest.raises(BakeoffError, match=r"pip install 'bakeoff\[otlp\]' adds it"):
        run_comparison(RunOptions("quick", "", {"otlp": "http://127.0.0.1:4318"}))


def test_packages_that_are_there_are_found() -> None:
    require_otlp()


def test_nothing_of_it_is_imported_without_need() -> None:
    script = "import sys, bakeoff.cli.run.compare, bakeoff.cli.hit; print('opentelemetry' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "False\n"


def test_a_resumed_comparison_has_the_outputs_of_its_call() -> None:
    refuse_beside_resume(RunOptions(None, "", {"resume": True, "json": True, "prometheus": "a", "otlp": "http://b"}))
    with pytest.raises(UsageError, match="leave out --users"):
        refuse_beside_resume(RunOptions(None, "", {"resume": True, "prometheus": "a", "users": "5"}))


def test_a_file_replaces_the_one_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "textfiles" / "bakeoff.prom"
    for runs in ([run_result("first")], [run_result("second")]):
        assert write_prometheus(phases_of(runs, "7"), path)
    assert 'target="second"' in path.read_text("utf-8")
    assert 'target="first"' not in path.read_text("utf-8")
    assert ([each.name for each in path.parent.iterdir()], capsys.readouterr().err) == (["bakeoff.prom"], "")


def test_a_file_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.prom").mkdir()
    assert not write_prometheus(PHASES, tmp_path / "a.prom")
    assert capsys.readouterr().err == (
        f"{tmp_path / 'a.prom'} was not written: Is a directory. The results are stored all the same.\n"
    )


def test_without_figures_nothing_is_written_or_sent(tmp_path: Path) -> None:
    with collecting(replying(200)) as collector:
        send_otlp([], collector.url)
    assert collector.received == []
    assert write_prometheus([], tmp_path / "a.prom")
    assert not (tmp_path / "a.prom").exists()


def test_a_collector_that_takes_nothing_costs_a_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "*")
    with collecting(replying(404)) as collector:
        send_otlp(PHASES, collector.url)
    assert capsys.readouterr().err == (
        f"The figures were not sent to {collector.url}/v1/metrics: 404 Not Found. The results and the exit status are "
        "the same.\n"
    )


def test_ctrl_c_ends_the_sending_alone(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bakeoff.reporting.metrics.otlp.send", interrupted)
    send_otlp(PHASES, "http://127.0.0.1:4318")
    assert "interrupted" in capsys.readouterr().err
