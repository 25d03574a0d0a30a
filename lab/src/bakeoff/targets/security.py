"""Configures a target for TLS and a token: the lab's own certificate, and a random token."""

from dataclasses import dataclass, field

from bakeoff.targets.access import Access
from bakeoff.targets.certificate import Certificate
from bakeoff.targets.manifest import Target
from bakeoff.workload.plan import Tls

TLS_SETTING = "tls_cert_file"
"""The setting that makes a target speak TLS, together with that of its key."""


@dataclass(frozen=True)
class Secured:
    """How a target is to be secured; nothing by default. The token is nowhere stored."""

    certificate: Certificate | None = None
    token: str | None = field(default=None, repr=False)

    def variables_of(self, target: Target) -> dict[str, str]:
        settings = {}
        if self.certificate is not None:
            settings[TLS_SETTING] = str(self.certificate.certificate)
            settings["tls_key_file"] = str(self.certificate.key)
        if self.token is not None:
            settings["api_token"] = self.token
        return {target.setting_variable(name): value for name, value in settings.items()}

    def access(self, host: str, port: int) -> Access:
        tls = None if self.certificate is None else Tls(ca_file=self.certificate.authority)
        return Access(host, port, tls, self.token)
