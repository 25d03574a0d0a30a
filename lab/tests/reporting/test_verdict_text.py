import re

import pytest

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Estimate, Judgement
from bakeoff.reporting.choices import durations
from bakeoff.reporting.grouped_findings import groups_of
from bakeoff.reporting.verdict_text import judgement_table, plus_minus, verdict_lines
from bakeoff.results.run import RunResult, Status
from bakeoff.text.table import lines_of
from made_up import comparison_of, divided, finding, operation, phase, rounds_of, run_of


def finding_lines(judgement: Judgement) -> list[str]:
    return [f"{group.severity}: {group.words}" for group in groups_of(judgement, brief=False)]


def shown(*runs: RunResult, width: int = 110) -> list[str]:
    """The table's rows as a person sees them, blanks folded."""
    lines = list(lines_of(judgement_table(judge(comparison_of(*runs))), width))
    assert all(len(line) <= width for line in lines)
    return [" ".join(line.split()) for line in lines]


def test_ties_share_a_rank_and_the_void_have_none() -> None:
    rows = shown(
        *rounds_of("rust-rest", [43_000, 43_100, 42_900]),
        *rounds_of("go-rest", [43_020, 43_080, 42_930]),
        *rounds_of("go-grpc", [20_000, 20_100, 19_900]),
        run_of("java-rest", status=Status.VOID),
    )
    assert rows[0] == "contender at ops/s ± min mean p50 p99 failed CPU MB"
    assert rows[2:6] == [
        "1–2 Go REST 10 43,020 0.2% 0.51 1.01 1.00 1.49 0 13.9 20.0",
        "1–2 Rust REST 10 43,000 0.2% 0.51 1.01 1.00 1.49 0 14.0 20.0",
        "3 Go gRPC 10 20,000 0.5% 0.51 1.01 1.00 1.49 0 30.0 20.0",
        "– Java REST – void – – – – – – – –",
    ]


def test_a_narrow_terminal_keeps_what_ranks() -> None:
    assert shown(run_of(), width=50)[0] == "contender ops/s ± p50 p99 failed CPU"
    assert shown(run_of(), width=40)[0] == "contender ops/s ± p99 failed"


def test_failures_have_no_rank_and_name_their_operation() -> None:
    failing = divided({"Read": operation(9000), "Save": operation(950, errors={"status_500": 50})})
    judgement = judge(
        comparison_of(
            *(run_of("rust-rest", number=number, phases=[phase(1, 10, failing)]) for number in (1, 2, 3)),
            *rounds_of("go-rest", [900, 910, 905]),
        )
    )
    assert [(each.target, each.rank) for each in judgement.contenders] == [("go-rest", 2), ("rust-rest", None)]
    assert (judgement.pairings, judgement.effects) == ([], [])
    (line,) = [each for each in finding_lines(judgement) if "no-level" in each or "No load level kept" in each]
    assert "At its best load 0.5% of its requests failed (Save 5%)." in line


def test_one_round_has_no_plus_or_minus() -> None:
    assert shown(run_of())[2] == "1 Rust REST 10 1,000 – 0.51 1.01 1.00 1.49 0 600.0 20.0"


@pytest.mark.parametrize(
    ("estimate", "text"),
    [
        (Estimate(100, 98, 104, ()), "3.0%"),
        (Estimate(100, None, None, ()), "–"),
        (Estimate(0, 0, 0, ()), "–"),
    ],
)
def test_plus_minus(estimate: Estimate, text: str) -> None:
    assert plus_minus(estimate) == text


def test_the_legend_names_the_intervals_of_all_contenders() -> None:
    runs = [*rounds_of("rust-rest", [1000, 1010, 990]), *rounds_of("go-rest", [900, 905, 895, 900, 910])]
    assert "± half of the 75% to 93% interval" in " ".join(shown(*runs)[-4:]).replace("  ", " ")
    assert "interval" not in " ".join(shown(*rounds_of("rust-rest", [1000, 1010]))[-3:])


def test_rates_below_a_hundred_keep_their_digits() -> None:
    judgement = judge(comparison_of(*rounds_of("rust-rest", [8.5, 8.6, 8.4]), *rounds_of("go-rest", [2.2, 2.2, 2.1])))
    assert " 8.50 " in "\n".join(lines_of(judgement_table(judgement)))
    assert "with 8.50 operations/s (8.40 to 8.60)" in judgement.verdict


def test_the_verdict_comes_first_then_effects_and_shares() -> None:
    ceilings = {"engine": 5000.0, "one upsert per event": 400.0, "batches of 500": 10_000.0}
    judgement = judge(
        comparison_of(
            *rounds_of("rust-rest", [1000, 1020, 990], ceilings=ceilings), *rounds_of("go-rest", [500, 510, 495])
        )
    )
    assert verdict_lines(judgement) == [
        judgement.verdict,
        "language: Rust reaches 2.00× the throughput of Go (95% interval 2.00 to 2.00)",
        "Rust REST: 2.50× PostgreSQL alone (one upsert per event) · the engine can send 5.0 times as much",
    ]


def test_the_price_of_each_framework_has_a_line() -> None:
    rates = {"rust-rest": [1000, 1020, 990], "go-rest": [500, 510, 495]}
    runs = [run for target, values in rates.items() for run in rounds_of(target, values)]
    for target, values in rates.items():
        faster = [value * 1.5 for value in values]
        runs += rounds_of(f"{target}-tuned", faster, target_class="tuned")
    interval = "interval 1.50 to 1.50"
    lines = [re.sub(r"\d+% interval", "interval", line) for line in verdict_lines(judge(comparison_of(*runs)))]
    price = [line for line in lines if "1.50×" in line]
    assert price == [
        f"class: tuned reaches 1.50× the throughput of standard ({interval}), over 2 matched pairs",
        f"Go REST tuned reaches 1.50× the throughput of Go REST standard ({interval})",
        f"Rust REST tuned reaches 1.50× the throughput of Rust REST standard ({interval})",
    ]


def test_the_gravest_findings_come_first_and_each_advice_is_given_once() -> None:
    noted = [finding("not-calibrated", "info", "It is unknown.")]
    judgement = judge(
        comparison_of(
            *rounds_of("rust-rest", [1000, 1020, 990], findings=noted),
            *rounds_of("go-rest", [1000, 1020], findings=noted),
            run_of("go-rest", [1010.0], 3, findings=[*noted, finding("errors", "error", "It failed.")]),
        )
    )
    failed, unknown = finding_lines(judgement)
    assert failed == "error: Go REST (round 3): It failed. Do this."
    assert unknown == "info: Go REST and Rust REST: It is unknown. Do this."


def test_runs_that_failed_are_named_by_their_rounds_where_they_are_half_of_all() -> None:
    good = rounds_of("rust-rest", [1000, 1000])
    bad = [
        run_of("rust-rest", number=number, phases=[], total=None, status=Status.FAILED, failure="it ended.")
        for number in (3, 4)
    ]
    judgement = judge(comparison_of(*good, *bad, *rounds_of("go-rest", [900, 905, 890, 895])))
    lines = finding_lines(judgement)
    assert any(line.startswith("error: Rust REST (rounds 3 and 4): A run ended early: it ended.") for line in lines)
    assert durations(judgement.contenders).rows[0][-1] == "rounds 3 and 4: it ended"


def test_messages_of_one_advice_stand_together() -> None:
    slow = {"rust-rest": "p99 was 3 s.", "go-rest": "p99 was 9 s."}
    runs = [run_of(target, findings=[finding("threshold", "warning", words)]) for target, words in slow.items()]
    lines = finding_lines(judge(comparison_of(*runs)))
    assert lines[0].startswith("warning: One round cannot separate")
    assert lines[1] == "warning: Go REST: p99 was 9 s. Rust REST: p99 was 3 s. Do this."
