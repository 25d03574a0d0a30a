"""Values in sentences."""

import re
from collections.abc import Sequence


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


def _span(figures: Sequence[str]) -> str:
    lowest, highest = (pick(figures, key=_value) for pick in (min, max))
    return lowest if _value(lowest) == _value(highest) else f"{lowest} to {highest}"


def _value(figure: str) -> float:
    return float(figure.replace(",", "").removesuffix("%"))


def rounds_in_words(numbers: Sequence[int]) -> str:
    """`round 2`, `rounds 1 and 5`."""
    return f"round{'' if len(numbers) == 1 else 's'} {listed([str(each) for each in numbers])}"


def capitalised(text: str) -> str:
    """With a capital at its beginning, the rest as it is."""
    return text[:1].upper() + text[1:]
