"""Labels of targets, such as language and framework, and the choice of targets by them."""

from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from bakeoff.errors import UsageError
from bakeoff.text.hints import nearest

Labels = Mapping[str, str]


def labels_of(workload: str, language: str, protocol: str, target_class: str, parts: Mapping[str, str]) -> Labels:
    """The labels of a target by name; `parts` are those of its stack."""
    fixed = {"workload": workload, "language": language, "protocol": protocol, "class": target_class}
    return {name: value for name, value in {**parts, **fixed}.items() if value}


def check_condition(condition: str) -> None:
    """Raises UsageError for what is not NAME=VALUE."""
    name, _, value = condition.partition("=")
    if not (name.strip() and value.strip()):
        raise UsageError(f"\"{condition}\": write NAME=VALUE, such as language=go or framework='Spring*'.")


def conditions_in(where: Sequence[str]) -> dict[str, list[str]]:
    """Values by name, of conditions that are written NAME=VALUE."""
    found: dict[str, list[str]] = {}
    for condition in where:
        check_condition(condition)
        name, _, value = condition.partition("=")
        found.setdefault(name.strip(), []).append(value.strip())
    return found


def matches(labels: Labels, where: Sequence[str]) -> bool:
    """Whether the labels meet all conditions; of several values of one name one is enough."""
    return all(
        name in labels and any(_is(labels[name], value) for value in values)
        for name, values in conditions_in(where).items()
    )


def refuse_unmatched(labelled: Iterable[Labels], where: Sequence[str]) -> None:
    """Raises UsageError, with what there is, where no labels meet the conditions."""
    known = list(labelled)
    if any(matches(labels, where) for labels in known):
        return
    names = list(dict.fromkeys(name for labels in known for name in labels))
    for name, values in conditions_in(where).items():
        if name not in names:
            words = f'--where: no target here has the label "{name}". Labels: {", ".join(names) or "none"}.'
            raise UsageError(words + nearest(name, names))
        there = sorted({labels[name] for labels in known if name in labels})
        if not any(_is(each, value) for each in there for value in values):
            raise UsageError(f"--where: no target here has {name}={' or '.join(values)}. {name}: {'; '.join(there)}.")
    raise UsageError(f"--where: no target here has {' and '.join(where)} together.")


def _is(label: str, value: str) -> bool:
    """Whether a pattern is the label, whatever the case, with its version or without."""
    label, value = label.lower(), value.lower()
    return fnmatchcase(label, value) or fnmatchcase(label, f"{value} [0-9]*")
