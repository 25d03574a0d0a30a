"""Bytes that real programs allocate, as their runtimes count them."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bakeoff.profiling.allocations import Allocations, UncountedError, allocated_in, variables_for

# A line makes it allocate a megabyte more, and is answered.
NODE = """
const lines = require('node:readline').createInterface({ input: process.stdin })
let kept = 0
lines.on('line', () => {
  for (let each = 0; each < 100; each++) kept += new Array(1250).fill(each).length
  console.log(kept)
})
"""
JAVA = """
import java.io.*;
class Allocating {
    static byte[] kept;
    public static void main(String[] arguments) throws IOException {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        while (lines.readLine() != null) {
            for (int each = 0; each < 100; each++) kept = new byte[10_000];
            System.out.println(kept.length);
        }
    }
}
"""
GO = """
package main

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	_ "net/http/pprof"
	"os"
)

var kept []byte

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go http.Serve(listener, nil)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		for each := 0; each < 100; each++ {
			kept = make([]byte, 10_000)
		}
		fmt.Println(len(kept))
	}
}
"""
MEGABYTES = 50


@contextmanager
def started(folder: Path, *command: str | Path, **variables: str) -> Iterator["subprocess.Popen[str]"]:
    """A program of which allocations are counted, once it has answered a line."""
    environment = {**os.environ, **variables_for(folder), **variables}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        try:
            allocate(process, 1)
            yield process
        finally:
            process.kill()


def allocate(process: "subprocess.Popen[str]", megabytes: int) -> None:
    assert process.stdin is not None and process.stdout is not None
    for _ in range(megabytes):
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline().strip()


def counted(folder: Path, process: "subprocess.Popen[str]") -> int | None:
    allocations = Allocations(folder)
    allocations.start(process.pid)
    allocate(process, MEGABYTES)
    return allocations.stop()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")
def test_node_counts_what_its_heap_allocates(tmp_path: Path) -> None:
    with started(tmp_path, "node", "-e", NODE) as process:
        found = counted(tmp_path, process)
    # Samples estimate it.
    assert found == pytest.approx(MEGABYTES * 1e6, rel=0.25)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")
def test_a_node_that_does_not_load_the_counter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bakeoff.profiling.allocations._NODE_STARTS_WITHIN_S", 0.2)
    with (
        started(tmp_path, "node", "-e", NODE, NODE_OPTIONS="") as process,
        pytest.raises(UncountedError, match="keep NODE_OPTIONS"),
    ):
        Allocations(tmp_path).start(process.pid)


@pytest.mark.skipif(shutil.which("javac") is None, reason="javac is not on PATH")
def test_a_jvm_counts_the_bytes_of_its_threads(tmp_path: Path) -> None:
    (tmp_path / "Allocating.java").write_text(JAVA)
    subprocess.run(["javac", "Allocating.java"], cwd=tmp_path, check=True, capture_output=True)
    with started(tmp_path, "java", "-cp", tmp_path, "Allocating") as process:
        found = counted(tmp_path, process)
    # The recorder itself allocates some.
    assert found == pytest.approx(MEGABYTES * 1e6, rel=0.3)


@pytest.mark.skipif(shutil.which("javac") is None, reason="javac is not on PATH")
def test_a_jvm_that_cannot_be_asked(tmp_path: Path) -> None:
    (tmp_path / "Allocating.java").write_text(JAVA)
    subprocess.run(["javac", "Allocating.java"], cwd=tmp_path, check=True, capture_output=True)
    closed = "-XX:+DisableAttachMechanism"
    with (
        started(tmp_path, "java", closed, "-cp", tmp_path, "Allocating") as process,
        pytest.raises(UncountedError, match="Flight Recorder could not be used"),
    ):
        Allocations(tmp_path).start(process.pid)


@pytest.mark.skipif(shutil.which("go") is None, reason="go is not on PATH")
@pytest.mark.parametrize("serves", [True, False])
def test_go_reports_its_total_where_it_serves_profiles(tmp_path: Path, serves: bool) -> None:
    text = GO if serves else GO.replace('\t_ "net/http/pprof"\n', "")
    (tmp_path / "main.go").write_text(text)
    subprocess.run(["go", "build", "-o", "allocating", "main.go"], cwd=tmp_path, check=True, capture_output=True)
    with started(tmp_path, tmp_path / "allocating") as process:
        if serves:
            assert counted(tmp_path, process) == pytest.approx(MEGABYTES * 1e6, rel=0.3)
            return
        with pytest.raises(UncountedError, match='imports _ "net/http/pprof"'):
            Allocations(tmp_path).start(process.pid)


def test_a_runtime_that_counts_nothing(tmp_path: Path) -> None:
    with started(tmp_path, "sh", "-c", "while read -r line; do echo done; done") as process:
        assert counted(tmp_path, process) is None


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not on PATH")
def test_a_jvm_and_node_in_containers_are_not_counted(tmp_path: Path) -> None:
    with (
        started(tmp_path, "node", "-e", NODE) as process,
        pytest.raises(UncountedError, match="not in containers"),
    ):
        Allocations(tmp_path).start(process.pid, in_container=True)


def event(thread: int, second: int, allocated: int) -> dict[str, object]:
    started_at = f"2026-11-26T15:20:{second:02}.5Z"
    return {"values": {"startTime": started_at, "allocated": allocated, "thread": {"javaThreadId": thread}}}


def test_threads_that_start_or_end_while_they_are_counted() -> None:
    there, ended, began = [event(1, 1, 100), event(1, 9, 150)], [event(2, 1, 70)], [event(3, 9, 30)]
    recording = json.dumps({"recording": {"events": [*began, *there, *ended]}})
    assert allocated_in(recording) == 50 + 30
