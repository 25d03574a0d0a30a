"""Who took part: the runs of each contender, those that count apart from those that do not."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.results.finding_kinds import LOSING, VOIDING
from bakeoff.results.run import Durability, RunResult, Status
from bakeoff.storage.stored_runs import StoredRun
from bakeoff.text.prose import capitalised

# The factor that only numbers the two contenders of an A/A pair.
AA_FACTOR = "aa"

_WORST_FIRST = (
    Durability.NOT_DURABLE,
    Durability.NONE_PROMISED,
    Durability.UNKNOWN,
    Durability.DECLARED,
    Durability.PROVEN,
)

_NAMES = {"rest": "REST", "grpc": "gRPC"}


@dataclass(frozen=True, order=True)
class Division:
    """The properties shared by contenders that are ranked together; only the effect of the class crosses it.

    `size` orders payloads as their names state it. A message of 64 KiB is not the operation that one of 500 bytes is, a
    tuned target is not what a framework gives, and writes that a crash loses are another service.
    """

    workload: str
    target_class: str
    durability: str
    size: int
    payload: str

    def name(self, others: Collection["Division"]) -> str:
        """The properties in which it differs from the others, in words; the payload always."""
        parts = [
            (self.workload, {other.workload for other in others}),
            (f"{self.target_class} class", {other.target_class for other in others}),
            (f"durability {self.durability}", {other.durability for other in others}),
            (f"payload {self.payload}", {other.payload for other in others}),
        ]
        return ", ".join(words for words, values in parts if len(values) > 1) or f"payload {self.payload}"


@dataclass(frozen=True)
class ContenderRuns:
    """One contender's runs in the order in which they were made, and by round those that are `counted`.

    Contenders of one `division` are ranked against each other.
    """

    key: str
    all: Sequence[StoredRun]
    counted: Mapping[int, RunResult]

    @property
    def newest(self) -> RunResult:
        """The run to ask what holds for all of them: the last that counts, or else the last."""
        counted = list(self.counted.values())
        return max(counted, key=lambda run: run.started_at) if counted else self.all[-1].result

    @property
    def division(self) -> Division:
        run = self.newest
        digits = "".join(character for character in run.payload if character.isdecimal())
        size = int(digits) if digits else 0
        return Division(run.workload, run.target_class, self.durability.value, size, run.payload)

    @property
    def durability(self) -> Durability:
        """The worst label of any round; a run that does not count may have none.

        The crash that proves durability comes in one round: it stands for those whose settings and flushes only say so.
        """
        runs = [run.result for run in self.all]
        labels = [run.durability for run in runs if counts(run) or run.durability is not Durability.UNKNOWN]
        if {*labels} == {Durability.DECLARED, Durability.PROVEN}:
            return Durability.PROVEN
        return min(labels, key=_WORST_FIRST.index, default=Durability.UNKNOWN)

    @property
    def levels(self) -> dict[str, str]:
        """The level of each factor, `aa` left out; language, protocol and payload are factors too."""
        newest = self.newest
        factors = {name: level for name, level in newest.factors.items() if name not in (AA_FACTOR, "target")}
        own = {"language": newest.language, "protocol": newest.protocol, "payload": newest.payload}
        return {**factors, **own, "class": newest.target_class}

    @property
    def void_rounds(self) -> int:
        """Rounds whose runs lost or garbled a write."""
        return len({run.result.round for run in self.all if run.result.status is Status.VOID} - set(self.counted))

    @property
    def lost_in(self) -> list[int]:
        """Rounds in which the audit found data lost or wrong, made again or not."""
        return sorted({run.result.round for run in self.all if _lost_data(run.result)})


def contender_runs_of(runs: Sequence[StoredRun]) -> list[ContenderRuns]:
    """The runs of each contender and payload, in the order of their keys.

    A run counts when it came to its end and was answered. Of two that count in one round (a comparison that was
    resumed) the later one does.
    """
    grouped: dict[tuple[str, str], list[StoredRun]] = {}
    for run in runs:
        name = run.result.name
        grouped.setdefault((name, run.result.payload), []).append(run)
    shared = {name for name, _ in grouped if sum(other == name for other, _ in grouped) > 1}
    return [
        ContenderRuns(f"{name} payload={payload}" if name in shared else name, own, _counted(own))
        for (name, payload), own in sorted(grouped.items())
    ]


def _counted(runs: Sequence[StoredRun]) -> dict[int, RunResult]:
    counted = {run.result.round: run.result for run in runs if counts(run.result)}
    return dict(sorted(counted.items()))


def counts(run: RunResult) -> bool:
    """Whether a run came to its end, held its audit, and was answered."""
    return run.status is Status.COMPLETED and run.total is not None and run.total.ok > 0


def _lost_data(run: RunResult) -> bool:
    """Whether a void run lost data; without a finding of the reason it counts as lost."""
    kinds = {finding.kind for finding in run.findings}.intersection(VOIDING)
    return run.status is Status.VOID and (not kinds or not kinds.isdisjoint(LOSING))


def labels_of(contenders: Sequence[ContenderRuns]) -> dict[str, str]:
    """Labels by key: the target in two words, and all else that differs."""
    several = len({each.newest.target_class for each in contenders}) > 1
    differing = _differing(contenders)
    words = {each.key: _words(each, _names_target(each, contenders), several, differing) for each in contenders}
    ambiguous = {label for label in words.values() if sum(other == label for other in words.values()) > 1}
    return {key: key if label in ambiguous else label for key, label in words.items()}


def implementation(language: str, protocol: str) -> str:
    """Rust REST, Go gRPC."""
    return f"{capitalised(language)} {_NAMES.get(protocol, protocol)}"


def level_name(level: str, factor: str = "") -> str:
    """A level as people write it: REST, gRPC, of the factor language Rust; others as they are."""
    return capitalised(level) if factor == "language" else _NAMES.get(level, level)


def _words(contender: ContenderRuns, names_target: bool, of_several_classes: bool, differing: set[str]) -> str:
    newest = contender.newest
    target = newest.target if names_target else _title(contender)
    if not names_target and of_several_classes:
        target += f" {newest.target_class}"
    factors = {**newest.factors, "payload": newest.payload}
    levels = [f"{name.replace('_', ' ')} {factors[name]}" for name in sorted(factors) if name in differing]
    return " · ".join([target, *levels])


def _names_target(contender: ContenderRuns, contenders: Sequence[ContenderRuns]) -> bool:
    """Whether title and class are shared with another target."""
    own = contender.newest
    return any(
        (_title(other), other.newest.target_class) == (_title(contender), own.target_class)
        and other.newest.target != own.target
        for other in contenders
    )


def _title(contender: ContenderRuns) -> str:
    """The title in its manifest; language and protocol where it has none; its name where it has neither."""
    newest = contender.newest
    described = implementation(newest.language, newest.protocol) if newest.language else newest.target
    return newest.environment.get("title") or described


def _differing(contenders: Sequence[ContenderRuns]) -> set[str]:
    factors = [{**each.newest.factors, "payload": each.newest.payload} for each in contenders]
    names = {name for each in factors for name in each if name != "target"}
    return {name for name in names if len({each.get(name) for each in factors}) > 1}
