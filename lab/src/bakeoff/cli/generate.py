"""`bakeoff generate`: the files that are made from the tables of options and of findings."""

import json
from collections.abc import Mapping
from pathlib import Path

import typer
from typer.core import TyperGroup

from bakeoff.options.experiment_schema import experiment_schema
from bakeoff.project import Project, find_project


def generated_files(project: Project, root: TyperGroup) -> Mapping[Path, str]:
    """The text of each generated file; `root` is the command line."""
    from bakeoff.cli.reference import findings_page, reference_page

    schema = json.dumps(experiment_schema(), indent=2, ensure_ascii=False) + "\n"
    return {
        project.contract / "schemas" / "experiment.schema.json": schema,
        project.root / "docs" / "REFERENCE.md": reference_page(root),
        project.root / "docs" / "FINDINGS.md": findings_page(),
    }


def generate(context: typer.Context) -> None:
    """Write the files that are made from the table of options: docs/REFERENCE.md and the schema of experiments."""
    project, root = find_project(), context.find_root().command
    assert isinstance(root, TyperGroup)
    for path, text in generated_files(project, root).items():
        state = "unchanged" if path.exists() and path.read_text("utf-8") == text else "written"
        path.write_text(text, "utf-8")
        typer.echo(f"{project.relative(path)}: {state}")
