import pytest

from bakeoff.judging.ceilings import limiting_lines, limits_in_words, limits_of, operations_per_commit, with_own_lines
from bakeoff.results.database_activity import DatabaseActivity, PhaseActivity
from bakeoff.storage.stored_runs import StoredRun
from made_up import run_of, run_result

ONE, MANY = "one upsert per event", "batches of 500"
# What PostgreSQL alone does, by line.
RATES = {ONE: 18_000.0, MANY: 180_000.0}


@pytest.mark.parametrize(
    ("throughput_per_s", "operations_per_commit", "lines"),
    [
        # A transaction for each operation: within a fifth of what that can be, and not beyond.
        (18_000, 1.0, [ONE]),
        (14_500, 1.0, [ONE]),
        (14_000, 1.0, []),
        (21_500, 1.0, [ONE]),
        (22_320, 1.0, []),
        # More commits than operations: those that only ask cost next to nothing.
        (18_000, 0.5, [ONE]),
        # Group commit near that line by chance: PostgreSQL could do far more of these.
        (18_000, 1.5, []),
        (22_320, 40.0, []),
        (19_980, 100.0, []),
        # Very many in a commit: what a commit costs hardly matters any more, and batches do not get better.
        (160_000, 500.0, [MANY]),
        (160_000, 60.0, [MANY]),
        (160_000, 30.0, []),
        (140_000, 500.0, []),
        (160_000, 5_000.0, [MANY]),
        (18_000, None, []),
    ],
)
def test_a_line_limits_only_who_commits_as_it_does(
    throughput_per_s: float, operations_per_commit: float | None, lines: list[str]
) -> None:
    shares = {name: throughput_per_s / rate for name, rate in RATES.items()}
    assert list(limiting_lines(shares, operations_per_commit)) == lines


@pytest.mark.parametrize(
    ("settings", "words"),
    [({}, "the engine can send 4.0 times as much"), ({"agents": "2"}, "one engine can send 4.0 times as much")],
)
def test_the_ceiling_is_that_of_one_engine(settings: dict[str, str], words: str) -> None:
    assert limits_in_words(limits_of(run_of(ceilings={"engine": 4000.0}, settings=settings), 1000)) == words


@pytest.mark.parametrize(
    ("per_commit", "words"),
    [
        (44.0, "0.40× PostgreSQL alone with as many operations per commit (batches of 44) · 2.00× PostgreSQL alone"),
        (36.0, "0.40× PostgreSQL alone with as many operations per commit (batches of 44) · 2.00×"),
        # No line commits like that, or it is the plain one.
        (100.0, "2.00× PostgreSQL alone (one upsert per event)"),
        (1.1, "2.00× PostgreSQL alone (one upsert per event)"),
        (None, "2.00× PostgreSQL alone (one upsert per event)"),
    ],
)
def test_the_share_of_the_line_that_commits_alike_comes_first(per_commit: float | None, words: str) -> None:
    run = run_of(ceilings={ONE: 500.0, MANY: 9000.0, "batches of 44": 2500.0})
    assert limits_in_words(limits_of(run, 1000, per_commit)).startswith(words)


def test_operations_per_commit_are_those_of_the_phase() -> None:
    activity = DatabaseActivity(
        operations_per_commit=5.0, phases={"1": PhaseActivity(commits=50), "2": PhaseActivity(commits=0)}
    )
    run = run_result(database_activity=activity)
    assert operations_per_commit(run, 1) == 20.0
    assert operations_per_commit(run, 2) is operations_per_commit(run, None) is None


def test_one_line_alone_does_not_tell_what_a_commit_costs() -> None:
    assert limiting_lines({ONE: 0.9}, 1.0) == {}


def test_lines_drawn_around_a_comparison_stand_in_the_place_of_all_others() -> None:
    run = StoredRun(1, 1, run_of(ceilings={"engine": 5.0, ONE: 1.0, MANY: 2.0}))
    (compared,) = with_own_lines([run], {ONE: [10.0, 30.0, 12.0]})
    assert compared.result.ceilings == {"engine": 5.0, ONE: 12.0}
    assert with_own_lines([run], {}) == [run]
