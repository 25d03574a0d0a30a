"""The request that a command line of `bakeoff run` stands for. Errors name the option."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from bakeoff.comparing.experiment import read_experiment
from bakeoff.comparing.other_commit import full_name
from bakeoff.comparing.rate_search import START_PER_S
from bakeoff.comparing.request import ComparisonRequest, new_seed
from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError
from bakeoff.options.combinations import given_in, refuse_combinations
from bakeoff.options.option import flagged, options_of, with_values
from bakeoff.options.table import SHORTHANDS, ComparisonTable, FactorTable, InvocationTable, Shorthand
from bakeoff.options.variant import Level
from bakeoff.project import COMMAND, Project
from bakeoff.reporting.threshold_lines import limits_of
from bakeoff.results.mode_names import COUNT
from bakeoff.running.isolation import check_pins, usable_cpus
from bakeoff.targets.manifest import choose_targets, find_targets
from bakeoff.workload.loader import load_workload

_PAYLOAD = "payload"
_ALL = "all"
# What a comparison prints, writes and sends is the call's alone, also where it is resumed.
_OUTPUTS = ("json", "prometheus", "otlp")


@dataclass(frozen=True)
class RunOptions:
    """A command line of `run`: the mode or file, the whole line, and the flags that were given with their values."""

    what: str | None
    command: str
    given: Mapping[str, Json] = field(default_factory=dict)

    @property
    def invocation(self) -> InvocationTable:
        """The options of the call alone."""
        options = (each for each in flagged(InvocationTable) if each.flag in self.given)
        read = {each.field: each.read_flag(self.given[each.flag]) for each in options}
        return with_values(InvocationTable(), read)


def options_from(command: str, parsed: Mapping[str, Json]) -> RunOptions:
    """The command line, from parameters as the library has parsed them."""
    flags = {name.rstrip("_").replace("_", "-"): value for name, value in parsed.items()}
    given = {flag: value for flag, value in flags.items() if value not in (None, [], False)}
    what = given.pop("what", COUNT if "requests" in given else None)
    return RunOptions(None if what is None else str(what), command, given)


def refuse_beside_resume(options: RunOptions) -> None:
    """Raises UsageError where `--resume` is not alone: a comparison continues with its own options."""
    given = [f"--{flag}" for flag in options.given if flag not in ("resume", *_OUTPUTS)]
    beside = [*([] if options.what is None else [options.what]), *given]
    if beside:
        raise UsageError(
            f"--resume continues a comparison with its own options: leave out {', '.join(beside)}, or leave out "
            "--resume to start a new comparison."
        )


def request_of(project: Project, options: RunOptions) -> ComparisonRequest:
    """The one comparison that the options ask for; UsageError where an experiment has several scenarios."""
    requests = list(requests_of(project, options).values())
    if len(requests) > 1:
        raise UsageError(
            f"{options.what} has {len(requests)} scenarios, and this takes one comparison: {COMMAND} run measures all."
        )
    return requests[0]


def requests_of(project: Project, options: RunOptions) -> dict[str, ComparisonRequest]:
    """The comparison that the options ask for, under the name ""; of an experiment with scenarios one for each.

    It is a mode's, or an experiment's with what is given changed in it.
    """
    if options.what is None:
        raise UsageError(f"Missing argument: name a mode, such as {COMMAND} run quick, or an experiment's file.")
    if options.what.endswith(".toml"):
        found = read_experiment(Path(options.what))
    else:
        found = {"": ComparisonRequest(options.what, options.command, seed=new_seed())}
    return {name: _with_flags(project, replace(each, command=options.command), options) for name, each in found.items()}


def _with_flags(project: Project, request: ComparisonRequest, options: RunOptions) -> ComparisonRequest:
    given = options.given
    values = {each.field: each.read_flag(given[each.flag]) for each in flagged(ComparisonTable) if each.flag in given}
    if options.invocation.slo is not None and "rates" not in values:
        values["rates"] = [START_PER_S]
    if "against" in values:
        # A branch may move before a comparison is resumed.
        values["against"] = full_name(project, str(values["against"]))
    request = _with_all_payloads(project, _with_levels(with_values(request, values), given))
    if request.pin:
        check_pins(request.pin, usable_cpus())
    refuse_combinations(request.mode, {**request.given, **given_in(options.invocation, InvocationTable)})
    # Reports now what is wrong with phases, factors and limits, before anything is built.
    _ = request.phases, request.variants(), limits_of(request.threshold)
    return request


def _with_levels(request: ComparisonRequest, given: Mapping[str, Json]) -> ComparisonRequest:
    """The request with the factors that flags give one level each."""
    levels: dict[str, tuple[Level, ...]] = {}
    settings = dict(request.settings)
    factors = options_of(FactorTable)
    found = [(each.field, each.read_flag(given[each.flag])) for each in flagged(FactorTable) if each.flag in given]
    for each in SHORTHANDS:
        if each.flag in given:
            found.append((each.factor, factors[each.factor].read(_level(each, given[each.flag]))))
    for factor, level in found:
        if isinstance(level, Mapping):
            settings.update({name: (str(value),) for name, value in level.items()})
        else:
            assert level is None or isinstance(level, str | int | float)
            levels[factor] = _payloads(level) if factor == _PAYLOAD else (level,)
    return replace(request, levels={**request.levels, **levels}, settings=settings)


def _payloads(level: Level) -> tuple[Level, ...]:
    """Several sizes with commas between them, each once."""
    return tuple(dict.fromkeys(part.strip() for part in str(level).split(",")))


def _with_all_payloads(project: Project, request: ComparisonRequest) -> ComparisonRequest:
    """The request with `all` written out: every size that the workloads of its targets declare."""
    levels = request.levels.get(_PAYLOAD, ())
    if _ALL not in levels:
        return request
    names = request.targets or list(request.attached)
    targets = choose_targets(find_targets(project), names, request.target_class, request.where)
    workloads = [load_workload(project, name) for name in sorted({target.workload for target in targets})]
    sizes = [size for workload in workloads for size in workload.sized_payloads]
    every = [each for level in levels for each in (sizes if level == _ALL else [level])]
    return replace(request, levels={**request.levels, _PAYLOAD: tuple(dict.fromkeys(every))})


def _level(shorthand: Shorthand, value: Json) -> Json:
    try:
        return shorthand.level(shorthand.kind.read(value))
    except UsageError as error:
        raise UsageError(f"--{shorthand.flag}: {error.message}") from error


def write_mode_of(value: str | None) -> dict[str, str]:
    """The setting that `--write-mode` of other commands gives the target."""
    if value is None:
        return {}
    (shorthand,) = (each for each in SHORTHANDS if each.flag == "write-mode")
    _level(shorthand, value)
    return {"write_mode": value}
