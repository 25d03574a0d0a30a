"""Values in sentences."""

from collections.abc import Sequence


def listed(names: Sequence[str]) -> str:
    """`A`, `A and B`, `A, B and C`."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def rounds_in_words(numbers: Sequence[int]) -> str:
    """`round 2`, `rounds 1 and 5`."""
    return f"round{'' if len(numbers) == 1 else 's'} {listed([str(each) for each in numbers])}"


def capitalised(text: str) -> str:
    """With a capital at its beginning, the rest as it is."""
    return text[:1].upper() + text[1:]
