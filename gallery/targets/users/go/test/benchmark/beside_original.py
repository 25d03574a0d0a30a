"""This service beside the public one that the document describes: `beside_original.py CHECKOUT [ROUNDS]`.

CHECKOUT is a clone of github.com/HuynhNhatKhanh/grpc-user-service; docs/RESULTS.md has the figures of its commit
a7a1601. Both are measured by their own Go benchmarks, in interleaved rounds, with two CPUs, one caller for each, and
as many calls of every operation. A copy of the other one's benchmarks is changed to read the bodies of replies, as
these do. Its service writes a log line for each call and this one does not, so that it is measured with its log and
without. This service's gateway is measured with a loopback connection, as the other one has, and with direct calls.

Three differences stay. The other one's DeleteUser also creates the user by a call; it is compared with this service's
create and delete together. Its create and update look at each user there is. Its benchmarks begin with at most 50
users, these with a thousand.

    .bakeoff/venv/bin/python gallery/targets/users/go/test/benchmark/beside_original.py ../grpc-user-service 5
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping
from importlib import resources
from pathlib import Path
from typing import TypeAlias

from grpc_tools import protoc

_HERE = Path(__file__).resolve().parent
_MODULE = _HERE.parents[1]
_CONTRACT = _HERE.parents[4] / "contract/users"
_PLUGINS = ("protoc-gen-go", "protoc-gen-go-grpc", "protoc-gen-grpc-gateway")
_CALLS = 20_000
_ATTEMPTS = 5
_LOGGED, _ORIGINAL, _LOOPBACK, _DIRECT = "original with its log", "original without", "loopback", "direct"
# The gateway of the other service has a loopback connection.
_OURS = (_LOOPBACK, _DIRECT)
# Only the lowest level of this service's benchmarks has as many callers as the other one's.
_CHOSEN = {
    _LOGGED: "Benchmark(GRPC|REST)_",
    _ORIGINAL: "Benchmark(GRPC|REST)_",
    _LOOPBACK: "Benchmark(GRPC|REST)_.*/callers=1xCPU",
    _DIRECT: "BenchmarkREST_.*/callers=1xCPU",
}
_LINE = re.compile(
    r"^Benchmark(?P<protocol>GRPC|REST)_(?P<operation>[A-Za-z]+)\S*\s+\d+\s+(?P<ns>[\d.]+) ns/op",
    re.M,
)
# How many times as fast an operation must be.
_GOALS = {"GetUser": 1.0, "UpdateUser": 1.0}
_GOAL, _REST_GOAL = 2.0, 1.5

_Figures: TypeAlias = Mapping[tuple[str, str], float]


def main() -> None:
    """Prints nanoseconds of each operation and how many times as fast this service is."""
    if not 2 <= len(sys.argv) <= 3 or not (Path(sys.argv[1]) / "test/benchmark").is_dir():
        sys.exit("error: the first argument must be a clone of github.com/HuynhNhatKhanh/grpc-user-service")
    rounds = int(sys.argv[2]) if len(sys.argv) == 3 else 5
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "copy"
        shutil.copytree(sys.argv[1], copy, ignore=shutil.ignore_patterns(".git"))
        _generate(copy)
        _read_bodies(copy)
        tests = {_LOGGED: _build(copy, Path(folder) / "logged")}
        _discard_logs(copy)
        tests[_ORIGINAL] = _build(copy, Path(folder) / "original")
        tests |= dict.fromkeys(_OURS, _build(_MODULE, Path(folder) / "ours"))
        measured: dict[str, list[_Figures]] = {side: [] for side in _CHOSEN}
        for number in range(rounds):
            for side in list(_CHOSEN)[:: -1 if number % 2 else 1]:
                measured[side].append(_measure(tests[side], side, Path(folder)))
                print(f"round {number + 1}, {side}", file=sys.stderr, flush=True)
    print("\n".join(_table(measured)))


def _generate(copy: Path) -> None:
    """The other service's generated code, which it does not keep."""
    plugins = copy / "plugins"
    plugins.mkdir()
    subprocess.run(["go", "build", f"-o={plugins}/", *_tools(copy)], cwd=copy, check=True)
    generated = copy / "api/gen/go/user"
    generated.mkdir(parents=True, exist_ok=True)
    made = [f"--{plugin.removeprefix('protoc-gen-')}_out=paths=source_relative:{generated}" for plugin in _PLUGINS]
    found = [f"--plugin={plugins / plugin}" for plugin in _PLUGINS]
    known = [
        f"--proto_path={path}" for path in (copy / "api/proto", _CONTRACT, resources.files("grpc_tools") / "_proto")
    ]
    if protoc.main(["protoc", *known, *found, *made, str(copy / "api/proto/user.proto")]) != 0:
        sys.exit("error: protoc could not generate the code of the other service")


def _read_bodies(copy: Path) -> None:
    closed = "\t_ = resp.Body.Close()\n"
    changes = {closed: f"\t_, _ = io.Copy(io.Discard, resp.Body)\n{closed}", '\t"fmt"\n': '\t"fmt"\n\t"io"\n'}
    _change(copy / "test/benchmark/rest_benchmark_test.go", changes)


def _discard_logs(copy: Path) -> None:
    for path in (copy / "test/benchmark").glob("*_test.go"):
        _change(path, {"zaptest.NewLogger(b)": "zap.NewNop()", "zap/zaptest": "zap"})


def _change(path: Path, changes: Mapping[str, str]) -> None:
    """Replaces texts that must be there: another commit would be measured as it is, unnoticed."""
    source = path.read_text()
    for before, after in changes.items():
        if before not in source:
            sys.exit(f"error: {path.name} of the other service has no {before.strip()}; take commit a7a1601")
        source = source.replace(before, after)
    path.write_text(source)


def _tools(module: Path) -> list[str]:
    """The packages of the plugins, which its go.mod pins."""
    lines = subprocess.run(["go", "list", "tool"], cwd=module, check=True, capture_output=True, text=True).stdout
    return [line for line in lines.split() if line.rsplit("/", 1)[1] in _PLUGINS]


def _build(module: Path, binary: Path) -> Path:
    subprocess.run(["go", "test", "-c", "-o", binary, "./test/benchmark"], cwd=module, check=True)
    return binary


def _measure(binary: Path, side: str, folder: Path) -> _Figures:
    """Nanoseconds of each operation of a protocol, by one run of a side's benchmarks.

    The other service's benchmarks name users by the clock, so that two callers seldom choose the same e-mail, which is
    an error: then they run once more.
    """
    chosen = [f"-test.bench={_CHOSEN[side]}", f"-test.benchtime={_CALLS}x", "-test.cpu=2", "-test.run=^$"]
    for _ in range(_ATTEMPTS):
        environment = {**os.environ, "GATEWAY": side if side in _OURS else ""}
        done = subprocess.run([binary, *chosen], cwd=folder, env=environment, capture_output=True, text=True)
        if done.returncode == 0:
            return {(line["protocol"], line["operation"]): float(line["ns"]) for line in _LINE.finditer(done.stdout)}
    sys.exit(f"error: the benchmarks of {side} failed {_ATTEMPTS} times:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def _table(measured: Mapping[str, list[_Figures]]) -> Iterable[str]:
    yield f"| {_CALLS:,} calls, 2 callers | ours, ns | {_LOGGED}, ns | times | {_ORIGINAL}, ns | times | goal |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for side in _OURS:
        for protocol, operation in measured[side][0]:
            ours = [_ours(each, protocol, operation) for each in measured[side]]
            name = f"{protocol} {operation}" + (f", {side}" if protocol == "REST" else "")
            cells = [name, f"{statistics.median(ours):,.0f}"]
            for other in (_LOGGED, _ORIGINAL):
                theirs = [each[protocol, operation] for each in measured[other]]
                ratios = [other_ns / own_ns for other_ns, own_ns in zip(theirs, ours, strict=True)]
                range_of_rounds = f"{min(ratios):.2f}–{max(ratios):.2f}"
                cells += [f"{statistics.median(theirs):,.0f}", f"{statistics.median(ratios):.2f} ({range_of_rounds})"]
            goal = _REST_GOAL if protocol == "REST" else _GOALS.get(operation, _GOAL)
            yield f"| {' | '.join(cells)} | {goal:g} |"


def _ours(figures: _Figures, protocol: str, operation: str) -> float:
    """The other service's delete is a create and a delete."""
    return figures[protocol, operation] + (figures[protocol, "CreateUser"] if operation == "DeleteUser" else 0)


if __name__ == "__main__":
    main()
