"""One run as it is asked for, and what follows from that alone."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.running.contender import Contender
from bakeoff.running.modes import Phase, planned_seconds
from bakeoff.running.warm_up import warm_up_phase
from bakeoff.storage.calibrations import Calibration
from bakeoff.workload.plan import Load, Plan, Way, compile_plan


@dataclass(frozen=True)
class RunRequest:
    """A contender's turn. `warm_up_s` 0: none, and every phase counts."""

    contender: Contender
    mode: str
    phases: Sequence[Phase]
    round: int = 1
    seed: int = 1
    warm_up_s: float = 0.0
    think_time_s: float = 0.0
    calibrations: Sequence[Calibration] = ()

    @property
    def planned_phases(self) -> list[Phase]:
        """The phases that the engine is given: the warm-up goes first."""
        warm_up = [warm_up_phase(self.phases[0], self.warm_up_s)] if self.warm_up_s else []
        return [*warm_up, *self.phases]

    @property
    def planned_s(self) -> float | None:
        """How long the phases take, or None where they are counted in iterations."""
        return planned_seconds(self.planned_phases) or None

    @property
    def way(self) -> Way:
        """How messages travel."""
        sending = self.contender.variant.sending
        return Way(self.contender.protocol, sending.batch, sending.stream, sending.window)

    @property
    def settings(self) -> dict[str, str]:
        """What the run's record says of it: the target's settings, and how the load was sent."""
        variant = self.contender.variant
        connections = "one for each user" if variant.connections is None else str(variant.connections)
        settings = {**variant.settings, "seed": str(self.seed), "connections": connections}
        if variant.sending.batch > 1:
            settings["batch"] = str(variant.sending.batch)
        if variant.sending.stream:
            settings["stream"] = f"window {variant.sending.window}"
        if self.think_time_s:
            settings["think_time"] = f"{self.think_time_s * 1000:g} ms"
        arrivals = {phase.arrivals for phase in self.phases if phase.rate_per_s is not None}
        return {**settings, **({"arrivals": arrivals.pop()} if arrivals else {})}

    @property
    def ceilings(self) -> dict[str, float]:
        """What this machine's calibrations say a run like this cannot exceed, by name."""
        variant = self.contender.variant
        like_this = (variant.engine, self.way.transport, variant.payload)
        ceilings = {}
        for calibration in self.calibrations:
            if calibration.kind == "database":
                ceilings[calibration.subject] = calibration.rate_per_s
            elif (calibration.subject, calibration.transport, calibration.payload_size) == like_this:
                ceilings["engine"] = calibration.rate_per_s
        return ceilings

    def plan(self, port: int, ledger: Path | None) -> Plan:
        """What the engine is told, for a target on this loopback port."""
        contender, way = self.contender, self.way
        return compile_plan(
            contender.workload,
            Load(
                target=contender.target.name,
                protocol=way.protocol,
                host="127.0.0.1",
                port=port,
                mode=self.mode,
                phases=[phase.planned() for phase in self.planned_phases],
                payload=contender.variant.payload,
                seed=self.seed,
                run=secrets.token_hex(4),
                batch=way.batch,
                stream=way.stream,
                window=way.window,
                connections=contender.variant.connections,
                think_time_ms=self.think_time_s * 1000,
                ledger=ledger,
            ),
        )
