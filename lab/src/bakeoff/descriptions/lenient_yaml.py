"""YAML that breaks a rule of indentation in YAML 1.2, such as where brackets close, and that other parsers take."""

import re

import yaml

from bakeoff.documents.checked import Json

# The plain values of YAML 1.2: no dates, no `yes`, no octal numbers that start with 0.
_NAMED = {"": None, "~": None, "null": None, "true": True, "false": False}
_WHOLE, _NUMBER = re.compile(r"[-+]?\d+|0o[0-7]+|0x[\da-fA-F]+"), re.compile(r"[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?")

# As many as the parser of YAML 1.2 takes, and more than any description has.
_DEEPEST = 250


class _Loader(getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]  # PyYAML's C part may be absent
    """Takes every tag for its node's own kind."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> object:
        value = super().construct_object(node, deep)
        is_plain = isinstance(node, yaml.ScalarNode) and not node.style and node.tag.startswith("tag:yaml.org")
        return _typed(str(value)) if is_plain else value


def read_lenient(text: str) -> Json:
    """Raises ValueError where no parser takes it."""
    try:
        _refuse_deep(text)
        value: Json = yaml.load(text, Loader=_Loader)  # noqa: S506 - it makes texts, lists and mappings alone
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from error
    return value


def _refuse_deep(text: str) -> None:
    """The C parser follows what lies in each other until its stack ends, and the process with it."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _DEEPEST:
            raise ValueError(f"more than {_DEEPEST} levels lie in each other")


def _typed(text: str) -> Json:
    named = text.lower() if text in (text.lower(), text.upper(), text.capitalize()) else text
    if named in _NAMED:
        return _NAMED[named]
    if _WHOLE.fullmatch(text):
        return int(text, 0 if text[1:2] in ("o", "x") else 10)
    return float(text) if _NUMBER.fullmatch(text) else text
