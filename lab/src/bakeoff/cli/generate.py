"""`bakeoff generate`: the files that are made from the tables of options and of findings."""

import json
from collections.abc import Mapping
from pathlib import Path

import typer
from typer.core import TyperGroup

from bakeoff.options.experiment_schema import experiment_schema
from bakeoff.project import FORMATS, Project, own_checkout


def generated_files(checkout: Project, root: TyperGroup) -> Mapping[Path, str]:
    """The text of each generated file; `root` is the command line."""
    from bakeoff.cli.reference import findings_page, reference_page

    schema = json.dumps(experiment_schema(), indent=2, ensure_ascii=False) + "\n"
    return {
        FORMATS / "experiment.schema.json": schema,
        checkout.root / "docs" / "REFERENCE.md": reference_page(root),
        checkout.root / "docs" / "FINDINGS.md": findings_page(),
    }


def generate(context: typer.Context) -> None:
    """Write the files that are made from the table of options: docs/REFERENCE.md and the schema of experiments."""
    checkout, root = own_checkout(), context.find_root().command
    assert isinstance(root, TyperGroup)
    for path, text in generated_files(checkout, root).items():
        state = "unchanged" if path.exists() and path.read_text("utf-8") == text else "written"
        path.write_text(text, "utf-8")
        typer.echo(f"{checkout.relative(path)}: {state}")
