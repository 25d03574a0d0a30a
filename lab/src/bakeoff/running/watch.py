"""Samples what each role of a run uses, and the gauges that targets show, while the run goes on."""

import contextlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.results.cost import Sample
from bakeoff.results.run import ROLES
from bakeoff.running.measured_records import Pauses, gauge_without, samples_without
from bakeoff.running.observation import Observation
from bakeoff.sampling.cost import cpu_percent_within, latest_cpu_percent
from bakeoff.sampling.gauges import GaugeEndpoint, GaugeReadings, GaugeReads, GaugeWatch
from bakeoff.sampling.sampler import Sampler


@dataclass(frozen=True)
class Watched:
    """Samples of roles, of each process of a target of several, and readings of gauges by name.

    `gauge_reads` is how reading the gauges of each process went.
    """

    samples: Sequence[Sample] = ()
    processes: Mapping[str, Sequence[Sample]] = field(default_factory=dict)
    gauges: Mapping[str, GaugeReadings] = field(default_factory=dict)
    gauge_reads: Sequence[GaugeReads] = ()

    def without(self, pauses: Pauses) -> "Watched":
        return Watched(
            samples_without(pauses, self.samples),
            {name: samples_without(pauses, each) for name, each in self.processes.items()},
            {name: gauge_without(pauses, each) for name, each in self.gauges.items()},
            self.gauge_reads,
        )

    def waiting_cpu_percent(self, role: str, pauses: Pauses) -> float | None:
        """CPU of a role in the pauses, per cent of one core; None where there were none."""
        return cpu_percent_within(self.samples, role, pauses.spans)


class Watch(contextlib.ExitStack):
    """Watches from entry to exit, and leaves out the moments in which that is not `wanted`."""

    def __init__(self, observed: Observation, gauges: Sequence[GaugeEndpoint], wanted: Callable[[], bool]) -> None:
        super().__init__()
        self._sampler = Sampler(observed.sources, observed.processes, wanted)
        self._gauges = GaugeWatch(gauges, wanted=wanted)

    def __enter__(self) -> "Watch":
        self.enter_context(self._sampler)
        self.enter_context(self._gauges)
        return self

    def sample(self) -> None:
        self._sampler.sample()

    @property
    def watched(self) -> Watched:
        return Watched(self._sampler.samples, self._sampler.processes, self._gauges.readings, self._gauges.reads)

    @property
    def latest_cpu_percent(self) -> dict[str, float]:
        """Recent CPU of each role, per cent of one core."""
        return latest_cpu_percent(self._sampler.samples)

    @property
    def own_cpu_s(self) -> float:
        """CPU time that watching has taken the lab."""
        return self._sampler.own_cpu_s + self._gauges.own_cpu_s

    def cpu_s(self, expected: Collection[str]) -> float | None:
        """CPU time of all roles together while they were sampled, or None where an expected one could not be."""
        own = {role: [each.cpu_s for each in self._sampler.samples if each.role == role] for role in ROLES}
        if not all(own[role] for role in expected):
            return None
        return sum(seconds[-1] - seconds[0] for seconds in own.values() if seconds)
