"""The request for one run, and what follows from it alone."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.options.kinds import agents_in
from bakeoff.options.option import changed, plan_members
from bakeoff.options.table import KUBERNETES, EveryRunTable, FactorTable
from bakeoff.running.contender import Contender
from bakeoff.running.modes import EQUAL, Phase, planned_seconds
from bakeoff.running.phase_plan import PlannedStep, Settling, crash_step, steps_of
from bakeoff.running.warm_up import FEATURE
from bakeoff.storage.calibrations import Calibration
from bakeoff.targets.access import Access
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan
from bakeoff.workload.reach import reaching_all
from bakeoff.workload.transport_mode import TransportMode


@dataclass(frozen=True)
class RunRequest:
    """A contender's turn. `level_order` are the indices of its phases as they are measured; empty: as declared.

    `attached` is how a target that the lab does not start is reached. `in_slices`: the run takes turns with others,
    second by second. `crashes`: database and target are killed after its last window.
    """

    contender: Contender
    mode: str
    phases: Sequence[Phase]
    round: int = 1
    settling: Settling = field(default_factory=Settling)
    level_order: Sequence[int] = ()
    options: EveryRunTable = field(default_factory=EveryRunTable)
    calibrations: Sequence[Calibration] = ()
    attached: Access | None = None
    in_slices: bool = False
    crashes: bool = False

    @property
    def agents(self) -> int:
        """Engines that divide the users among them: not more than there are users, of whom a smoke run has one."""
        return min(agents_in(self.contender.variant.agents), *(phase.virtual_users for phase in self.phases))

    @property
    def steps(self) -> list[PlannedStep]:
        """The phases that the engine is given: each level after the time in which it settles."""
        # A rate is steady from its first second on, whatever latency does; and all contenders do the same work.
        can = self.contender.engine.can(FEATURE) and self.mode != EQUAL
        settling = self.settling.before(self.warm_up_s)
        steps = steps_of(self.phases, self.level_order, settling, can_end_when_steady=can, in_slices=self.in_slices)
        return [*steps, crash_step(self.phases)] if self.crashes else steps

    @property
    def warm_up_s(self) -> float:
        """How long the target states that it warms up; 0 where it does not."""
        return self.contender.target.manifest.warm_up_s

    @property
    def planned_s(self) -> float | None:
        """How long the phases take at the most, or None where they are counted in iterations."""
        return planned_seconds([step.phase for step in self.steps if not step.crashes]) or None

    @property
    def seeded(self) -> int | None:
        """How many rows the workload's seed stores before the run; None for a workload without one."""
        seed = self.contender.workload.declared.seed
        return None if seed is None else self.contender.variant.preload or seed.rows_in(self.mode)

    @property
    def transport(self) -> TransportMode:
        return self.contender.variant.transport.over(self.contender.protocol)

    @property
    def is_encrypted(self) -> bool:
        return self.contender.variant.tls if self.attached is None else self.attached.tls is not None

    @property
    def settings(self) -> dict[str, str]:
        """The target's settings and the options that are not the default, for the run's record."""
        variant = self.contender.variant
        connections = "one for each user" if variant.connections is None else str(variant.connections)
        settings = {**variant.settings, "seed": str(self.options.seed), **variant.differences_from_default()}
        settings = {**settings, "connections": connections, **changed(self.options, EveryRunTable)}
        if self.is_encrypted:
            settings["tls"] = "on"
        if self.seeded is not None:
            settings["preload"] = str(self.seeded)
        settings.pop("agents", None)
        if self.agents > 1:
            settings["agents"] = str(self.agents)
        if isinstance(variant.agents, str):
            settings["agents_on"] = variant.agents
        arrivals = {phase.arrivals for phase in self.phases if phase.rate_per_s is not None}
        return {**settings, **({"arrivals": arrivals.pop()} if arrivals else {})}

    def ceilings(self, engine_version: str) -> dict[str, float]:
        """Rates that a run like this cannot exceed, from this machine's calibrations, by name; the last counts.

        `engine_version` is what the engine reports of itself. A ceiling of another build of it does not count.
        """
        ceilings = {}
        for calibration in self.calibrations:
            if calibration.kind == "database":
                ceilings[calibration.subject] = calibration.rate_per_s
            elif self._limits(calibration, engine_version):
                ceilings["engine"] = calibration.rate_per_s
        return ceilings

    def _limits(self, calibration: Calibration, engine_version: str) -> bool:
        """Whether it measured the engine of this run on this machine, with the same messages."""
        contender, variant = self.contender, self.contender.variant
        is_elsewhere = isinstance(variant.agents, str) or variant.runs_in == KUBERNETES
        # A null server is measured over HTTP/1.1 without compression.
        if is_elsewhere or variant.http_version != "1.1" or variant.gzip:
            return False
        engine = (contender.engine.name, contender.engine.build_version(engine_version))
        measured = (calibration.transport, calibration.payload_size, calibration.tls)
        load = (self.transport.stored, variant.payload, self.is_encrypted)
        return engine == (calibration.subject, calibration.subject_version) and load == measured

    def plan(self, access: Access, ledger: Path | None) -> Plan:
        contender, mode, variant = self.contender, self.transport, self.contender.variant
        plan = compile_plan(
            contender.workload,
            Load(
                target=contender.target.name,
                protocol=mode.protocol,
                host=access.host,
                port=access.port,
                mode=self.mode,
                phases=[step.planned() for step in self.steps],
                run=secrets.token_hex(4),
                batch=mode.batch,
                stream=mode.stream,
                window=mode.window,
                tls=access.tls,
                headers=access.headers,
                reuse=variant.reuse,
                ledger=ledger,
                seeded=self.seeded,
                **plan_members(variant, FactorTable),
                **plan_members(self.options, EveryRunTable),
            ),
        )
        return reaching_all(plan) if self.mode == "smoke" and len(plan.phases) == 1 else plan
