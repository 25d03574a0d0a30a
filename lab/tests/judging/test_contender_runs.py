import pytest

from bakeoff.judging.contender_runs import contender_runs_of, labels_of
from bakeoff.results.run import Durability, RunResult, Status
from made_up import comparison_of, finding, measured, phase, rounds_of, run_of


def counted(*runs: RunResult) -> list[tuple[str, list[int], int]]:
    """Key, rounds that count, void rounds."""
    return [(each.key, list(each.counted), each.void_rounds) for each in contender_runs_of(comparison_of(*runs).runs)]


SILENT = [phase(1, 10, measured(0, requests=10, failed=10))]


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], []),
        ([run_of("b-rest"), run_of("a-rest")], [("a-rest", [1], 0), ("b-rest", [1], 0)]),
        # Rounds in their order, however they were stored.
        ([run_of(number=2), run_of(number=1)], [("rust-rest", [1, 2], 0)]),
        ([run_of(status=Status.VOID), run_of(number=2)], [("rust-rest", [2], 1)]),
        # Measured again after it was void: the round counts.
        ([run_of(status=Status.VOID), run_of()], [("rust-rest", [1], 0)]),
        ([run_of(status=Status.INTERRUPTED), run_of(number=2, status=Status.FAILED)], [("rust-rest", [], 0)]),
        ([run_of(phases=[])], [("rust-rest", [], 0)]),
        ([run_of(phases=SILENT)], [("rust-rest", [], 0)]),
        # Runs from before there were contenders.
        ([run_of(contender="")], [("rust-rest", [1], 0)]),
        # One name with two payloads is two contenders.
        (
            [run_of(payload="8k"), run_of()],
            [("rust-rest payload=8k", [1], 0), ("rust-rest payload=default", [1], 0)],
        ),
    ],
)
def test_who_took_part(runs: list[RunResult], expected: list[tuple[str, list[int], int]]) -> None:
    assert counted(*runs) == expected


@pytest.mark.parametrize(
    ("kinds", "lost"),
    [(["audit-failed"], [2]), ([], [2]), (["counts-disagree"], []), (["counts-disagree", "audit-failed"], [2])],
)
def test_a_round_that_lost_data_stays_lost_when_it_is_repeated(kinds: list[str], lost: list[int]) -> None:
    """Counts that disagree show nothing about the contender."""
    void = run_of(number=2, status=Status.VOID, findings=[finding(kind, "error") for kind in kinds])
    (contender,) = contender_runs_of(comparison_of(run_of(), void, run_of(number=2)).runs)
    assert contender.lost_in == lost


def test_a_run_without_a_label_lowers_no_durability_unless_it_counts() -> None:
    failed = run_of(number=2, status=Status.FAILED)
    (contender,) = contender_runs_of(comparison_of(run_of(durability=Durability.PROVEN), failed).runs)
    assert contender.durability is Durability.PROVEN
    (contender,) = contender_runs_of(comparison_of(run_of(durability=Durability.PROVEN), run_of(number=2)).runs)
    assert contender.durability is Durability.UNKNOWN


def test_the_later_of_two_runs_of_a_round_counts() -> None:
    (contender,) = contender_runs_of(comparison_of(run_of(throughputs=[1.0]), run_of(throughputs=[2.0])).runs)
    assert [run.id for run in contender.all] == [1, 2]
    assert contender.counted[1].phases[0].measured.throughput_per_s == 2.0


def test_a_run_that_counts_is_asked_what_holds_for_all() -> None:
    begun, failed = run_of(), run_of(number=2, status=Status.FAILED, environment={})
    (contender,) = contender_runs_of(comparison_of(begun, failed).runs)
    assert contender.newest == begun
    (contender,) = contender_runs_of(comparison_of(failed).runs)
    assert contender.newest == failed


def labels(*runs: RunResult) -> list[str]:
    return sorted(labels_of(contender_runs_of(comparison_of(*runs).runs)).values())


def test_labels_name_only_what_differs() -> None:
    assert labels(run_of("rust-rest"), run_of("go-grpc")) == ["Go gRPC", "Rust REST"]
    assert labels(
        run_of("go-rest", contender="1", factors={"write_mode": "per-request", "engine": "native"}),
        run_of("go-rest", contender="2", factors={"write_mode": "group-commit", "engine": "native"}),
    ) == ["Go REST · write mode group-commit", "Go REST · write mode per-request"]


def test_two_targets_of_one_language_and_protocol_go_by_their_names() -> None:
    assert labels(run_of("go-rest"), run_of("go-rest-fiber"), run_of("rust-rest")) == [
        "Rust REST",
        "go-rest",
        "go-rest-fiber",
    ]


def test_a_target_of_no_named_language_goes_by_its_name() -> None:
    assert labels(run_of("shop", language="", protocol="rest")) == ["shop"]


def test_what_the_words_do_not_tell_apart_goes_by_its_key() -> None:
    assert labels(run_of(contender="one"), run_of(contender="two")) == ["one", "two"]


def test_levels_leave_out_the_number_in_an_aa_pair() -> None:
    (contender,) = contender_runs_of(
        comparison_of(*rounds_of("go-rest", [1], factors={"aa": "a", "pool_size": "8"})).runs
    )
    assert contender.levels == {
        "pool_size": "8",
        "language": "go",
        "protocol": "rest",
        "payload": "default",
        "class": "standard",
    }
