"""The file for the textfile collector of Prometheus' node exporter."""

from dataclasses import replace

from bakeoff.reporting.metrics.phases import phases_of
from bakeoff.reporting.metrics.prometheus import prometheus_text
from bakeoff.results.run import Status
from made_up import divided, measured, operation, phase, run_result

SOURCE = f'target="one",comparison="7",commit="{"0" * 40}",machine="unknown × ?"'
LABELS = f'{SOURCE},workload="events",contender="one",mode="quick",level="10",phase="1",round="1",result="completed"'


def test_each_figure_has_the_labels_of_its_run() -> None:
    run = run_result(total=measured(100, failed=3, bytes_sent=5000))
    median_ms = run.phases[0].measured.latency.percentiles_ms["p50"]
    lines = prometheus_text(phases_of([run], "7")).splitlines()
    for sample in (
        f"bakeoff_run_requests_total{{{LABELS}}} 1003",
        f"bakeoff_run_good_total{{{LABELS}}} 1000",
        f'bakeoff_run_failures_total{{{LABELS},kind="timeout"}} 3',
        f"bakeoff_run_unsent_total{{{LABELS}}} 0",
        f"bakeoff_run_sent_bytes_total{{{LABELS}}} 5000",
        f"bakeoff_run_duration_seconds{{{LABELS}}} 10.0",
        f"bakeoff_run_operations_per_second{{{LABELS}}} 100.0",
        f"bakeoff_run_target_memory_peak_bytes{{{LABELS}}} 20000000.0",
        f'bakeoff_run_latency_seconds{{{LABELS},quantile="0.5"}} {median_ms / 1e3}',
    ):
        assert sample in lines
    assert lines[0] == "# HELP bakeoff_run_requests_total Requests sent."
    assert lines[1] == "# TYPE bakeoff_run_requests_total counter"


def test_each_family_stands_together_and_is_described_once() -> None:
    runs = [run_result(round=number, phases=[phase(1, 10, measured()), phase(2, 50, measured())]) for number in (1, 2)]
    lines = prometheus_text(phases_of(runs, "7")).splitlines()
    names = [line.split("{")[0] for line in lines if not line.startswith("#")]
    described = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert list(dict.fromkeys(names)) == described
    samples = [line.rpartition(" ")[0] for line in lines if not line.startswith("#")]
    assert len(set(samples)) == len(samples)
    assert [name for name in names if name.endswith("requests_total")] == ["bakeoff_run_requests_total"] * 4


def test_a_figure_that_does_not_exist_has_no_sample() -> None:
    nothing = measured(0, requests=0, histogram="", costs={})
    text = prometheus_text(phases_of([run_result(total=nothing)], ""))
    assert "latency_seconds" not in text
    assert "target_" not in text
    assert "comparison" not in text


def test_replies_have_their_status() -> None:
    total = divided({"create": operation(500), "read": operation(20, errors={"status_404": 5}, statuses={"404": 5})})
    text = prometheus_text(phases_of([run_result(total=total)], "7"))
    assert f'bakeoff_run_replies_total{{{LABELS},status="200"}} 500' in text
    assert f'bakeoff_run_replies_total{{{LABELS},status="404"}} 5' in text


def test_a_run_that_was_made_again_replaces_the_failed_one() -> None:
    failed = replace(run_result(total=measured(5)), status=Status.FAILED)
    (only,) = phases_of([failed, run_result(total=measured(100))], "7")
    assert (only.labels["result"], only.measured.requests) == ("completed", 1000)


def test_labels_are_escaped() -> None:
    text = prometheus_text(phases_of([run_result(contender='a\\b "c"\nd')], "7"))
    assert 'contender="a\\\\b \\"c\\"\\nd"' in text
