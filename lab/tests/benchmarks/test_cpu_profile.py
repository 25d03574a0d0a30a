"""Packages of functions, by their symbols."""

import importlib
from types import ModuleType

import pytest

from bakeoff.errors import BakeoffError
from bakeoff.project import Project

SAMPLES = """
 tokio-rt-worker      55d0c0ffee <hyper::proto::Conn<I> as core::future::Future>::poll (/opt/bin/api)
 C2 CompilerThre      7f36fc65 PhaseChaitin::Split (/lib/libjvm.so)
 api                    55c0de github.com/gin-gonic/gin.(*Engine).ServeHTTP (/opt/bin/api (deleted))
 api              ffffffffa10 entry_SYSCALL_64 ([kernel.kallsyms])
 api              ffffffffa10 entry_SYSCALL_64 ([kernel.kallsyms])
"""


@pytest.fixture(scope="module")
def cpu_profile(clone: Project) -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(clone.root / "lab" / "benchmarks")
        return importlib.import_module("cpu_profile")


@pytest.mark.parametrize(
    ("thread", "symbol", "file", "package"),
    [
        ("worker", "<sqlx_core::pool::Pool<DB>>::acquire", "/bin/api", "sqlx_core"),
        ("worker", "<hyper::proto::Conn<I> as core::future::Future>::poll", "/bin/api", "hyper"),
        ("worker", "core::ptr::drop_in_place<axum::Router>", "/bin/api", "std"),
        ("api", "github.com/gin-gonic/gin.(*Engine).ServeHTTP", "/bin/api", "github.com/gin-gonic/gin"),
        ("api", "github.com/jackc/pgx/v5/pgxpool.(*Pool).Acquire", "/bin/api", "github.com/jackc/pgx"),
        ("api", "encoding/json.(*decodeState).object", "/bin/api", "encoding/json"),
        ("api", "runtime.mallocgc", "/bin/api", "runtime"),
        ("http", "void org.springframework.web.Handler.handle(Exchange)", "perf-1.map", "org.springframework.web"),
        ("http", "Interpreter", "perf-1.map", "JVM's stubs and interpreter"),
        ("C2 CompilerThre", "PhaseChaitin::Split", "/lib/libjvm.so", "libjvm.so: C2 CompilerThre"),
        ("GC Thread#0", "[unknown]", "/lib/libjvm.so", "libjvm.so: GC Thread"),
        ("api", "entry_SYSCALL_64", "[kernel.kallsyms]", "kernel"),
        ("api", "__memmove_avx", "/lib/libc.so.6", "libc.so.6"),
        ("api", "[unknown]", "/bin/api", "C and unnamed"),
    ],
)
def test_a_function_has_a_package(cpu_profile: ModuleType, thread: str, symbol: str, file: str, package: str) -> None:
    assert cpu_profile.package_of(thread, symbol, file) == package


def test_each_sample_counts_for_its_package(cpu_profile: ModuleType) -> None:
    counts = {"hyper": 1, "libjvm.so: C2 CompilerThre": 1, "github.com/gin-gonic/gin": 1, "kernel": 2}
    assert cpu_profile.packages_in(SAMPLES) == counts


def test_a_line_that_is_no_sample_is_not_left_out(cpu_profile: ModuleType) -> None:
    with pytest.raises(BakeoffError, match="no sample: WARNING"):
        cpu_profile.packages_in("WARNING: Kernel address maps are restricted")
