"""Writes the workload and the first target of an API that was imported."""

import json
from dataclasses import replace
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from bakeoff.descriptions.imported import ImportedApi
from bakeoff.project import Project
from bakeoff.scaffold.cases import cases_of
from bakeoff.scaffold.description_files import is_local
from bakeoff.scaffold.first_load import check_first_load
from bakeoff.scaffold.scaffold import TEMPLATES, Scaffold, folder_of, rendered_target, scaffold_of, write_files
from bakeoff.scaffold.toml_text import toml_text, toml_value
from bakeoff.workload.loader import load_workload


def imported_scaffold(name: str, api: ImportedApi, url: str | None) -> Scaffold:
    """The names of the new workload and its target, and the address of the API: never a public one."""
    here = api.address if api.address is not None and is_local(api.address) else None
    scaffold = scaffold_of(name, api.protocol, "none", url or here)
    return replace(scaffold, title=api.title)


def write_import(project: Project, scaffold: Scaffold, api: ImportedApi, source: Path) -> list[Path]:
    """Writes the files and returns their paths; nothing where one of the folders exists already."""
    folder = folder_of(project, "workloads") / scaffold.name
    cases = cases_of(api)
    values = {
        "name": scaffold.name,
        "title": api.title,
        "source": source.name,
        "side": api.side,
        "health": api.health,
        "operations": api.operations,
        "sessions": api.sessions,
        "read_back": api.read_back,
        "proto": api.proto,
        "cases": cases,
    }
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES / "imported"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - no HTML is made
    )
    environment.filters |= {"toml": toml_value, "toml_text": toml_text}
    files: dict[Path, str | bytes] = {
        folder / name: environment.get_template(f"{name}.j2").render(values) for name in _RENDERED
    }
    if cases:
        document = {"version": 1, "subject": scaffold.name, "cases": cases}
        files[folder / "vectors" / f"{scaffold.name}.json"] = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    files |= {folder / name: text for name, text in api.files.items()}
    if api.proto is not None and api.proto not in api.files:
        files[folder / api.proto] = source.read_bytes()
    target_file, target = rendered_target(project, scaffold)
    written = write_files(project, scaffold, {**files, target_file: target})
    try:
        check_first_load(load_workload(project, scaffold.name), api.side)
    except BaseException:
        for path in written:
            path.unlink()
        raise
    return written


_RENDERED = ("workload.toml", "README.md")
