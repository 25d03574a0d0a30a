"""The operations of a workload that names an OpenAPI document or a proto file, and what its table changes in them."""

import contextlib
import fnmatch
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from bakeoff import descriptions
from bakeoff.builds.digests import digest_of
from bakeoff.descriptions.json_members import list_in, object_in, objects_of
from bakeoff.descriptions.proto_sources import ProtoSource, proto_roots
from bakeoff.documents.checked import Json, Toml
from bakeoff.documents.whole_file import write_whole
from bakeoff.text.hints import hint
from bakeoff.workload.expressible import expressible

Table: TypeAlias = Mapping[str, Json]

# How an operation is sent, and the name of its headers there.
_CALLS = {"http": "headers", "grpc": "metadata"}


def with_description(toml: Toml[Json], cache: Path) -> Json:
    """A workload's table with the operations of the description that it names, or as it is where it names none.

    Operations of the table stand first, so that they keep their places; one with an imported name changes that one.
    `cache` keeps what was imported. Raises UsageError with the line of what the description does not have.
    """
    table = toml.document
    if not isinstance(table, Mapping) or not _has_tables(table):
        return table
    if (kind := _kind_of_description(table)) is None:
        return _without_description(toml, table)
    file = toml.path.parent / str(table[kind])
    if not file.is_file():
        raise toml.error((kind,), f'{kind} = "{table[kind]}", but there is no such file.')
    paths = [str(each) for each in list_in(table, "proto_paths")]
    imported = _imported(kind, file, cache, proto_roots(toml.path.parent, paths))
    common = _Common(object_in(table, "headers"), object_in(table, "query"))
    described = {str(each["name"]): each for each in objects_of(list_in(imported, "operations"))}
    own = [
        common.sent_with(_changed(described.pop(str(each.get("name")), {}), each), each) for each in _operations(table)
    ]
    described = {name: common.sent_with(each) for name, each in described.items()}
    chosen = _chosen(toml, table, described)
    operations = [*own, *_with_needed([*own, *chosen], described)[len(own) :]]
    names = [each.get("name") for each in operations]
    read_back = [name for name in list_in(imported, "read_back") if name in names]
    rest = {name: value for name, value in imported.items() if name not in ("read_back", "sessions")}
    if health := object_in(rest, "health"):
        rest["health"] = common.sent_with(health)
    whole = {**rest, **({"read_back": read_back} if read_back else {}), **table, "operations": operations}
    return _with_sessions(whole, objects_of(list_in(imported, "sessions")))


def _with_sessions(table: dict[str, Json], described: Sequence[Table]) -> Table:
    """A table with its own sessions, then the described ones of operations that it has."""
    own = table.get("sessions", [])
    if not isinstance(own, list):
        return table
    operations = {each.get("name") for each in _operations(table)}
    taken = {each.get("name") for each in objects_of(own)}
    added = [each for each in described if each["name"] not in taken and operations.issuperset(list_in(each, "steps"))]
    return {**table, "sessions": [*own, *added]} if added else table


def _has_tables(table: Table) -> bool:
    """Whether its operations are tables, if it has some. The schema reports what is not."""
    listed = table.get("operations", [])
    return isinstance(listed, list) and all(isinstance(each, Mapping) for each in listed)


def _without_description(toml: Toml[Json], table: Table) -> Table:
    """A table that lists all its operations, sent with its headers."""
    chosen = next((key for key in ("only", "without") if key in table), None)
    if chosen is not None and not table.keys() & {"openapi", "proto"}:
        words = f"{chosen} chooses operations of a description. Name one with openapi or proto, or remove {chosen}."
        raise toml.error((chosen,), words)
    common, listed = _Common(object_in(table, "headers"), object_in(table, "query")), _operations(table)
    is_common = listed and (common.headers or common.query)
    return {**table, "operations": [common.sent_with(each, each) for each in listed]} if is_common else table


def _kind_of_description(table: Table) -> str | None:
    """The member that names the description: openapi, or proto where not every operation has its own call."""
    if isinstance(table.get("openapi"), str):
        return "openapi"
    listed = _operations(table)
    is_whole = bool(listed) and all(_CALLS.keys() & each for each in listed)
    chooses = bool({"only", "without"} & table.keys())
    return "proto" if isinstance(table.get("proto"), str) and (chooses or not is_whole) else None


def _operations(table: Table) -> list[Table]:
    return objects_of(list_in(table, "operations"))


def _imported(kind: str, file: Path, cache: Path, roots: tuple[Path, ...]) -> Table:
    if kind == "proto":
        from bakeoff.descriptions.proto_import import import_proto

        return expressible(import_proto(ProtoSource(file, roots))).members
    importer = [*sorted(Path(descriptions.__file__).parent.glob("*.py")), Path(__file__)]
    stored = cache / f"{digest_of([*importer, file])}.json"
    # Nothing stored, or nothing that can be read or written: the import is only slower.
    with contextlib.suppress(OSError, ValueError, KeyError):
        kept: Table = json.loads(stored.read_text("utf-8"))
        # Files that the description refers to change by themselves.
        if kept["others"] == _digests(list_in(kept, "files")):
            return object_in(kept, "members")
    from bakeoff.descriptions.openapi_import import import_openapi

    api = import_openapi(file)
    members = expressible(api).members
    with contextlib.suppress(OSError):
        files = [str(each) for each in api.sources]
        kept = {"members": members, "files": files, "others": _digests(files)}
        write_whole(stored, json.dumps(kept).encode())
    return members


def _digests(files: Sequence[Json]) -> str:
    return digest_of([Path(str(each)) for each in files])


def _changed(described: Table, own: Table) -> Table:
    """An operation as described, with the members that the table has in their places; those of its call one by one."""
    calls = {
        side: {**object_in(described, side), **object_in(own, side)} for side in _CALLS if side in {*described, *own}
    }
    return {**described, **own, **calls}


@dataclass(frozen=True)
class _Common:
    """Headers and parts of the query of every operation."""

    headers: Table
    query: Table

    def sent_with(self, operation: Table, own: Table | None = None) -> Table:
        """An operation with what the table says for all, unless its `own` entry has that itself."""
        calls = {}
        for side, member in _CALLS.items():
            if call := object_in(operation, side):
                common = _without_names(self.headers, object_in(object_in(own or {}, side), member))
                headers = {**_without_names(object_in(call, member), common), **common}
                calls[side] = {**call, **({member: headers} if headers else {})}
        if "http" in calls and "path" not in object_in(own or {}, "http"):
            calls["http"] = {**calls["http"], **self._asked(calls["http"])}
        return {**operation, **calls}

    def _asked(self, call: Table) -> Table:
        """The path with the common parts of its query in place of its own of the same name."""
        path, mark, query = str(call.get("path", "")).partition("?")
        if not self.query:
            return {}
        kept = [part for part in query.split("&") if mark and part.partition("=")[0] not in self.query]
        return {"path": f"{path}?{'&'.join([*kept, *(f'{name}={value}' for name, value in self.query.items())])}"}


def _without_names(headers: Table, others: Table) -> Table:
    """The headers that the others do not have; upper and lower case are the same."""
    names = {name.lower() for name in others}
    return {name: value for name, value in headers.items() if name.lower() not in names}


def _chosen(toml: Toml[Json], table: Table, described: Mapping[str, Table]) -> list[Table]:
    """The described operations that `only` and `without` leave."""
    patterns = {key: [str(each) for each in list_in(table, key)] for key in ("only", "without")}
    known = [*described, *(str(each.get("name")) for each in _operations(table))]
    for key, listed in patterns.items():
        for pattern in listed:
            if not _matches(pattern, known):
                words = f'{key}: the description has no operation "{pattern}". {hint(pattern, known, "Operations")}'
                raise toml.error((key,), words, f'"{pattern}"')
    names = _matches_any(patterns["only"], described) if patterns["only"] else set(described)
    names -= _matches_any(patterns["without"], described)
    if not names and not _operations(table):
        raise toml.error(("without",), "only and without leave no operation of the description.")
    return [each for name, each in described.items() if name in names]


def _matches(pattern: str, names: Sequence[str]) -> set[str]:
    return {name for name in names if name == pattern or fnmatch.fnmatchcase(name, pattern)}


def _matches_any(patterns: Sequence[str], described: Mapping[str, Table]) -> set[str]:
    return {name for pattern in patterns for name in _matches(pattern, list(described))}


def _with_needed(chosen: Sequence[Table], described: Mapping[str, Table]) -> list[Table]:
    """Operations, and what they need: those that create their entities and log users in, sent for that alone."""
    operations = list(chosen)
    while True:
        names = {each.get("name") for each in operations}
        created = {each.get("creates") for each in operations}
        needed = {each["needs"] for each in operations if "needs" in each} - created
        logs_in = any("${login." in json.dumps(each) for each in operations)
        missing = [
            {**each, "weight": 0}
            for name, each in described.items()
            if name not in names and (each.get("creates") in needed or (logs_in and each.get("login")))
        ]
        if not missing:
            return operations
        operations += missing
