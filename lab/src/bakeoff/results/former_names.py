"""Names in files that older labs wrote; migrations 0009, 0010 and 0014 do the same in the metrics database."""

import re
from collections.abc import Mapping
from dataclasses import replace

import msgspec

from bakeoff.results.findings import KindName
from bakeoff.results.run import Measured, RunResult

# The shipped targets of that time are called tuned today, and their names belong to other programs.
_SHIPPED = re.compile(r"producer-api-(rust|go|java)-(rest|grpc)")
_FINDING_KINDS = {
    "agents-apart": "agents-not-synchronized",
    "builds-beside": "concurrent-builds",
    "clock-jumped": "clock-adjusted",
    "costly-sampling": "sampling-overhead",
}
_FACTORS = {"sending": "transport_mode"}
_ROLES = {"api": "target"}
_FORMER_PREFIX = re.compile(r"^api_")
_FORMER_PIN = re.compile(r"\bapi=")


def with_classes(run: RunResult) -> RunResult:
    """A run of before classes, under the names that its target and contender have today."""
    if not _SHIPPED.fullmatch(run.target):
        return run
    contender = _SHIPPED.sub(r"\g<0>-tuned", run.contender, count=1)
    return replace(run, target=f"{run.target}-tuned", contender=contender, target_class="tuned")


def with_present_names(run: RunResult) -> RunResult:
    """A run of version 3 or older, with the names that factors and findings have today."""
    return replace(
        run,
        contender=" ".join(_renamed_level(part) for part in run.contender.split(" ")),
        factors=_renamed(run.factors),
        settings=_renamed(run.settings),
        findings=[replace(each, kind=KindName(_FINDING_KINDS.get(each.kind, each.kind))) for each in run.findings],
    )


def with_target_role(run: RunResult) -> RunResult:
    """A run of version 4 or older, which called the role of the target `api`."""
    environment = {_FORMER_PREFIX.sub("target_", name): fact for name, fact in run.environment.items()}
    settings = {
        name: _FORMER_PIN.sub("target=", level) if name == "pin" else level for name, level in run.settings.items()
    }
    return replace(
        run,
        environment=environment,
        settings=settings,
        total=None if run.total is None else _with_target_cost(run.total),
        phases=[replace(phase, measured=_with_target_cost(phase.measured)) for phase in run.phases],
        samples=[msgspec.structs.replace(each, role=_ROLES.get(each.role, each.role)) for each in run.samples],
    )


def _with_target_cost(measured: Measured) -> Measured:
    return replace(measured, costs={_ROLES.get(role, role): cost for role, cost in measured.costs.items()})


def _renamed(levels: Mapping[str, str]) -> Mapping[str, str]:
    return {_FACTORS.get(name, name): level for name, level in levels.items()}


def _renamed_level(part: str) -> str:
    """A part of a contender's name, such as `sending=unary`."""
    name, is_level, level = part.partition("=")
    return f"{_FACTORS.get(name, name)}={level}" if is_level else part
