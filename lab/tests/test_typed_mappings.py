"""Records are typed: where a mapping is not, this list says so, and a comment beside it says why."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import bakeoff

_SOURCE = Path(bakeoff.__file__).parent
# Each with its reason. Of the whole package there are no others.
_UNTYPED = {
    # Points of a trend, for JSON alone: it holds datetimes.
    "cli/runs/trend.py": 1,
    # Tables of a vector file before msgspec reads them as cases: the schema has checked them.
    "conformance/vectors.py": 2,
    # Manifests, as YAML and the API of Kubernetes hold them.
    "containers/pods.py": 1,
    # A buf.yaml as written: members of another type count as absent.
    "descriptions/proto_sources.py": 1,
    # JSON that the API of a forge takes.
    "forges/api.py": 2,
    # The event of a pipeline, as the forge writes it.
    "forges/pipeline.py": 2,
    # Members of RunFigures by name; the columns hold numbers and texts.
    "history/run_figures.py": 2,
    # Values of options of every type; combinations only compare them.
    "options/combinations.py": 1,
    # Members of Load by name: a test holds the type of each against the plan's schema.
    "options/option.py": 1,
    # A request as the engine's client reads it.
    "processes/request_client.py": 1,
    # A record as the library writes it, before rates are added.
    "results/document.py": 1,
    # Values that a finding's message formats, each by its own format.
    "results/findings.py": 1,
    # Members of a request of the engine's client, passed on by name.
    "targets/access.py": 1,
}
_MOST = 17
_BARE = {"Mapping", "MutableMapping", "dict", "Dict"}


def _names(node: ast.AST) -> set[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            node = ast.parse(node.value, mode="eval")
        except SyntaxError:
            return set()
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def _is_untyped(annotation: ast.expr) -> bool:
    """A mapping of anything, a bare one, or a name for one."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value, mode="eval").body
        except SyntaxError:
            return False
    subscripted = {id(each.value) for each in ast.walk(annotation) if isinstance(each, ast.Subscript)}
    return any(
        (isinstance(each, ast.Subscript) and _names(each.value) & _BARE and _names(each.slice) & {"Any", "object"})
        or (isinstance(each, ast.Name) and each.id in _BARE and id(each) not in subscripted)
        or (isinstance(each, ast.Name) and each.id == "Document")
        for each in ast.walk(annotation)
    )


def untyped_mappings(source: str) -> int:
    """How many annotations and aliases of a module are untyped mappings, and how many classes say total=False."""
    found = 0
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
                found += _is_untyped(annotation)
            case ast.FunctionDef(returns=ast.expr() as returns):
                found += _is_untyped(returns)
            case ast.Assign(value=ast.Subscript() as alias):
                found += _is_untyped(alias)
            case ast.ClassDef(keywords=keywords):
                found += any(each.arg == "total" for each in keywords)
    return found


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("def f(a: dict[str, Any]) -> Mapping[str, object]: ...", 2),
        ("def f(a: dict, b: 'Sequence[Mapping]') -> int: ...", 2),
        ("Record = dict[str, Any]", 1),
        ("class A(TypedDict, total=False):\n    a: int", 1),
        ("def f(a: dict[str, int], b: Mapping[str, Sequence[float]]) -> Any: ...", 0),
    ],
)
def test_what_counts(source: str, count: int) -> None:
    assert untyped_mappings(source) == count


def test_mappings_are_typed_but_for_those_listed() -> None:
    counted: Counter[str] = Counter()
    for path in _SOURCE.rglob("*.py"):
        counted[path.relative_to(_SOURCE).as_posix()] += untyped_mappings(path.read_text("utf-8"))
    assert {name: count for name, count in counted.items() if count} == _UNTYPED
    assert sum(_UNTYPED.values()) <= _MOST
