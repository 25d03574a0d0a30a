"""Compares the engine with other load generators, in rounds: `python3 compare --help`."""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from figures import Measured
from load import Load
from null_server import NullServer, null_server
from report import Runs, table
from scenarios import SCENARIOS, STALLED_SHARE, Scenario
from tools import RATE, TOOLS, Tool

ENGINE = Path(__file__).resolve().parents[1] / "target" / "release" / "bakeoff-load"
CONNECTIONS = 64
TIMEOUT_S = 30


def main() -> None:
    """Runs everything and prints a table for each scenario."""
    options = _options()
    if not ENGINE.exists():
        sys.exit(f"error: there is no {ENGINE}: build it with `cargo build --release` in load/native")
    programs = _programs()
    print(f"{CONNECTIONS} connections, {options.rounds} rounds of {options.seconds} s, {os.cpu_count()} cores,")
    print(f"load average {os.getloadavg()[0]:.2f} before the first round; medians, and lowest to highest in brackets\n")
    for scenario in SCENARIOS:
        runs = _measure(scenario, programs, options)
        print("\n".join(table(scenario, runs, options.seconds)), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="compare", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="rounds (3)")
    parser.add_argument("--seconds", type=int, default=3, help="seconds of each run (3)")
    parser.add_argument("--rate", type=int, default=2000, help="the constant rate, requests a second (2000)")
    return parser.parse_args()


def _programs() -> dict[str, str]:
    """Where each tool is; those that are missing are named with a line."""
    programs = {"native": str(ENGINE)}
    for tool in TOOLS:
        found = programs.get(tool.name) or shutil.which(tool.program)
        if found is None:
            print(f"{tool.program}: not on the PATH, left out")
            continue
        programs[tool.name] = found
        output = subprocess.run([found, *tool.version], capture_output=True, text=True, check=False)
        print(f"{tool.program}: {(output.stdout + output.stderr).strip().splitlines()[0]}")
    return programs


def _measure(scenario: Scenario, programs: Mapping[str, str], options: argparse.Namespace) -> Runs:
    able = [tool for tool in TOOLS if tool.name in programs and (scenario.protocol, scenario.model) in tool.loads]
    rate = options.rate if scenario.model == RATE else None
    runs: dict[str, list[Measured]] = defaultdict(list)
    for _ in range(options.rounds):
        for tool in able:
            with null_server(ENGINE, scenario.server) as server, tempfile.TemporaryDirectory() as folder:
                load = Load(scenario.protocol, server.port, CONNECTIONS, options.seconds, rate, Path(folder))
                measured = _run(tool, programs[tool.name], load, server if scenario.stalls else None)
            runs[tool.name].append(measured)
    return runs


def _run(tool: Tool, program: str, load: Load, stalling: NullServer | None) -> Measured:
    """One run of a tool; the kernel reports its CPU time."""
    output, errors = load.folder / "output", load.folder / "errors"
    before = os.times()
    with output.open("w") as out, errors.open("w") as err:
        process = subprocess.Popen([program, *tool.command(load)], stdout=out, stderr=err)
        stall = None if stalling is None else stalling.stall(load.seconds / 2, STALLED_SHARE * load.seconds)
        process.wait(load.seconds + TIMEOUT_S)
    after = os.times()
    if stall is not None:
        stall.join()
    if process.returncode != 0:
        sys.exit(f"error: {tool.name} ended with status {process.returncode}:\n{errors.read_text()[-2000:]}")
    figures = tool.read(output.read_text(), load)
    cpu_s = after.children_user + after.children_system - before.children_user - before.children_system
    return Measured(figures, cpu_s * 1e6 / max(1, figures.requests))


main()
