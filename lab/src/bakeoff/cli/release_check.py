"""`bakeoff release-check`: builds the packages, tries them in fresh environments, and audits what they are made of."""

import platform
import time
from typing import Annotated

import typer

from bakeoff.project import own_checkout


def release_check(
    architecture: Annotated[
        list[str] | None,
        typer.Option(help="Architecture of the engine's wheel, x86_64 or aarch64; may be repeated. [this machine's]"),
    ] = None,
    advisories: Annotated[bool, typer.Option(help="Audit the packages of all lock files.")] = True,
) -> None:
    """Build the wheels and source distributions into dist/, try them installed, and look for known vulnerabilities."""
    from bakeoff.checks.advisories import load_audits, outcome_of
    from bakeoff.checks.release import build_packages, find_uv, installed, try_hit, try_version

    checkout, began = own_checkout(), time.monotonic()
    uv, dist = find_uv(checkout), checkout.root / "dist"
    for path in build_packages(checkout, uv, architecture or [platform.machine()]):
        typer.echo(f"{checkout.relative(path)}: {path.stat().st_size / 1e6:.1f} MB")
    for package in ("bakeoff-load", "bakeoff"):
        with installed(package, dist, uv) as programs:
            try_version(programs / package)
            try_hit(programs / package)
    found = False
    for audit in load_audits(checkout) if advisories else ():
        outcome = outcome_of(checkout, audit, uv)
        found |= outcome.status == "failed"
        typer.echo(": ".join(filter(None, (audit.name, outcome.status, outcome.words))))
    typer.echo(f"release-check: {time.monotonic() - began:.0f} s")
    if found:
        raise typer.Exit(1)
