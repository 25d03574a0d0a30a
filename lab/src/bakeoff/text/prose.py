"""Values in sentences."""

import re
from collections.abc import Sequence
from itertools import compress


def listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`; of names that have commas themselves `A, with a; B; and C`."""
    if len(names) < 2:
        return "".join(names)
    if any("," in name for name in names):
        return f"{'; '.join(names[:-1])}; and {names[-1]}"
    return f"{', '.join(names[:-1])} and {names[-1]}"


# A figure with its sign of per cent; no part of a name, a path or a version.
_FIGURE = re.compile(r"(?<![\w./,-])\d[\d,]*(?:\.\d+)?%?(?![\w/-]|\.\d)")


def merged(sentences: Sequence[str]) -> str | None:
    """Sentences that differ in figures alone as one, with the lowest and the highest: `12% to 28% of a core`.

    None where they differ in words.
    """
    if len({_FIGURE.sub("#", each) for each in sentences}) != 1:
        return None
    spans = iter([_span(each) for each in zip(*map(_FIGURE.findall, sentences), strict=True)])
    return _FIGURE.sub(lambda _: next(spans), sentences[0])


# One figure, or the lowest and the highest of a range.
_FIGURES = re.compile(rf"{_FIGURE.pattern}(?: to {_FIGURE.pattern})?")


def apart(sentences: Sequence[str]) -> tuple[str, list[str]]:
    """A sentence with … for the figures in which sentences differ, and these of each; their words are the same."""
    each_has = [_FIGURES.findall(sentence) for sentence in sentences]
    differs = [len(set(figures)) > 1 for figures in zip(*each_has, strict=True)]
    open_places = iter(differs)
    template = _FIGURES.sub(lambda found: "…" if next(open_places) else found[0], sentences[0])
    return template, [" · ".join(compress(own, differs)) for own in each_has]


def words_of(sentence: str) -> str:
    """The sentence without its figures: the same for sentences that differ in these alone."""
    return _FIGURES.sub("#", sentence)


def _span(figures: Sequence[str]) -> str:
    lowest, highest = (pick(figures, key=_value) for pick in (min, max))
    return lowest if _value(lowest) == _value(highest) else f"{lowest} to {highest}"


def _value(figure: str) -> float:
    return float(figure.replace(",", "").removesuffix("%"))


def rounds_in_words(numbers: Sequence[int]) -> str:
    """Ascending numbers: `round 2`, `rounds 1 and 5`, `rounds 1–4 and 7`."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    words = [[f"{span[0]}–{span[-1]}"] if len(span) > 2 else [str(number) for number in span] for span in spans]
    return f"round{'' if len(numbers) == 1 else 's'} {listed([each for span in words for each in span])}"


def capitalised(text: str) -> str:
    """With a capital at its beginning, the rest as it is."""
    return text[:1].upper() + text[1:]
