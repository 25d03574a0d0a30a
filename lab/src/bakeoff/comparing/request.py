"""The request for a comparison, from the command line or from an experiment file."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace

from bakeoff.documents.checked import Json
from bakeoff.errors import UsageError
from bakeoff.judging.scaling import USERS
from bakeoff.judging.usl import FEWEST_COUNTS
from bakeoff.options.combinations import Given, given_in, refuse_combinations
from bakeoff.options.kinds import agents_in
from bakeoff.options.option import options_of, with_values
from bakeoff.options.table import ComparisonTable, FactorTable
from bakeoff.options.variant import Level, Variant, variants_of
from bakeoff.results.mode_names import COUNT, SUSTAINED
from bakeoff.running.modes import (
    EQUAL,
    RATE,
    SUSTAINED_ROWS,
    Phase,
    count_phases,
    equal_level,
    equal_phases,
    phases_from,
    phases_of,
    phases_with,
    rate_phases,
)
from bakeoff.running.phase_plan import Settling
from bakeoff.running.warm_up import LONGEST_UNTIL_STEADY_S, settle_cap_s, warm_up_cap_s
from bakeoff.text.hints import hint


@dataclass(frozen=True)
class ComparisonRequest(ComparisonTable):
    """A comparison to make, with the options of the table. `name` is an experiment's, or empty.

    `crashes`: each contender is crashed once. `levels` are those of each factor that is given, `settings` those of the
    targets' own settings. `class_rates` are the equal rates that probes found, by the class of targets.
    """

    mode: str
    command: str
    name: str = ""
    crashes: bool = True
    levels: Mapping[str, Sequence[Level]] = field(default_factory=dict)
    settings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    class_rates: Mapping[str, float] = field(default_factory=dict)

    @property
    def has_equal_rate(self) -> bool:
        """Whether the contenders of a class are all offered one rate, beside the loads of the closed model."""
        return self.mode == EQUAL or self.equal_load

    @property
    def probes_rate(self) -> bool:
        """Whether that rate is still to be found."""
        return self.has_equal_rate and not self.rates and not self.class_rates

    def of_class(self, target_class: str) -> "ComparisonRequest":
        """The request as targets of one class meet it, at the rate of their class."""
        known = target_class in self.class_rates
        return replace(self, class_rates={target_class: self.class_rates[target_class]}) if known else self

    @property
    def phases(self) -> list[Phase]:
        """The phases of each run, without the warm-up."""
        refuse_combinations(self.mode, self.given)
        if self.has_equal_rate and len(self.levels.get("payload", ())) > 1:
            raise UsageError("An equal load has one rate for messages of one size: leave out all payloads but one.")
        rates = self.rates or [*self.class_rates.values()][:1]
        if self.mode == EQUAL:
            return equal_phases(rates, self.arrivals, self.users, self.phase_duration_s)
        return [*equal_level(rates, self._loads), *self._loads] if self.equal_load else self._loads

    @property
    def _loads(self) -> list[Phase]:
        if self.own_phases:
            return phases_from(self.own_phases, self.arrivals)
        if self.mode == RATE:
            return rate_phases(self.rates, self.arrivals, self.users, self.phase_duration_s)
        if self.mode == COUNT:
            connections = [level for level in self.levels.get("connections", ()) if isinstance(level, int)]
            return count_phases(self.requests, self.users, connections)
        phases = phases_of(self.mode, self.phase_duration_s)
        return phases_with(self.users, phases) if self.users else phases

    @property
    def given(self) -> Given:
        """The values of each option that are not the default, by field: of a factor every level."""
        defaults = {each.field: each.default for each in options_of(FactorTable).values()}
        levels = {name: [each for each in given if each != defaults[name]] for name, given in self.levels.items()}
        own = {"settings": [self.settings]} if self.settings else {}
        return {**given_in(self, ComparisonTable), **own, **{name: each for name, each in levels.items() if each}}

    @property
    def places(self) -> set[str]:
        """Where the programs of its contenders run."""
        return {variant.runs_in for variant in self.variants()}

    @property
    def agent_hosts(self) -> list[str]:
        """The hosts that agents run on, as ssh:// addresses; none where only their number is given."""
        hosts = dict.fromkeys(variant.agents for variant in self.variants() if isinstance(variant.agents, str))
        return [host for each in hosts for host in each.split(",")]

    @property
    def most_agents(self) -> int:
        return max(agents_in(variant.agents) for variant in self.variants())

    @property
    def settling(self) -> Settling:
        """How long each level may settle before it is measured, the same in every round; a target may need longer."""
        phases = self.phases
        first_s = warm_up_cap_s(phases, self.warm_up_s)
        later_s = settle_cap_s(phases, self.settle_s, first_s)
        is_asked = self.warm_up_s is not None
        if self.until_steady and first_s:
            return Settling(LONGEST_UNTIL_STEADY_S, later_s, reports_start=True, is_asked=is_asked)
        return Settling(first_s, later_s, is_asked=is_asked)

    def variants(self) -> list[Variant]:
        levels = self.levels
        if self.mode == SUSTAINED and "preload" not in levels:
            levels = {**levels, "preload": [SUSTAINED_ROWS]}
        return variants_of(levels, self.settings, repetitions=2 if self.aa else 1)

    def as_document(self) -> dict[str, Json]:
        return asdict(self)


def new_seed() -> int:
    """A seed for a comparison that is given none: always the same order would favour the same contenders."""
    return secrets.randbits(31)


def request_from(document: Mapping[str, Json]) -> ComparisonRequest:
    options = options_of(ComparisonRequest)
    plain = {each.name for each in fields(ComparisonRequest)} - options.keys()
    values = {name: document[name] for name in plain if name in document}
    # None is an option's default.
    given = {name: each.read(document[name]) for name, each in options.items() if document.get(name) is not None}
    return with_values(ComparisonRequest("", ""), {**values, **given})


def check_scale(request: ComparisonRequest) -> None:
    """Raises UsageError for a scale that no curve can be fitted along."""
    name = request.scale
    if name is None:
        return
    counts = _counts_of(request, name)
    wrong = next((level for level in counts if not level.isdecimal() or int(level) < 1), None)
    if wrong is not None:
        raise UsageError(
            f"scale: {name} has the level {wrong}, which is no count: name a factor of whole numbers from 1."
        )
    if len(set(counts)) < FEWEST_COUNTS:
        raise UsageError(
            f"scale: {name} has {len(set(counts))} levels ({', '.join(counts)}). The law has three "
            f"coefficients: give {name} {FEWEST_COUNTS} levels or more, such as 1, 2, 4 and 8."
        )


def _counts_of(request: ComparisonRequest, name: str) -> list[str]:
    if name == USERS:
        return [str(phase.virtual_users) for phase in request.phases if phase.rate_per_s is None]
    varied = {factor: [str(level) for level in levels] for factor, levels in request.levels.items()}
    varied |= {setting: list(levels) for setting, levels in request.settings.items()}
    if name not in varied:
        raise UsageError(f"scale: {name} is not varied. {hint(name, [*varied, USERS], 'Varied')}".strip())
    return varied[name]
