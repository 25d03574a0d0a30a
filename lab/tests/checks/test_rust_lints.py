"""Tests of Rust are compiled by Clippy, with no command of its own: a lint that fires must fail them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from bakeoff.checks.checks import load_checks
from bakeoff.project import Project

MANIFEST = '[package]\nname = "linted"\nversion = "0.1.0"\nedition = "2024"\n[workspace]\n'
GOOD = """#[test]
fn has_words() {
    let words = std::env::args().collect::<Vec<_>>();
    assert!(!words.is_empty());
}
"""
# An idiom that the compiler itself accepts.
BAD = GOOD.replace("!words.is_empty()", "words.len() != 0")


@pytest.mark.parametrize("name", ["cargo test engine", "cargo test targets"])
def test_a_lint_in_a_test_fails_the_check(clone: Project, tmp_path: Path, name: str) -> None:
    (check,) = [each for each in load_checks(clone) if each.name == name]
    if missing := [program for program in check.needs if shutil.which(program) is None]:
        pytest.skip(f"{', '.join(missing)} not found")
    # The command's own variables; the crate has no lock file and no workspace.
    variables = [part for part in check.command if part.startswith(("RUSTC_", "CLIPPY_"))]
    command = ["env", *variables, "cargo", "test", "--quiet", "--offline", "--no-run"]
    (tmp_path / "tests").mkdir()
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text(MANIFEST)
    (tmp_path / "src" / "lib.rs").write_text("")

    def compiled(test: str) -> str:
        (tmp_path / "tests" / "one.rs").write_text(test)
        environment = {**os.environ, "CARGO_TARGET_DIR": str(tmp_path / "target")}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stderr

    assert compiled(GOOD) == ""
    assert "clippy::len-zero" in compiled(BAD)
