"""Usage: rust_module_circles.py FOLDER...   fails when modules of a Rust package in these folders import in a circle.

A module is a file. It imports the module that defines what a path names: `use` and inline paths that begin with
`crate`, `self`, `super` or a child are followed through re-exports. A re-export alone imports nothing: a parent may
publish its children, and a child may reach its siblings through it. A parent that uses a child which uses its parent
is a circle. Tests (`#[cfg(test)]`, modules named `tests`) are left out.
"""

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

Module = tuple[str, ...]
Edges = Mapping[Module, Mapping[Module, int]]

_COMMENTS_AND_LITERALS = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\bb?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'""",
    re.DOTALL,
)
_USE = re.compile(r"\b(?P<public>pub\s*(?:\([^)]*\)\s*)?)?use\s+(?P<tree>[^;]+);")
_DECLARED = re.compile(r"\bmod\s+\w+\s*;")
_PATH = re.compile(r"(?<![\w:])\w+(?:\s*::\s*\w+)+")


@dataclass(frozen=True)
class Source:
    """What a file names, as (path, line), and what it re-exports."""

    paths: Sequence[tuple[Module, int]]
    exports: Mapping[str, Module]


def circles(package: Path) -> Iterator[list[str]]:
    """Each circle of a package's modules, as lines `file:line imports file`."""
    files = _modules(package / "src")
    left = dict(_edges({module: _read(path.read_text()) for module, path in files.items()}))
    while left:
        module = next(iter(left))
        circle = _circle_through(module, left)
        if circle:
            steps = zip(circle, [*circle[1:], module], strict=True)
            yield [f"{files[here]}:{left[here][there]} imports {files[there]}" for here, there in steps]
        del left[module]


def _modules(root: Path) -> dict[Module, Path]:
    top = root / ("lib.rs" if (root / "lib.rs").exists() else "main.rs")
    files: dict[Module, Path] = {(): top}
    for path in sorted({*root.rglob("*.rs")} - {root / "lib.rs", root / "main.rs"}):
        folder, name = path.relative_to(root).parent.parts, path.stem
        module = folder if name == "mod" else (*folder, name)
        if "tests" not in module and folder[:1] != ("bin",):
            files[module] = path
    return files


def _read(text: str) -> Source:
    text = _without_tests(_COMMENTS_AND_LITERALS.sub(_blank, text))
    body = _DECLARED.sub(_blank, _USE.sub(_blank, text))
    paths, exports = [], {}
    for use in _USE.finditer(text):
        line = _line(text, use.start("tree"))
        for path, name in _leaves(use["tree"]):
            if not use["public"] or re.search(rf"\b{name}\b", body):
                paths.append((path, line))
            if use["public"]:
                exports[name] = path
    paths += [(_parts(path[0]), _line(body, path.start())) for path in _PATH.finditer(body)]
    return Source(paths, exports)


def _without_tests(text: str) -> str:
    while (start := text.find("#[cfg(test)]")) >= 0:
        end = start
        while text[end] not in "{;":
            end += 1
        depth = int(text[end] == "{")
        while depth:
            end += 1
            depth += {"{": 1, "}": -1}.get(text[end], 0)
        text = text[:start] + "\n" * text.count("\n", start, end) + text[end + 1 :]
    return text


def _leaves(tree: str, before: Module = ()) -> Iterator[tuple[Module, str]]:
    """Every path of a tree such as `a::{b, c::{self, d as e}}`, with the name that it gets."""
    stem, brace, rest = tree.strip().partition("{")
    if brace:
        for branch in _branches(rest.rstrip()[:-1]):
            yield from _leaves(branch, (*before, *_parts(stem)))
        return
    path, _, alias = stem.partition(" as ")
    parts = (*before, *_parts(path))
    if len(parts) > 1 and parts[-1] in ("self", "*"):
        parts = parts[:-1]
    if parts:
        yield parts, alias.strip() or parts[-1]


def _branches(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for end, character in enumerate(text + ","):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and not depth:
            yield text[start:end]
            start = end + 1


def _parts(path: str) -> Module:
    return tuple(part for part in re.split(r"\s*::\s*", path.strip()) if part)


def _blank(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n") or " "


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _edges(sources: Mapping[Module, Source]) -> Iterator[tuple[Module, dict[Module, int]]]:
    for module, source in sources.items():
        found: dict[Module, int] = {}
        for path, line in source.paths:
            target = _target(path, module, sources)
            if target not in (None, module):
                found.setdefault(target, line)
        yield module, found


def _target(path: Module, here: Module, sources: Mapping[Module, Source]) -> Module | None:
    """The module that defines what a path in `here` names; None outside of the package."""
    if path[0] == "crate":
        here, path = (), path[1:]
    elif path[0] not in ("self", "super") and (*here, path[0]) not in sources:
        return None
    while path:
        name, *rest = path
        if name == "super":
            here = here[:-1]
        elif (*here, name) in sources:
            here = (*here, name)
        elif name in sources[here].exports:
            return _target((*sources[here].exports[name], *rest), here, sources)
        elif name != "self":
            break
        path = tuple(rest)
    return here


def _circle_through(module: Module, edges: Edges) -> list[Module]:
    """The shortest way from a module back to itself; empty: none."""
    ways = [[module]]
    reached = set()
    for way in ways:
        for there in edges[way[-1]]:
            if there == module:
                return way
            if there in edges and there not in reached:
                reached.add(there)
                ways.append([*way, there])
    return []


def _packages(folder: str) -> Iterator[Path]:
    """The packages below a folder. Build output is not searched: compilers may be changing it."""
    for here, below, files in os.walk(folder):
        below[:] = sorted(name for name in below if name != "target")
        if "Cargo.toml" in files and "src" in below:
            yield Path(here)


def main(folders: Sequence[str]) -> int:
    """Prints the circles below the folders; the exit status."""
    packages = [package for folder in folders for package in _packages(folder)]
    if not packages:
        sys.exit(f"rust_module_circles: no package in {', '.join(folders)}")
    found = [circle for package in packages for circle in circles(package)]
    if found:
        print("\n\n".join("\n".join(circle) for circle in found))
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
