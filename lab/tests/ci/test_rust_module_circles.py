"""The check that modules of a Rust package form no circle: what it finds, and what it leaves out."""

import subprocess
import sys
from pathlib import Path

import pytest

_CHECK = Path(__file__).parents[3] / ".ci" / "rust_module_circles.py"


def check(folder: Path, sources: dict[str, str]) -> tuple[int, str]:
    """Its exit status and output for a package of these files."""
    (folder / "Cargo.toml").write_text("[package]")
    for name, text in sources.items():
        path = folder / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    done = subprocess.run([sys.executable, _CHECK, folder], capture_output=True, text=True, check=False)
    assert not done.stderr
    return done.returncode, done.stdout.replace(f"{folder}/src/", "")


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("use crate::b::B;", "use crate::a::A;"),
        ("use super::b;\nfn f() { b::run() }", "use super::a::A;"),
        ("fn f() { crate::b::run() }", "use crate::a::A;"),
        ("fn f() -> crate :: b :: B {}", "fn f() { super::a::run() }"),
        ("use crate::{c::C, b::{self as other, B}};", "pub(crate) use crate::a::A;\nfn f(a: A) {}"),
        ("use super::super::crates::{/* no, */ C};\nuse crate::b::*;", "use super::a::{A as Other};"),
    ],
)
def test_two_modules_that_import_each_other_are_a_circle(tmp_path: Path, a: str, b: str) -> None:
    status, output = check(tmp_path, {"lib.rs": "mod a;\nmod b;\nmod c;", "a.rs": a, "b.rs": b, "c.rs": ""})
    assert status == 1
    assert sorted(line.partition(":")[0] for line in output.splitlines()) == ["a.rs", "b.rs"]


def test_a_circle_is_printed_once_in_its_order_with_lines(tmp_path: Path) -> None:
    sources = {"a.rs": "\nuse crate::b::B;", "b.rs": "// crate::a\n\nuse crate::c;", "c/mod.rs": "use super::a;"}
    assert check(tmp_path, {"main.rs": "mod a;", **sources}) == (
        1,
        "a.rs:2 imports b.rs\nb.rs:3 imports c/mod.rs\nc/mod.rs:1 imports a.rs\n",
    )


def test_each_of_two_circles_is_printed(tmp_path: Path) -> None:
    a, others = "use crate::{b, c};", {"b.rs": "use crate::a;", "c.rs": "use crate::d;", "d.rs": "use crate::c;"}
    status, output = check(tmp_path, {"lib.rs": "", "a.rs": a, **others})
    assert (status, output.count("imports"), output.count("\n\n")) == (1, 4, 1)


def test_a_parent_that_uses_its_child_which_uses_its_parent_is_a_circle(tmp_path: Path) -> None:
    sources = {"a/mod.rs": "mod b;\nconst LIMIT: u8 = 1;\nfn f() { b::run() }", "a/b.rs": "use super::LIMIT;"}
    assert check(tmp_path, {"lib.rs": "", **sources})[1] == "a/b.rs:1 imports a/mod.rs\na/mod.rs:3 imports a/b.rs\n"


def test_a_parent_that_uses_what_it_re_exports_imports_it(tmp_path: Path) -> None:
    sources = {"a/mod.rs": "pub use b::B;\nfn f(_: B) {}\nstruct A;", "a/b.rs": "use super::A;"}
    assert check(tmp_path, {"lib.rs": "", **sources})[0] == 1


@pytest.mark.parametrize(
    "sources",
    [
        {"a/mod.rs": "mod b;\nmod c;\npub use b::B;", "a/b.rs": "use super::c::C;", "a/c.rs": "use super::D;"},
        {"a/mod.rs": "mod b;\npub use b::b;\nstruct A;", "a/b.rs": "use super::A;\npub fn b() {}"},
        {"a/mod.rs": "pub use b::B;\npub use c::C;", "a/b.rs": "use super::C;", "a/c.rs": "use std::a::b;"},
        {"a.rs": "use crate::b;", "b.rs": '// crate::a\nconst A: &str = "crate::a::A";\nconst C: char = \'"\';'},
        {"a.rs": "use crate::b;", "b.rs": "#[cfg(test)]\nmod tests {\n    use crate::a;\n    fn f() {}\n}"},
        {"a.rs": "use crate::b;", "b.rs": "#[cfg(test)]\nmod tests;", "b/tests.rs": "use crate::a;"},
        {"a.rs": "use crate::b;", "b.rs": "use serde::a;\nfn f() { other::a::run() }"},
        {"a.rs": "use self::f;\nfn f() { self::f() }"},
    ],
    ids=[
        "siblings",
        "a function by its module's name",
        "through the parent",
        "comment, text",
        "tests inside",
        "tests beside",
        "other crate",
        "itself",
    ],
)
def test_no_circle(tmp_path: Path, sources: dict[str, str]) -> None:
    assert check(tmp_path, {"lib.rs": "mod a;\nmod b;", **sources}) == (0, "")


def test_a_folder_without_packages_is_refused(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, _CHECK, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "no package" in done.stderr
