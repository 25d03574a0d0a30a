"""What each stack is, and what it costs besides its requests."""

from collections.abc import Callable, Mapping, Sequence

from bakeoff.judging.judgement import JudgedContender
from bakeoff.reporting import numbers
from bakeoff.reporting.figures import median_of
from bakeoff.reporting.numbers import NOTHING
from bakeoff.text.prose import capitalised
from bakeoff.text.table import Table

TITLE = "What each stack is and costs"
NOTE = (
    "Ready: from the start of the process until it answers its health check, median over rounds. Install: what the "
    "build makes, with the dependencies that the manifest names, without the language's runtime. Source lines: of the "
    "inputs of the build, blank lines, comments and tests among them included, without lock files and Markdown."
)
STATEMENTS_NOTE = "Of each operation: statements to PostgreSQL / round trips of one request, counted apart."


def stack_table(entries: Sequence[JudgedContender]) -> Table:
    """A row for each contender, a dash for what its runs do not have; no rows where no figure is known."""
    columns = {name: [cell(entry) for entry in entries] for name, cell in _columns(entries).items()}
    rows = [
        (entry.name, *(cells[place] or NOTHING for cells in columns.values())) for place, entry in enumerate(entries)
    ]
    figures = _figures(entries)
    note = f"{NOTE} {STATEMENTS_NOTE}" if _operations(entries) else NOTE
    is_known = any(cell for name in figures for cell in columns[name])
    words = 1 + len(columns) - len(figures)
    return Table(TITLE, ("target", *columns), rows if is_known else [], left=words, note=note)


def labels_of(entry: JudgedContender) -> dict[str, str]:
    """The names by which people choose between stacks."""
    own = {"language": capitalised(entry.language), **entry.stack.parts}
    return {name: value for name, value in own.items() if value}


def facets(entries: Sequence[JudgedContender]) -> dict[str, list[str]]:
    """The labels that divide contenders into groups, with their values: a value of several, and more than one value."""
    labels = [*{entry.target: labels_of(entry) for entry in entries}.values()]
    names = dict.fromkeys(name for each in labels for name in each)
    values = {name: [each[name] for each in labels if name in each] for name in names}
    return {name: sorted(set(own)) for name, own in values.items() if 1 < len(set(own)) < len(own)}


_Cell = Callable[[JudgedContender], str]


def _columns(entries: Sequence[JudgedContender]) -> Mapping[str, _Cell]:
    """Words first, figures after them."""
    parts = dict.fromkeys(part for entry in entries for part in entry.stack.parts)
    words = {"language": lambda entry: capitalised(entry.language), **{part: _part(part) for part in parts}}
    return {**words, **_figures(entries)}


def _figures(entries: Sequence[JudgedContender]) -> Mapping[str, _Cell]:
    known: dict[str, _Cell] = {
        "ready": lambda entry: _known(median_of(entry.start_to_healthy_s, numbers.seconds)),
        "install MB": _install,
        "source lines": _lines,
    }
    return {**known, **{name: _sent(name) for name in _operations(entries)}}


def _operations(entries: Sequence[JudgedContender]) -> Sequence[str]:
    return [*dict.fromkeys(name for entry in entries for name in entry.stack.statements)]


def _part(part: str) -> _Cell:
    return lambda entry: entry.stack.parts.get(part, "")


def _sent(operation: str) -> _Cell:
    def cell(entry: JudgedContender) -> str:
        sent = entry.stack.statements.get(operation)
        return "" if sent is None else sent.short

    return cell


def _install(entry: JudgedContender) -> str:
    size = entry.stack.install_bytes
    return "" if size is None else numbers.three_digits(size / 1e6)


def _lines(entry: JudgedContender) -> str:
    lines = entry.stack.source_lines
    return "" if lines is None else numbers.count(lines)


def _known(words: str) -> str:
    return "" if words == NOTHING else words
