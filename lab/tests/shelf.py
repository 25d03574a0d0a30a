"""The shelf: a small service of tests' own, which makes its own table, in a checkout of its own."""

import shlex
import shutil
import sys
from pathlib import Path

from bakeoff.project import Project
from bakeoff.targets.manifest import Target, find_targets

SHELF = Path(__file__).parent / "projects" / "shelf"
SEEDS = 3
"""Books that `migrate` stores."""

MIGRATE = f"{shlex.quote(sys.executable)} shelf_api.py migrate"


def add_shelf(checkout: Project, storage: str, store: str = "", fault: str = "") -> Target:
    """Adds the workload and the target with this [storage] table; `store` is its argument.

    Without `store` it is the one that the lab makes for a run.
    """
    store = store or ("{state}/books.db" if '"files"' in storage else "{database_url}")
    folder = checkout.root / "targets" / "shelf"
    shutil.copytree(SHELF, folder, dirs_exist_ok=True)
    shutil.copytree(SHELF, checkout.root / "contract" / "shelf", dirs_exist_ok=True)
    (checkout.root / "contract" / "shelf" / "target.toml").unlink()
    text = (SHELF / "target.toml").read_text("utf-8")
    for name, value in {"python": sys.executable, "store": store, "fault": fault}.items():
        text = text.replace(f"{{{name}}}", value)
    (folder / "target.toml").write_text(text + storage, "utf-8")
    (target,) = find_targets(checkout)
    return target


def postgresql(command: str = f'{MIGRATE} "$DATABASE_URL"') -> str:
    return f"kind = \"postgresql\"\nprepare = '''{command}'''\n"


def files(command: str = f'{MIGRATE} "{{state}}/books.db"') -> str:
    return f"kind = \"files\"\nprepare = '''{command}'''\n"
