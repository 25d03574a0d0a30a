"""Documents that obey their schema, and that their record refuses all the same."""

import json
from pathlib import Path

import msgspec
import pytest

from bakeoff.documents.checked import read_toml
from bakeoff.errors import UsageError


class Inner(msgspec.Struct, frozen=True):
    kind: int


class Outer(msgspec.Struct, frozen=True):
    inner: Inner


def test_the_error_names_file_line_and_member(tmp_path: Path) -> None:
    schema, path = tmp_path / "any.schema.json", tmp_path / "any.toml"
    schema.write_text(json.dumps({"type": "object"}), "utf-8")
    path.write_text('# one\n[inner]\nkind = "2"\n', "utf-8")

    with pytest.raises(UsageError) as refused:
        read_toml(path, schema, Outer)

    assert refused.value.message == f"{path}, line 3: Expected `int`, got `str` - at `$.inner.kind`."
