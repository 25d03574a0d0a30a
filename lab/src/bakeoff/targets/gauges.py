"""The gauges that a target's processes show as Prometheus text: what is declared, and where it is read."""

from collections.abc import Collection, Mapping
from dataclasses import replace

import msgspec

from bakeoff.sampling.gauges import GaugeEndpoint, NamedGauge
from bakeoff.targets.access import Access


class GaugeTable(msgspec.Struct, frozen=True):
    label: str
    unit: str


class GaugesTable(msgspec.Struct, frozen=True):
    """Where a process shows gauges, and those that the lab reads, by their names there.

    `port` is the NAME of a {port.NAME}; where it is empty the target's own process shows them on the target's port.
    """

    path: str
    names: Mapping[str, GaugeTable]
    port: str = ""

    def problem(self, protocol: str, texts: Collection[str]) -> tuple[str, str] | None:
        """The key that is wrong and why, or None. `texts` are commands and variables in which ports are named."""
        if not self.port and protocol != "rest":
            why = f"the lab reads gauges over HTTP, and the target's own port serves {protocol}. "
            return "path", f'{why}Show them on another port, {{port.NAME}}, and name it: port = "NAME".'
        if self.port and not any(f"{{port.{self.port}}}" in text for text in texts):
            why = f"no command and no variable of this file has {{port.{self.port}}}, "
            return "port", f"{why}so that no process can listen there. Give it to the process that shows the gauges."
        labels = [gauge.label for gauge in self.names.values()]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            return "names", f'two gauges have the label "{twice}". Reports could not distinguish them: rename one.'
        return None

    def endpoint(self, process: str, access: Access, prefix: str = "") -> GaugeEndpoint:
        """The endpoint of a process with this access; `prefix` precedes each label in the record."""
        return GaugeEndpoint(
            process=process,
            host=access.host,
            port=access.port,
            path=self.path,
            gauges={name: NamedGauge(f"{prefix}{gauge.label}", gauge.unit) for name, gauge in self.names.items()},
            tls=access.ssl_context(),
            headers=access.headers,
        )


def on_port(access: Access, port: int) -> Access:
    """The access to another port of the target: in plain text."""
    return replace(access, port=port, tls=None)
