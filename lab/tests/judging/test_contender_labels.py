"""The title of a manifest is what people read."""

from bakeoff.judging.contender_runs import contender_runs_of, labels_of
from made_up import comparison_of, run_result


def labels(*titles: tuple[str, dict[str, str]]) -> list[str]:
    runs = [run_result(target, number, environment=facts) for number, (target, facts) in enumerate(titles)]
    return list(labels_of(contender_runs_of(comparison_of(*runs).runs)).values())


def test_a_title_stands_for_language_and_protocol() -> None:
    first, second = {"title": "Express and pg"}, {"title": "Fastify and pg"}

    assert labels(("a", first), ("b", second)) == ["Express and pg", "Fastify and pg"]


def test_targets_of_one_title_are_told_apart_by_name() -> None:
    assert labels(("a", {"title": "Express"}), ("b", {"title": "Express"})) == ["a", "b"]
