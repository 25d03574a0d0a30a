"""`bakeoff run`."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TextIO

import typer

from bakeoff.cli.cpu_profiles import write_profile
from bakeoff.cli.metric_outputs import require_otlp, send_otlp, write_prometheus
from bakeoff.cli.output import print_json, say
from bakeoff.cli.progress_display import shown
from bakeoff.cli.run.request import RunOptions, refuse_beside_resume, request_of, requests_of
from bakeoff.comparing.capacity_lines import capacity_lines, ratio_lines
from bakeoff.comparing.comparison import compare, resume
from bakeoff.comparing.cpu_profiles import two_contenders
from bakeoff.comparing.rate_search import find_capacities
from bakeoff.comparing.recorder import Comparison
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Judgement
from bakeoff.judging.slo import parse_slo
from bakeoff.postgres.databases import metrics_database
from bakeoff.postgres.server import DatabaseUnreachableError
from bakeoff.project import COMMAND, Project, find_project, path_here
from bakeoff.reporting.count_tables import count_tables
from bakeoff.reporting.equal_loads import equal_load_tables
from bakeoff.reporting.grouped_findings import groups_of
from bakeoff.reporting.metrics.phases import phases_of
from bakeoff.reporting.numbers import plural
from bakeoff.reporting.reasons import NO_REASONS, Reasons
from bakeoff.reporting.report_files import write_comparison_reports
from bakeoff.reporting.run_table import comparison_table
from bakeoff.reporting.sustained import sustained_table
from bakeoff.reporting.threshold_lines import exceeded_lines, failing_lines, limits_of
from bakeoff.reporting.verdict_text import judgement_table, verdict_lines
from bakeoff.results.mode_names import COUNT, UNRANKED
from bakeoff.results.run import RunResult
from bakeoff.running.lock import measuring_lab
from bakeoff.serving.live import Publication, live_file
from bakeoff.storage.stored_runs import StoredComparison, load_comparison
from bakeoff.text.table import Table, show

# More are in the report: a screen holds the table and the verdict as well.
_MOST_FINDINGS = 5
_MOST_PAIRS = 12


def run_comparison(options: RunOptions) -> None:
    """Measures, then prints the verdict. Exit status 0 when every target that could be built was measured
    and kept the limits of `--threshold`.
    """
    project = find_project()
    if options.invocation.resume:
        refuse_beside_resume(options)
    if options.invocation.otlp:
        require_otlp()
    if options.invocation.slo is not None:
        _search(project, request_of(project, options), options)
        return
    scenarios: list[_Scenario] = []
    try:
        if options.invocation.resume:
            scenarios.append(_measured(project, "", None, options))
        else:
            requests = requests_of(project, options)
            # Between two scenarios no other measurement starts.
            with measuring_lab(project):
                scenarios.extend(_all_measured(project, requests, options))
    finally:
        # Also those before one that failed.
        is_written = _put_out(scenarios, options)
    if options.invocation.as_json:
        _print_documents(scenarios)
    if len(scenarios) > 1:
        show(*count_tables({each.name: each.runs for each in scenarios}), stream=_stream(options))
    if scenarios[-1].comparison.interrupted:
        raise KeyboardInterrupt
    if not is_written or any(each.is_bad for each in scenarios):
        raise typer.Exit(1)


@dataclass(frozen=True)
class _Scenario:
    """One comparison of a command: its name among several, what came of it, and the lines about limits exceeded."""

    name: str
    comparison: Comparison
    stored: StoredComparison | None
    exceeded: Sequence[str]

    @property
    def runs(self) -> Sequence[RunResult]:
        return self.comparison.runs if self.stored is None else [run.result for run in self.stored.runs]

    @property
    def label(self) -> str:
        """The comparison's id where it is stored, with the scenario's name where there are several."""
        parts = ["" if self.comparison.id is None else str(self.comparison.id), self.name]
        return " ".join(filter(None, parts))

    @property
    def is_bad(self) -> bool:
        return bool(self.exceeded or self.comparison.failed or self.comparison.unstored or self.stored is None)


def _all_measured(
    project: Project, requests: Mapping[str, ComparisonRequest], options: RunOptions
) -> Iterator[_Scenario]:
    """One scenario after another, up to the first that is interrupted."""
    for name, request in requests.items():
        if name:
            say(f"Scenario: {name}")
        scenario = _measured(project, name, request, options)
        yield scenario
        if scenario.comparison.interrupted:
            return


def _measured(project: Project, name: str, request: ComparisonRequest | None, options: RunOptions) -> _Scenario:
    """Measures a request, or resumes where there is none; prints what came of it."""
    pair = two_contenders(project, request) if options.invocation.profile and request is not None else None
    with Publication(live_file(project), options.command) as publication, shown(publication.publish) as progress:
        comparison = resume(project, progress) if request is None else compare(project, request, progress)
        reasons = NO_REASONS
        if pair is not None and request is not None and not comparison.interrupted:
            found = write_profile(project, request, comparison.id, pair, progress)
            reasons = Reasons([] if found is None else [found], *(each.key for each in pair))
    stored = _stored(project, comparison)
    reports = (
        [] if stored is None or stored.mode == "smoke" else write_comparison_reports(project.results, stored, reasons)
    )
    scenario = _Scenario(name, comparison, stored, ())
    exceeded = list(exceeded_lines(scenario.runs, limits_of(comparison.threshold)))
    for line in (*failing_lines(scenario.runs), *exceeded):
        say(line)
    show(*_closing(project, comparison, stored), stream=_stream(options))
    if words := [each.words for each in reasons.all if each.words]:
        show(*words, stream=_stream(options))
    for path in reports:
        say(f"Report: {path_here(path)}")
    return replace(scenario, exceeded=exceeded)


def _put_out(scenarios: Sequence[_Scenario], options: RunOptions) -> bool:
    """Writes `--prometheus` and sends `--otlp`; False where the file was not written."""
    phases = [phase for each in scenarios for phase in phases_of(each.runs, each.label)]
    if options.invocation.otlp:
        send_otlp(phases, options.invocation.otlp)
    path = options.invocation.prometheus
    return path is None or write_prometheus(phases, Path(path))


def _search(project: Project, request: ComparisonRequest, options: RunOptions) -> None:
    """`--slo`: prints the highest rate at which each target keeps the objectives."""
    slo = parse_slo(options.invocation.slo or "")
    # Between two trials no other measurement starts.
    with (
        measuring_lab(project),
        Publication(live_file(project), options.command) as publication,
        shown(publication.publish) as progress,
    ):
        capacities = find_capacities(project, request, slo, progress)
    if options.invocation.as_json:
        found = [
            {
                **asdict(each),
                "rate_per_s": each.rate_per_s,
                "interval": asdict(each.interval),
                "findings": [asdict(found) for found in each.findings],
            }
            for each in capacities
        ]
        print_json({"slo": str(slo), "capacities": found})
    else:
        for capacity in capacities:
            for line in capacity_lines(capacity, slo):
                typer.echo(line)
        for line in ratio_lines(capacities):
            typer.echo(line)


def _closing(project: Project, comparison: Comparison, stored: StoredComparison | None) -> Iterator[Table | str]:
    """The tables and lines that a comparison ends with: what is read first on a scrolled screen stands last."""
    judgement = None if stored is None or stored.mode in UNRANKED else judge(stored)
    if comparison.not_measured:
        yield from ("Not measured:", *(f"  {reason}" for reason in comparison.not_measured.values()))
    if comparison.unstored:
        yield f"{comparison.unstored} runs are not in the metrics database: {COMMAND} runs import stores them."
    if judgement is not None:
        yield from _findings(judgement)
        equal_loads = equal_load_tables(judgement, _MOST_PAIRS)
        yield from (judgement_table(judgement), *equal_loads, sustained_table(judgement.contenders))
    elif comparison.runs:
        yield comparison_table(comparison.runs)
        if stored is not None and stored.mode == COUNT:
            yield from count_tables({"": comparison.runs})
    if judgement is not None or comparison.runs:
        more = "" if judgement is None else f" · Other formats: {COMMAND} report {judgement.comparison_id} --format csv"
        yield f"Files of each run: {path_here(project.results)}/<target>/{more}"
    if judgement is not None:
        yield from verdict_lines(judgement)


def _findings(judgement: Judgement) -> Iterator[str]:
    """The gravest findings, and how many more there are."""
    groups = groups_of(judgement, brief=False)
    yield from (f"{group.severity}: {group.words}" for group in groups[:_MOST_FINDINGS])
    if (left := len(groups) - _MOST_FINDINGS) > 0:
        yield f"{plural(left, 'more finding')}: {COMMAND} report {judgement.comparison_id} --format text"


def _stream(options: RunOptions) -> TextIO:
    return sys.stderr if options.invocation.as_json else sys.stdout


def _stored(project: Project, comparison: Comparison) -> StoredComparison | None:
    """All runs, those before a resumption too; None where there are none, or the metrics database does not answer."""
    if comparison.id is None or comparison.unstored:
        return None
    try:
        with metrics_database(project) as server:
            stored = load_comparison(server, comparison.id)
    except DatabaseUnreachableError as error:
        say(error.message)
        return None
    return stored if stored.runs else None


def _print_documents(scenarios: Sequence[_Scenario]) -> None:
    """Prints the document of `report --format json`; of several scenarios `{"scenarios": {name: …}}`."""
    from bakeoff.reporting.report import report_of
    from bakeoff.reporting.report_files import DOCUMENTS

    write = DOCUMENTS["json"][1]
    documents = {
        each.name: write(report_of(judge(each.stored), each.stored)) for each in scenarios if each.stored is not None
    }
    if len(scenarios) > 1:
        print_json({"scenarios": {name: json.loads(document) for name, document in documents.items()}})
    else:
        typer.echo("".join(documents.values()), nl=False)
