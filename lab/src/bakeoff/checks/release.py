"""The packages of a release: built into dist/, and tried in a fresh environment outside the clone."""

import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from bakeoff import __version__
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.running.lock import MACHINE_LOCK_VARIABLE

_MATURIN = "maturin[zig]==1.16.0"
_GLIBC = "manylinux_2_17"
_MOST_MB = {"bakeoff-load": 60, "bakeoff": 320}
_REQUESTS = 200


def find_uv(checkout: Project) -> str:
    """The program uv: the launcher's own, or that on PATH."""
    own = checkout.state / "uv" / "bin" / "uv"
    found = str(own) if own.exists() else shutil.which("uv")
    if found is None:
        raise BakeoffError("uv is not on PATH: pip install uv.")
    return found


def build_packages(checkout: Project, uv: str, architectures: Sequence[str]) -> Iterator[Path]:
    """Builds wheels and source distributions of both packages into dist/; the wheel of the lab from its sources."""
    dist = checkout.root / "dist"
    shutil.rmtree(dist, ignore_errors=True)
    native = checkout.root / "load" / "native"
    maturin = [uv, "run", "--quiet", "--no-project", f"--with={_MATURIN}", "maturin"]
    build = [*maturin, "build", "--release", "--zig", f"--compatibility={_GLIBC}", f"--out={dist}"]
    # Its own folder: what zig has linked is not the engine that the clone builds.
    target = {"CARGO_TARGET_DIR": str(checkout.state / "release")}
    _call([*maturin, "sdist", f"--out={dist}"], native)
    for architecture in architectures:
        _call([*build, f"--target={architecture}-unknown-linux-gnu"], native, target)
    _call([uv, "build", "--quiet", f"--out-dir={dist}"], checkout.root / "lab")
    return (path for path in sorted(dist.iterdir()) if path.suffix in (".whl", ".gz"))


@contextmanager
def installed(package: str, dist: Path, uv: str) -> Iterator[Path]:
    """The folder of programs of a fresh environment outside the clone that holds one package of dist/."""
    with tempfile.TemporaryDirectory(prefix="bakeoff-release-") as folder:
        environment = Path(folder) / "venv"
        _call([uv, "venv", "--quiet", str(environment)], dist)
        python = f"--python={environment / 'bin' / 'python'}"
        _call([uv, "pip", "install", "--quiet", python, f"--find-links={dist}", f"{package}=={__version__}"], dist)
        size_mb = sum(each.lstat().st_size for each in environment.rglob("*") if each.is_file()) / 1e6
        if size_mb > _MOST_MB[package]:
            raise BakeoffError(f"{package} takes {size_mb:.0f} MB installed, more than {_MOST_MB[package]}.")
        print(f"{package} {__version__}: {size_mb:.0f} MB installed")
        yield environment / "bin"


def try_version(program: Path) -> None:
    """Raises BakeoffError where the program prints another version."""
    began = time.monotonic()
    printed = _call([str(program), "--version"], program.parent).strip()
    if printed != f"{program.name} {__version__}":
        raise BakeoffError(f"{program.name} --version printed {printed}.")
    print(f"{program.name} --version: {time.monotonic() - began:.2f} s")


def try_hit(program: Path) -> None:
    """Measures a small server of this process; raises BakeoffError where a request fails."""
    with _server() as url:
        command = [str(program), "hit", url, "--requests", str(_REQUESTS), "-u", "2", "--json"]
        # This is no measurement that another lab must wait for.
        here = {"XDG_CACHE_HOME": str(program.parents[1]), MACHINE_LOCK_VARIABLE: str(program.parents[1] / "lock")}
        result = json.loads(_call(command, program.parent, here))
    if (good := result["ok"]) != _REQUESTS:
        raise BakeoffError(f"{program.name} hit had {good} good replies of {_REQUESTS}.")
    print(f"{program.name} hit: {good} good replies of {_REQUESTS}")


class _Hello(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def _server() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Hello) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()
            serving.join()


def _call(command: Sequence[str], directory: Path, environment: Mapping[str, str] = {}) -> str:
    """The standard output of a command that must succeed; it knows of no project, as on a newcomer's machine."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("BAKEOFF_")}
    done = subprocess.run(
        command, cwd=directory, env={**inherited, **environment}, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        last = "\n".join(done.stderr.splitlines()[-15:])
        raise BakeoffError(f"{' '.join(command)} ended with status {done.returncode}:\n{last}")
    return done.stdout
