"""Identities: one look for a target in every report."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from bakeoff.judging.identities import LOOKS, identified
from bakeoff.judging.judgement import JudgedContender
from bakeoff.reporting.palette import style
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


languages = st.sampled_from(["rust", "go", "java", "javascript", "python", "php", "ruby", "c"])
protocols = st.sampled_from(["rest", "grpc", "jetstream"])


@given(st.lists(st.tuples(languages, protocols), max_size=40))
def test_all_of_a_language_share_its_hue_and_differ_otherwise(names: list[tuple[str, str]]) -> None:
    found = looks(*names)
    hues = {(language, style(look).colour) for (language, _), look in zip(names, found, strict=True)}
    assert len(hues) == len({language for language, _ in names}) == len({hue for _, hue in hues})
    assert len(set(found)) == len(names)
    points = [(style(look).shape, style(look).hollow) for look in found]
    for language in {language for language, _ in names}:
        own = [point for point, (each, _) in zip(points, names, strict=True) if each == language]
        # As many points as there are, some of which are those of other protocols.
        assert len(set(own)) >= min(len(own), LOOKS - 2)


def test_contenders_of_one_language_and_protocol_take_free_points() -> None:
    *same, grpc, go = looks(*[("rust", "rest")] * 5, ("rust", "grpc"), ("go", "rest"))
    assert {number % LOOKS for number in same} == {grpc % LOOKS} != {go % LOOKS}
    assert len({number // LOOKS for number in (*same, grpc)}) == 6
    assert go // LOOKS == same[0] // LOOKS


def test_more_contenders_than_looks_stay_apart() -> None:
    assert len(set(looks(*[("rust", "rest")] * 30, *[("go", "grpc")] * 30))) == 60


def test_more_languages_than_hues_have_a_look() -> None:
    assert len(set(looks(*[(f"language {number}", "rest") for number in range(12)]))) == 12
