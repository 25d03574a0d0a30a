"""Identities: one look for a target in every report."""

from dataclasses import replace

from bakeoff.judging.identities import LOOKS, identified
from bakeoff.judging.judgement import JudgedContender
from judgements import comparison


def contenders(*names: tuple[str, str]) -> list[JudgedContender]:
    """Contenders of these languages and protocols."""
    first = comparison()[0].contenders[0]
    return [
        replace(
            first,
            key=str(place),
            target=f"t{place}",
            label=f"t{place}",
            language=language,
            protocol=protocol,
            factors={},
        )
        for place, (language, protocol) in enumerate(names)
    ]


def looks(*names: tuple[str, str]) -> list[int]:
    return [each.identity for each in identified(contenders(*names))]


def test_a_target_looks_the_same_beside_any_other() -> None:
    (alone,) = looks(("rust", "rest"))
    assert looks(("go", "rest"), ("rust", "rest"), ("java", "grpc"))[1] == alone


def test_hues_follow_languages_and_points_protocols() -> None:
    rust_rest, rust_grpc, go_rest, go_grpc = looks(("rust", "rest"), ("rust", "grpc"), ("go", "rest"), ("go", "grpc"))
    assert rust_rest % LOOKS == rust_grpc % LOOKS != go_rest % LOOKS == go_grpc % LOOKS
    assert rust_rest // LOOKS == go_rest // LOOKS != rust_grpc // LOOKS == go_grpc // LOOKS


def test_contenders_of_one_language_and_protocol_take_free_hues() -> None:
    same = looks(*[("rust", "rest")] * 5, ("go", "rest"))
    assert len({number % LOOKS for number in same}) == 6


def test_more_contenders_than_looks_stay_apart() -> None:
    assert len(set(looks(*[("rust", "rest")] * 30, *[("go", "grpc")] * 30))) == 60


def test_more_languages_than_hues_have_a_look() -> None:
    assert len(set(looks(*[(f"language {number}", "rest") for number in range(12)]))) == 12
