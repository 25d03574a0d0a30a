"""Values as TOML text."""

import json
from collections.abc import Mapping, Sequence

from bakeoff.documents.checked import Json


def toml_value(value: Json) -> str:
    """A value on one line, tables inline."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(name)} = {toml_value(each)}" for name, each in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(toml_value(each) for each in value) + "]"
    # JSON's texts, numbers and truth values are TOML's too.
    return json.dumps(value, ensure_ascii=False)


def toml_key(name: str) -> str:
    """A key, in quotes where it needs them."""
    is_bare = bool(name) and all(each.isascii() and (each.isalnum() or each in "-_") for each in name)
    return name if is_bare else json.dumps(name, ensure_ascii=False)


def toml_text(text: str) -> str:
    """A text of one line as it stands where that is possible."""
    return json.dumps(text, ensure_ascii=False) if "'" in text or "\n" in text else f"'{text}'"
