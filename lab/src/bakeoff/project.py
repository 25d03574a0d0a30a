"""Where things lie in a checkout."""

import os
from dataclasses import dataclass
from pathlib import Path

from bakeoff.errors import BakeoffError


@dataclass(frozen=True)
class Project:
    """The folders of one checkout. All that a run makes lies in `state` and `results`."""

    root: Path

    @property
    def contract(self) -> Path:
        return self.root / "contract"

    @property
    def targets(self) -> Path:
        return self.root / "targets"

    @property
    def engines(self) -> Path:
        return self.root / "load"

    @property
    def results(self) -> Path:
        """Files of each run: BAKEOFF_RESULTS, or `results/`."""
        return Path(os.environ.get("BAKEOFF_RESULTS") or self.root / "results").absolute()

    @property
    def state(self) -> Path:
        return self.root / ".bakeoff"

    @property
    def bin(self) -> Path:
        """Programs that the lab installs for itself."""
        return self.state / "bin"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    def relative(self, path: Path) -> str:
        """A path as a person in the checkout would write it."""
        return str(path.relative_to(self.root)) if path.is_relative_to(self.root) else str(path)


def find_project() -> Project:
    """The checkout that this installed package belongs to."""
    root = Path(__file__).resolve().parents[3]
    if not (root / "contract").is_dir():
        raise BakeoffError(
            f"{root} is not a bakeoff checkout: it has no contract folder. Start ./bakeoff from a full clone."
        )
    return Project(root)
