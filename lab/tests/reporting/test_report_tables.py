"""Markdown, terminal text and CSV: the same verdicts and every figure."""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace

import pytest
from goldens import check_golden
from markupsafe import escape

from bakeoff.judging.judge import judge
from bakeoff.reporting.grouped_findings import groups_of
from bakeoff.reporting.html import html_report
from bakeoff.reporting.json_document import json_report
from bakeoff.reporting.markdown import markdown_report, plain
from bakeoff.reporting.numbers import NOTHING, rounded
from bakeoff.reporting.reasons import Reason, Reasons, RequestCost, reasons_table
from bakeoff.reporting.report import report_of
from bakeoff.reporting.report_csv import COLUMNS, csv_report
from bakeoff.reporting.stacks import facets, stack_table
from bakeoff.reporting.tables import at_best, hostile_connections, matched_pairs, pairs
from bakeoff.reporting.tables import cost as cost_table
from bakeoff.reporting.tables import gauges as gauge_table
from bakeoff.reporting.text import text_report
from bakeoff.results.cost import Gauge
from bakeoff.results.database_activity import DatabaseFigures
from bakeoff.results.findings import JudgedFinding, KindName
from bakeoff.results.machine_state import MachineFigures
from bakeoff.results.run import HOSTILE_CONNECTIONS
from bakeoff.results.stack import Stack
from bakeoff.results.statements import OperationStatements
from hostile import hostile_comparison
from judgements import Shape, comparison, with_first
from made_up import comparison_of, cost, measured, phase, rounds_of, run_of


def test_markdown_is_as_it_was() -> None:
    check_golden("report.md", markdown_report(report_of(*comparison())))


def test_text_is_as_it_was() -> None:
    check_golden("report.txt", text_report(report_of(*comparison())))


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a|b", r"a\|b"),
        ("<img src=x>", r"\<img src=x\>"),
        ("[link](x)", r"\[link\](x)"),
        ("two\nlines", "two lines"),
        ("`code`_*", r"\`code\`\_\*"),
        ("# heading", r"\# heading"),
    ],
)
def test_text_from_outside_stays_text_in_markdown(text: str, escaped: str) -> None:
    assert plain(text) == escaped


def test_markdown_rows_have_as_many_cells_as_their_headings() -> None:
    for block in _markdown_tables(markdown_report(report_of(*hostile_comparison()))):
        assert len({line.replace("\\|", "").count("|") for line in block}) == 1


def test_nothing_steers_a_terminal() -> None:
    text = text_report(report_of(*hostile_comparison()))
    assert "\x1b" not in text
    assert "\x00" not in text


def test_pairs_stand_in_the_order_of_the_ranking() -> None:
    rates = {"go-rest": 1000.0, "rust-grpc": 2000.0, "rust-rest": 3000.0}
    runs = [run for name, rate in rates.items() for run in rounds_of(name, [rate, rate * 1.01, rate * 0.99])]
    judgement = judge(comparison_of(*runs))
    rows = [(one, other, verdict) for one, other, _, _, verdict, _ in pairs(judgement).rows]
    assert rows == [
        ("Rust REST", "Rust gRPC", "faster"),
        ("Rust REST", "Go REST", "faster"),
        ("Rust gRPC", "Go REST", "faster"),
    ]


def test_a_factor_of_one_pair_names_it_beside_those_of_several() -> None:
    targets = ("rust-rest", "rust-grpc", "go-rest", "go-grpc", "java-rest")
    judgement = judge(comparison_of(*(run for name in targets for run in rounds_of(name, [1000, 1001, 1002]))))
    rows = [row[1:3] for row in matched_pairs(judgement).rows]
    assert len(rows) == sum(len(effect.pairs) for effect in judgement.effects)
    assert {"Java REST", "Go REST"} in [set(row) for row in rows]
    alone = judge(comparison_of(*(run for name in targets[:2] for run in rounds_of(name, [1000, 1001, 1002]))))
    assert alone.effects and not matched_pairs(alone).rows


def test_cpu_and_memory_stand_beside_the_ranking_as_the_terminal_tells_them() -> None:
    parts = [measured(2000, 2.0, costs={"target": cost(80, 30)}), measured(900, 40.0, costs={"target": cost(99, 80)})]
    stored = comparison_of(run_of(phases=[phase(number + 1, 10 + number, part) for number, part in enumerate(parts)]))
    table = at_best(report_of(judge(stored), stored).judgement.contenders)
    assert table.rows == [("Rust REST", "10 users", "1.02", "2.01", "2.00", "2.98", "0", "400", "30.0")]


def test_the_processes_of_a_target_stand_below_it_in_every_document() -> None:
    part = measured(2000, costs={"target": cost(80, 30)}, processes={"gateway": cost(60, 20), "server 0": cost(20, 10)})
    stored = comparison_of(run_of(phases=[phase(1, 10, part)], total=part))
    data = report_of(judge(stored), stored)
    rows = [row[1:4] for row in cost_table(data.judgement.contenders).rows]
    assert rows == [("target", "400", "80%"), ("gateway", "300", "60%"), ("server 0", "100", "20%")]
    page = html_report(data)
    assert page.index('<td class="left">target</td>') < page.index('<td class="left">gateway</td>')
    assert "gateway cpu_us_each" in csv_report(data)


def test_hostile_connections_stand_in_every_document_once_a_target_was_tried() -> None:
    words = "holds under 12 of 13 kinds of hostile connections, most memory 119 MB"
    judgement, stored = comparison()
    data = report_of(with_first(judgement, environment={HOSTILE_CONNECTIONS: words}), stored)
    first, *others = data.judgement.contenders
    table = hostile_connections(data.judgement.contenders)
    assert table.rows == [(first.name, words), *((each.name, NOTHING) for each in others)]
    assert f"| {words} |" in markdown_report(data)
    assert words in text_report(data)
    page = html_report(data)
    assert f"<dt>hostile connections</dt><dd>{words}</dd>" in page
    assert f"<dt>hostile connections</dt><dd>{NOTHING}</dd>" in page
    assert "Hostile connections" not in text_report(report_of(*comparison()))


def test_stacks_stand_in_every_document() -> None:
    counted = OperationStatements(statements=2, round_trips=4, rows=5)
    stack = Stack({"framework": "axum <i>", "access": "SQL"}, 2_340_000, 1234, {"CreateBook": counted})
    judgement, stored = comparison()
    data = report_of(with_first(judgement, stack=stack), stored)
    first, *others = data.judgement.contenders
    table = stack_table(data.judgement.contenders)
    assert table.headings == (
        *("target", "language", "framework", "access", "ready", "install MB", "source lines", "CreateBook"),
    )
    ready = table.rows[0][4]
    assert ready.endswith(" ms")
    assert table.rows[0] == (first.name, "Rust", "axum <i>", "SQL", ready, "2.34", "1,234", "2 / 4")
    assert [(*row[2:4], *row[5:]) for row in table.rows[1:]] == [(NOTHING,) * 5] * len(others)
    assert "2 / 4" in markdown_report(data)
    assert "2 / 4" in text_report(data)
    page = html_report(data)
    assert "<td>2 / 4</td>" in page
    assert '<td class="left">axum &lt;i&gt;</td>' in page
    shown = json.loads(json_report(data))["judgement"]["contenders"][0]["stack"]
    assert (shown["install_bytes"], shown["source_lines"]) == (2_340_000, 1234)
    assert shown["statements"]["CreateBook"] == {"statements": 2, "round_trips": 4, "rows": 5}


def test_figures_that_old_runs_lack_are_dashes() -> None:
    judgement, _ = comparison()
    table = stack_table(judgement.contenders)
    assert table.headings == ("target", "language", "ready", "install MB", "source lines")
    assert {row[3:] for row in table.rows} == {(NOTHING, NOTHING)}
    assert stack_table([replace(each, start_to_healthy_s=None) for each in judgement.contenders]).rows == []


def test_a_label_is_a_filter_where_it_makes_groups() -> None:
    judgement, _ = comparison()
    parts = [{"access": "SQL", "orm": "A", "server": "x"}, {"access": "ORM", "orm": "B", "server": "x"}]
    entries = [
        replace(each, stack=Stack(parts[place % 2]), target=f"t{place}", language=f"l{place}")
        for place, each in enumerate([*judgement.contenders, *judgement.contenders][:4])
    ]
    assert facets(entries) == {"access": ["ORM", "SQL"], "orm": ["A", "B"]}
    assert facets(entries[:2]) == {}


def test_gauges_stand_in_every_document_with_medians_over_rounds() -> None:
    rounds = [
        measured(2000, gauges={"queue <i>": Gauge("calls", mean, 4 * mean, 40)}, costs={"target": cost(80, 30)})
        for mean in (10.0, 12.0, 11.0)
    ]
    runs = [run_of(number=place, phases=[phase(1, 10, part)], total=part) for place, part in enumerate(rounds, 1)]
    stored = comparison_of(*runs, run_of("go-rest"))
    data = report_of(judge(stored), stored)
    table = gauge_table(data.judgement.contenders)
    assert table.rows == [("Rust REST", "10 users", "queue <i>", "11.0", "44.0", "calls")]
    assert "Gauges by phase" in text_report(data)
    assert r"| Rust REST | 10 users | queue \<i\> | 11.0 | 44.0 | calls |" in markdown_report(data)
    page = html_report(data)
    assert '<td class="left">queue &lt;i&gt;</td><td>11.0</td><td>44.0</td><td class="left">calls</td>' in page
    rows = [row for row in csv.DictReader(io.StringIO(csv_report(data))) if row["figure"].startswith("queue")]
    assert [(row["load"], row["figure"], row["unit"], row["value"], row["low"], row["high"]) for row in rows] == [
        (load, f"queue <i> {figure}", "calls", *values)
        for load in ("10 users", "all phases")
        for figure, values in (("mean", ("11", "10", "12")), ("maximum", ("44", "40", "48")))
    ]
    without = report_of(*comparison())
    assert "Gauges by phase" not in text_report(without) + html_report(without)


def test_csv_holds_each_figure_of_the_data() -> None:
    data = report_of(*comparison())
    rows = list(csv.DictReader(io.StringIO(csv_report(data))))
    assert tuple(rows[0]) == COLUMNS
    found = {(row["of"], row["load"], row["figure"]): row for row in rows if row["part"] == "level"}
    for entry in data.judgement.contenders:
        for level in entry.levels:
            row = found[entry.label, level.load, "throughput"]
            assert float(row["value"]) == rounded(level.throughput_per_s.median)
            assert float(row["low"]) == pytest.approx(level.throughput_per_s.low)
            for name, figure in level.latency_ms.items():
                assert float(found[entry.label, level.load, f"latency {name}"]["value"]) == rounded(figure.median)


def test_csv_holds_each_point_of_curves_and_timelines() -> None:
    data = report_of(*comparison())
    rows = [row for row in csv.DictReader(io.StringIO(csv_report(data))) if row["part"] == "curve"]
    points = sum(
        sum(point[1] is not None for point in series.points)
        for chart in data.charts
        if chart.slot in ("latency", "time-throughput", "time-latency")
        for series in chart.series
    )
    assert len(rows) == points > 0


def test_csv_holds_what_was_seen_beside_each_run() -> None:
    rows = [row for row in csv.DictReader(io.StringIO(csv_report(report_of(*comparison())))) if row["part"] == "run"]
    found = {(row["of"], row["load"], row["figure"]): (row["value"], row["unit"]) for row in rows}
    assert found["Rust REST", "run 2100", "PostgreSQL wal_bytes_each"] == ("400", "bytes/operation")
    assert found["Rust REST", "run 3100", "PostgreSQL checkpoints"] == ("3", "")
    assert found["Go REST", "run 1102", "PostgreSQL sessions at IO:WalSync"] == ("0.25", "share")
    assert found["Go REST", "run 1102", "machine cpu_pressure_percent"] == ("55.2", "% of the time")
    everything = {*DatabaseFigures.__annotations__, *MachineFigures.__annotations__} - {"waits"}
    assert {name.partition(" ")[2] for _, _, name in found if " sessions at " not in name} == everything


def test_csv_text_is_no_formula() -> None:
    rows = csv.reader(io.StringIO(csv_report(report_of(*hostile_comparison()))))
    assert not [cell for row in rows for cell in row if cell[:1] in ("=", "+", "@")]


def test_every_document_tells_the_same_verdict() -> None:
    judgement, stored = comparison(Shape(rounds=4))
    data = report_of(judgement, stored)
    assert judgement.verdict in markdown_report(data)
    assert judgement.verdict in text_report(data)


def test_what_a_request_costs_on_both_sides_is_in_every_document() -> None:
    costs = [
        RequestCost("list", "statements", 1, 21),
        RequestCost("shop", "allocated", 12_340, 24_680),
        RequestCost("parse", "CPU", 0.0, 0.31),
    ]
    reasons = Reasons([Reason("list sends 21.", costs[:1]), Reason("parse grew.", costs[1:], "shop-cpu.svg")])
    data = report_of(*comparison(), reasons)
    rows = [
        ("list", "statements to PostgreSQL", "1", "21", "21.0×"),
        ("shop", "allocated, kB", "12.3", "24.7", "2.00×"),
        ("parse", "share of the target's CPU", "0%", "31%", "new"),
    ]
    assert [tuple(row) for row in reasons_table(reasons).rows] == rows
    page, text, markdown = html_report(data), text_report(data), markdown_report(data)
    assert 'href="shop-cpu.svg"' in page and 'href="#reasons"' in page
    for row in rows:
        cells = [str(escape(cell)) for cell in row]
        assert f'<th scope="row">{cells[0]}</th>' in page and f"<td>{cells[-1]}</td>" in page
        assert re.search(r"\s+".join(map(re.escape, row)), text) and f"| {' | '.join(row)} |" in markdown
    assert 'id="reasons"' not in html_report(report_of(*comparison()))


def test_findings_with_one_advice_are_one_group() -> None:
    judgement, _ = comparison(Shape(rounds=4))
    found = [
        JudgedFinding(KindName("high-variance"), "warning", f"By {each}%.", "Add rounds.", rounds)
        for each, rounds in ((11, [1]), (22, [1, 2, 3, 4]), (33, [1, 3]))
    ]
    contenders = [replace(each, findings=[one]) for each, one in zip(judgement.contenders, found, strict=True)]
    (group,) = groups_of(replace(judgement, findings=[], contenders=contenders))
    (line,) = group.lines
    assert line.words == "By …. Rust REST (round 1): 11%; Rust gRPC: 22%; Go REST (rounds 1 and 3): 33%."


def _markdown_tables(text: str) -> Iterator[list[str]]:
    block: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            block.append(line)
        elif block:
            yield block
            block = []
