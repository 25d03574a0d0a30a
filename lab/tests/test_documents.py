"""Documents: links lead somewhere, and words are the field's own."""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bakeoff.project import Project
from checkouts import GALLERY

ROOT = Path(__file__).parents[2]

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)

# Words that an engineer has to read twice, as STYLE lists them. A document may quote one as code.
_ODD = re.compile(
    r"\b(under way|the house|held against|whoever|(no|some|any)body|anew|likewise|twins|gravest|comes? to its end"
    r"|at work|away for)\b",
    re.IGNORECASE,
)


def documents() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "*.md"], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    ).stdout
    found = [ROOT / line for line in listed.splitlines() if "golden" not in line]
    assert found, "no documents found"
    return [path for path in found if path.is_file()]


def table_of_changes() -> str:
    """The rows of CONTRIBUTING that name the files of each kind of change."""
    return (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## What a change touches")[1].split("\n## ")[0]


def lost_files(text: str) -> list[str]:
    """The files and folders named as code that the repository does not have, and names that their file lacks.

    A path may begin in any folder, as `options/table.py` does. Of `NAME` in `FILE`, the file has the name.
    """
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, encoding="utf-8").stdout
    files = {f"/{line}/": ROOT / line for line in tracked.splitlines()}

    def found(name: str) -> list[Path]:
        return [path for file, path in files.items() if f"/{name.strip('/')}/" in file]

    names = re.findall(r"`([\w./-]+(?:/|\.(?:json|md|py|rs|sql|toml|j2)))`", text)
    lost = [name for name in names if not found(name)]
    for name, file in re.findall(r"`([^`]+)` in `([^`]+\.\w+)`", text):
        lost += [f"{name} in {file}" for path in found(file) if name not in path.read_text("utf-8")]
    return lost


def anchors(text: str) -> Iterator[str]:
    """The anchors that a page's headings have on GitHub."""
    for line in text.splitlines():
        if line.startswith("#"):
            heading = re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower())
            yield heading.replace(" ", "-")


def broken_links(page: Path) -> list[str]:
    broken = []
    for link in _LINK.findall(_CODE.sub("", page.read_text("utf-8"))):
        path, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", link):
            continue
        target = page if path == "" else page.parent / path
        if not GALLERY.file.exists() and target.resolve().is_relative_to(GALLERY.root):
            continue
        lost = anchor and target.suffix == ".md" and anchor not in anchors(target.read_text("utf-8"))
        if not target.exists() or lost:
            broken.append(link)
    return broken


def odd_words(text: str) -> list[str]:
    return [found.group() for found in _ODD.finditer(_CODE.sub("", text))]


@pytest.mark.parametrize("page", documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    assert broken_links(page) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A heading, here\n[a](nowhere.md) [b](#a-heading-here) [c](#gone) [d](https://example.org)\n")
    assert broken_links(page) == ["nowhere.md", "#gone"]


@pytest.mark.parametrize("page", documents(), ids=lambda page: str(page.relative_to(ROOT)))
def test_documents_use_the_field_s_words(page: Path) -> None:
    assert odd_words(page.read_text("utf-8")) == []


def test_an_odd_word_is_found_outside_code() -> None:
    assert odd_words("Requests under way, and `under way` as code.") == ["under way"]


def test_the_table_of_changes_names_files_that_exist(gallery: Project) -> None:
    assert lost_files(table_of_changes()) == []


def test_a_lost_file_and_a_lost_name_are_found() -> None:
    text = "`enum Arrival` in `options/table.py`, `option` in `options/table.py`, `gone/`, `plan/gone.rs`, `lab/tests/`"
    assert lost_files(text) == ["gone/", "plan/gone.rs", "enum Arrival in options/table.py"]
