"""The document that every format is made from."""

import json
from dataclasses import replace
from typing import Any

import pytest
from goldens import check_golden

from bakeoff.judging.ceilings import reference_lines
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Bottleneck, Estimate, Judgement
from bakeoff.reporting.grouped_findings import groups_of
from bakeoff.reporting.highlights import highlights_of
from bakeoff.reporting.json_document import json_report
from bakeoff.reporting.numbers import two_places
from bakeoff.reporting.report import report_of
from bakeoff.reporting.tables import limits
from bakeoff.reporting.verdict_text import judgement_table
from bakeoff.results.findings import JudgedFinding, KindName
from bakeoff.results.run import Status
from judgements import SPEEDS, Shape, comparison, estimate, with_first
from made_up import comparison_of, cost, measured, phase, run_of
from observations import ACTIVITY, STATE

SMALL = Shape(targets=("rust-rest", "go-rest"), users=(10, 50), seconds=3)
SEVERAL = Shape(payloads=("64k", "default", "8k"))


def test_data_are_as_they_were() -> None:
    check_golden("data.json", json_report(report_of(*comparison(SMALL))))


def test_data_are_plain_json() -> None:
    judgement, stored = comparison()
    odd = replace(judgement, noise_floor=float("nan"))
    assert json.loads(json_report(report_of(odd, stored)))["judgement"]["noise_floor"] is None
    assert '"histogram"' not in json_report(report_of(judgement, stored))


def test_the_same_comparison_gives_the_same_data() -> None:
    assert report_of(*comparison()) == report_of(*comparison())


def test_contenders_against_the_leader_whichever_way_they_were_paired() -> None:
    judgement, _ = comparison()
    pairings = [replace(each, one=each.other, other=each.one, ratio=Estimate(0.8, 0.7, 0.9, []), verdict="slower")
                for each in judgement.pairings]  # fmt: skip
    reported = judgement.against_leader(judgement.contenders[2])
    turned = replace(judgement, pairings=pairings).against_leader(judgement.contenders[2])
    assert reported is not None
    assert turned is not None
    assert reported.verdict == turned.verdict == "slower"
    assert reported.ratio.median == pytest.approx(0.8, rel=1e-3)
    assert (turned.ratio.low, turned.ratio.high) == (0.7, 0.9)


def test_the_leader_is_compared_with_no_other() -> None:
    judgement, _ = comparison()
    assert judgement.against_leader(judgement.contenders[0]) is None


def test_styles_stay_with_their_contenders_from_payload_to_payload() -> None:
    data = report_of(*comparison(SEVERAL))
    looks = {(entry.target, entry.identity, entry.name) for entry in data.judgement.contenders}
    assert len(looks) == 3
    assert {name for *_, name in looks} == {"Rust REST", "Rust gRPC", "Go REST"}


def test_payloads_stand_from_small_to_large() -> None:
    judgement, _ = comparison(SEVERAL)
    assert judgement.divisions == ["payload default", "payload 8k", "payload 64k"]


def test_every_payload_has_its_charts() -> None:
    charts = report_of(*comparison(SEVERAL)).charts
    slots = {(chart.slot, chart.group) for chart in charts}
    for payload in SEVERAL.payloads:
        assert {"ranking", "throughput", "latency", "cost-cpu", "resources"} <= {
            s for s, p in slots if p == f"payload {payload}"
        }
    assert ("payloads", None) in slots
    assert len({chart.id for chart in charts}) == len(charts)


def test_one_payload_has_no_sweep() -> None:
    assert "payloads" not in {chart.slot for chart in report_of(*comparison()).charts}


def test_latency_is_shown_at_the_leaders_optimal_load_first() -> None:
    preferred = [chart.variant for chart in _charts(*comparison(), "latency") if chart.preferred]
    assert preferred == ["50 users"]


def test_throughput_has_its_marks() -> None:
    (chart,) = _charts(*comparison(), "throughput")
    marks = {(mark.kind, mark.x) for mark in chart.marks}
    assert marks == {("maximum", 200.0), ("optimal", 50.0), ("breaking", 200.0)}
    assert len(chart.marks) == 7


def test_reference_lines_off_the_scale_are_said_in_words() -> None:
    (chart,) = _charts(*comparison(), "throughput")
    assert [each.label for each in chart.references] == ["PostgreSQL alone, one row each"]
    assert chart.beyond == ["generator capacity, REST: 203,000/s", "generator capacity, gRPC: 203,000/s"]


def test_the_ceiling_inside_tls_is_a_line_of_its_own() -> None:
    plain = [run_of(protocol=protocol, ceilings={"engine": 203_000.0}) for protocol in ("rest", "grpc")]
    encrypted = run_of(settings={"tls": "on"}, ceilings={"engine": 100_000.0})
    assert [(line.label, line.per_s) for line in reference_lines([*plain, encrypted], {})] == [
        ("generator capacity, REST with TLS", 100_000),
        ("generator capacity, REST", 203_000),
        ("generator capacity, gRPC", 203_000),
    ]


def test_a_single_load_is_no_line_to_draw() -> None:
    judgement, stored = comparison(Shape(users=(64,)))
    assert _charts(judgement, stored, "throughput") == _charts(judgement, stored, "resources") == []
    assert len(_charts(judgement, stored, "ranking")) == 1


def test_what_limited_several_alike_is_found_once() -> None:
    judgement, _ = comparison()
    words = [f"The bottleneck was PostgreSQL: {place} of its sessions waited." for place in range(3)]
    contenders = [
        replace(
            each,
            bottleneck=Bottleneck("database", seen),
            findings=[JudgedFinding(KindName("database-bound"), "info", seen, "Get a faster disk.")],
        )
        for each, seen in zip(judgement.contenders, words, strict=True)
    ]
    (found,) = [each for each in groups_of(replace(judgement, contenders=contenders)) if each.kind == "database-bound"]
    assert [each.words for each in found.lines] == [
        "Rust REST, Rust gRPC and Go REST: limited by database; see the table of limits."
    ]
    rows = limits(contenders).rows
    assert rows[1] == ("Rust gRPC", "database", "1 of its sessions waited.")


def test_lines_drawn_with_other_messages_are_left_out() -> None:
    judgement, stored = comparison(SEVERAL)
    without = [replace(each, reference_shares={}) if each.payload == "8k" else each for each in judgement.contenders]
    charts = _charts(replace(judgement, contenders=without), stored, "throughput")
    assert [len(chart.references) for chart in charts] == [1, 0, 1]


def test_one_finding_of_several_contenders_is_said_once_and_errors_stand_first() -> None:
    judgement, _ = comparison()
    found = [JudgedFinding(KindName("errors"), "error", "Requests failed.", "Look.", [number]) for number in (2, 1)]
    contenders = [replace(each, findings=[one]) for each, one in zip(judgement.contenders, found, strict=False)]
    findings = groups_of(replace(judgement, contenders=contenders))
    assert [finding.severity for finding in findings] == ["error", "info"]
    assert findings[0].words == "Rust REST (round 2) and Rust gRPC (round 1): Requests failed. Look."


def test_resources_are_what_the_documents_define() -> None:
    level = comparison()[0].contenders[0].levels[0]
    # 50 % of a core and 26 MB over three rounds of 10 s, 40,000 requests.
    assert level.cpu_percent_s_each == pytest.approx(50 * 30 / 40_000)
    assert level.memory_mb_s_each == pytest.approx(26 * 30 / 40_000)
    # 26 MB of 24 GiB.
    assert level.costs["target"].memory_mean_percent == pytest.approx(100 * 26e6 / (24_576 * 2**20), rel=1e-4)


def test_the_ranking_tells_what_the_terminal_tells() -> None:
    """The best load is neither the optimal one nor all of them together."""
    parts = [
        measured(1000, 1.0, costs={"target": cost(30, 20)}),
        measured(2000, 2.0, costs={"target": cost(80, 30)}),
        measured(2010, 9.0, costs={"target": cost(95, 40)}),
        measured(900, 40.0, costs={"target": cost(99, 80)}),
    ]
    phases = [phase(number + 1, 10 * 4**number, part) for number, part in enumerate(parts)]
    stored = comparison_of(run_of(phases=phases))
    judgement = judge(stored)
    (reported,) = judgement.contenders
    best = reported.best_level
    assert best is not None
    assert best.load == "160 users"
    assert reported.optimal_users == 40
    api = best.costs["target"]
    assert api.cpu_us_each is not None
    shown = [
        f" 1 {reported.label}",
        *("160", f"{best.throughput_per_s.median:,.0f}", "–"),
        *(two_places(best.latency_ms[name].median) for name in ("min", "mean", "p50", "p99")),
        *("0", f"{api.cpu_us_each.median:.1f}", f"{api.memory_peak_mb.median:.1f}"),
    ]
    table = judgement_table(judgement)
    assert list(table.rows[0]) == shown
    assert "472.6" in shown


def test_every_run_names_its_bottleneck() -> None:
    busy, void = run_of(environment={"cores": "1"}), run_of(number=2, status=Status.VOID)
    stored = comparison_of(busy, void)
    first, second = judge(stored).contenders[0].runs
    assert first.bottleneck is not None
    assert (first.bottleneck.kind, first.bottleneck.limited_by) == ("target-cpu", "target CPU")
    assert first.bottleneck.words.startswith("The bottleneck was the CPU of the target")
    assert second.bottleneck is None


def test_what_was_seen_beside_is_told_of_each_run_and_of_the_rounds_that_count() -> None:
    statuses = (Status.VOID, Status.COMPLETED, Status.COMPLETED)
    runs = [
        run_of(
            number=number,
            status=status,
            database_activity={**ACTIVITY, "checkpoints": number},
            machine_state={**STATE, "steal_percent": 0.1 * number},
        )
        for number, status in enumerate(statuses, start=1)
    ]
    (entry,) = judge(comparison_of(*runs)).contenders
    assert [run.database and run.database.checkpoints for run in entry.runs] == [1, 2, 3]
    assert entry.database is not None
    assert entry.machine is not None
    assert entry.database.checkpoints == 2.5
    assert entry.machine.steal_percent == pytest.approx(0.25)


def test_runs_of_an_older_version_have_nothing_beside() -> None:
    (entry,) = judge(comparison_of(run_of())).contenders
    assert (entry.database, entry.machine) == (None, None)
    assert (entry.runs[0].database, entry.runs[0].machine) == (None, None)


def test_proportional_memory_stands_beside_resident() -> None:
    costs = {"target": replace(cost(60), pss_peak_bytes=15_500_000), "database": cost(50)}
    stored = comparison_of(run_of(phases=[phase(1, 10, measured(costs=costs))]))
    (level,) = judge(stored).contenders[0].levels
    assert level.costs["target"].pss_peak_mb is not None
    assert level.costs["target"].pss_peak_mb.median == 15.5
    assert level.costs["database"].pss_peak_mb is None


def test_highlights_call_ties_ties() -> None:
    judgement, _ = comparison(Shape(targets=tuple(SPEEDS)))
    reported = {each.title: each.who for each in highlights_of(judgement, judgement.contenders)}
    assert reported == {"Highest throughput": "Rust REST and Rust gRPC"}


def test_most_operations_are_whose_the_pairs_say() -> None:
    """Although the intervals of the two are far apart."""
    judgement, _ = comparison(Shape(targets=("rust-rest", "java-grpc")))
    tied = replace(judgement, pairings=[replace(pair, verdict="tie") for pair in judgement.pairings])
    assert highlights_of(tied, tied.contenders)[0].names == ["Rust REST", "Java gRPC"]


def test_who_is_not_ranked_is_no_highlight() -> None:
    judgement, _ = comparison(Shape(targets=("rust-rest", "go-rest", "java-rest")))
    without = with_first(judgement, rank=None, peak_throughput_per_s=estimate(1e9))
    first, second, third = without.contenders
    ranked = replace(without, contenders=[first, replace(second, rank=1), replace(third, rank=2)])
    own = ranked.of_division("payload default")
    assert own[-1].key == "producer-api-rust-rest"
    # It did more, and uses as much CPU as they do: who is best is not known.
    assert highlights_of(ranked, own) == []


def _charts(judgement: Judgement, stored: Any, slot: str) -> list[Any]:
    return [chart for chart in report_of(judgement, stored).charts if chart.slot == slot]
