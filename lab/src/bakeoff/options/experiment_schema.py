"""The JSON Schema of experiment files, made from the table of options."""

from bakeoff.options.kinds import Schema
from bakeoff.options.option import Option, options_of
from bakeoff.options.table import MODES, ComparisonTable, FactorTable


def experiment_schema() -> Schema:
    """The schema, as JSON can hold it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "bakeoff/experiment",
        "title": "An experiment: a comparison declared in a file (TOML)",
        "$comment": "Generated from lab/src/bakeoff/options/table.py by ./bakeoff generate",
        "type": "object",
        "properties": {
            "version": {"const": 1},
            "name": {"type": "string", "pattern": "^[a-z0-9][a-z0-9-]{0,62}$"},
            "question": {"type": "string", "minLength": 1, "description": "What it answers, in a sentence"},
            "mode": {"enum": list(MODES)},
            **_options(),
            "vary": _vary(),
            "scenarios": _scenarios(),
        },
        "required": ["version", "name", "question", "mode"],
        "additionalProperties": False,
    }


def _options() -> dict[str, Schema]:
    return {each.name: _described(each) for each in options_of(ComparisonTable).values() if each.in_file}


def _scenarios() -> Schema:
    return {
        "type": "array",
        "minItems": 1,
        "description": "Comparisons that follow one another, each with options in place of the file's",
        "items": {
            "type": "object",
            "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 60}, **_options()},
            "required": ["name"],
            "additionalProperties": False,
        },
    }


def _described(option: Option) -> Schema:
    return {**option.kind.schema, "description": option.help}


def _vary() -> Schema:
    factors = [each for each in options_of(FactorTable).values() if each.name != "settings"]
    return {
        "type": "object",
        "description": "Levels of each factor: every combination is measured with every target",
        "properties": {
            **{each.name: {**_levels(_level(each)), "description": each.help} for each in factors},
            "settings": {
                "type": "object",
                "description": "Settings of the targets, by their names in it",
                "additionalProperties": _levels({"type": ["string", "integer"]}),
            },
        },
        "additionalProperties": False,
    }


def _level(factor: Option) -> Schema:
    """A level; the word for none is one where the default is none, and may be one of the kind too."""
    level = factor.kind.schema
    return {"anyOf": [level, {"const": factor.unset}]} if factor.default is None else level


def _levels(level: Schema) -> Schema:
    return {"type": "array", "minItems": 1, "uniqueItems": True, "items": level}
