"""Entries of the table: an option is a field of a dataclass with its description."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError
from bakeoff.options.kinds import ValueKind

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
Table = TypeVar("Table", bound="DataclassInstance")
D = TypeVar("D")

_ENTRY = "option"


def _any_value(_value: object) -> bool:
    return True


def _as_it_is(value: object) -> object:
    return value


@dataclass(frozen=True)
class Excludes:
    """An option by its field, "mode" or an environment variable, that another option cannot be combined with.

    It is excluded only at `value` where that is given, and only by levels of the other option that are `among`.
    """

    other: str
    reason: str
    value: Json = None
    among: Callable[[Any], bool] = _any_value


@dataclass(frozen=True)
class Requires:
    """An option by its field, or an environment variable, that another option needs.

    One of its levels must be `enough`; only levels of the other option that are `among` need it.
    """

    other: str
    reason: str
    enough: Callable[[Any], bool] = _any_value
    among: Callable[[Any], bool] = _any_value


@dataclass(frozen=True)
class MeasuredWith:
    """What decides which options a contender can have: its target, its workload, and its other options."""

    protocol: str
    is_http2: bool
    is_process: bool
    uses_tls: bool
    uses_pooler: bool
    stores_in_postgresql: bool
    prepares_itself: bool
    reads_from_replica: bool
    creates: bool


@dataclass(frozen=True)
class Suits:
    """What a contender must be for an option: others are left out. `reason` follows the option's name."""

    reason: str
    holds: Callable[[MeasuredWith], bool]


@dataclass(frozen=True)
class Option:
    """One option. `field` is its name in code and in the stored request, `name` in files and messages.

    - `flag`: its name on the command line, empty where it has none; `short` is a one-letter form.
    - `in_file`: whether an experiment's file may hold it.
    - `unset`: what having no value means, in words, "none" where the default is empty; they may stand for None.
    - `plan`: the member of `Load` that it sets, to what `in_plan` makes of the value.
    - `modes`: the only modes that it is for, with an `example` of a command; `excludes` and `requires`: what it cannot
      be combined with, and what it needs. `combinations.py` checks them.
    - `suits`: what a contender with it must be.
    """

    field: str
    kind: ValueKind[Any]  # a table holds values of every kind
    default: Json
    help: str
    name: str
    flag: str
    short: str = ""
    in_file: bool = True
    unset: str = ""
    unit: str = ""
    plan: str = ""
    in_plan: Callable[[Any], object] = _as_it_is
    modes: Sequence[str] = ()
    example: str = ""
    excludes: Sequence[Excludes] = ()
    requires: Sequence[Requires] = ()
    suits: Sequence[Suits] = ()

    @property
    def label(self) -> str:
        """Its name in messages."""
        return f"--{self.flag}" if self.flag else self.name

    @property
    def default_in_help(self) -> str:
        """The default as help shows it, where there is something to show."""
        shown = "" if self.kind.is_switch or self.unset == "none" else self.unset or self.words(self.default)
        return f" [{shown}]" if shown else ""

    def read(self, value: Json) -> Json:
        """The value that text, a file or a stored document stands for. Raises UsageError."""
        if value is None or (self.default is None and value == self.unset):
            return None
        read: Json = self.kind.read(value)
        return read

    def read_flag(self, value: Json) -> Any:
        """The value given on the command line; errors name the flag."""
        try:
            return self.read(value)
        except UsageError as error:
            raise UsageError(f"--{self.flag}: {error.message}") from error

    def unsuited(self, measured_with: MeasuredWith) -> str | None:
        """Why a contender cannot have it; None where it can."""
        reason = next((each.reason for each in self.suits if not each.holds(measured_with)), None)
        return None if reason is None else f"{self.label} {reason}: leave it out."

    def words(self, value: Json) -> str:
        """A value as names and records show it."""
        return self.unset if value is None else self.kind.words(value)


def option(
    default: D, kind: ValueKind[T], help: str, *, name: str = "", flag: str | None = None, **described: Any
) -> D | T:
    """A field of a table, described by other members of Option.

    Without `name` and `flag` they are the field's; `flag` "" keeps it off the command line.
    """
    unset = "none" if default in (None, (), {}) else ""
    entry = {"kind": kind, "default": default, "help": help, "name": name, "flag": flag, "unset": unset, **described}
    if isinstance(default, Hashable):
        return field(default=default, metadata={_ENTRY: entry})
    return field(default_factory=lambda: default, metadata={_ENTRY: entry})


@cache
def options_of(table: type) -> Mapping[str, Option]:
    """The options of a dataclass by their fields, in order."""
    return {each.name: _option(each) for each in fields(table) if _ENTRY in each.metadata}


def _option(declared: Field[object]) -> Option:
    entry = dict(declared.metadata[_ENTRY])
    name = entry.pop("name") or declared.name
    flag = entry.pop("flag")
    return Option(field=declared.name, name=name, flag=name.replace("_", "-") if flag is None else flag, **entry)


def with_values(table: Table, values: Mapping[str, Json]) -> Table:
    """A table with these values of its fields, which their kinds have read."""
    return replace(table, **values)


def flagged(table: type) -> Iterator[Option]:
    """The options of a table that the command line has."""
    return (each for each in options_of(table).values() if each.flag)


def changed(table: object, names: type) -> dict[str, str]:
    """A table's values as a record shows them: those that are not the default, of the options of `names`."""
    return {
        each.name: each.words(value)
        for each in options_of(names).values()
        if (value := getattr(table, each.field)) != each.default
    }


def plan_members(table: object, names: type) -> dict[str, Any]:
    """Members of `Load` that the options of `names` set; a test holds their types against the plan's schema."""
    return {each.plan: each.in_plan(getattr(table, each.field)) for each in options_of(names).values() if each.plan}
