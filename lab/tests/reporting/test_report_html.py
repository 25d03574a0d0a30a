"""The page as text: what it holds, in which order, and what it lets in."""

import base64
import hashlib
import re
from dataclasses import replace
from html.parser import HTMLParser

from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Bottleneck
from bakeoff.reporting.html import html_report
from bakeoff.reporting.report import report_of
from hostile import IMAGE, SCRIPT, hostile_comparison
from judgements import Shape, comparison, estimate, with_first, without_timeline
from made_up import comparison_of, run_of
from observations import ACTIVITY, STATE


class _Elements(HTMLParser):
    """Names of all elements with their attributes, ids, and the text of scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.code: dict[str, list[str]] = {"script": [], "style": []}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._open = tag

    def handle_endtag(self, tag: str) -> None:  # noqa: ARG002 — the parser names it
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open in self.code and self.tags[-1][1].get("type") != "application/json":
            self.code[self._open].append(data)

    @property
    def ids(self) -> list[str]:
        return [str(attributes["id"]) for _, attributes in self.tags if "id" in attributes]


def page(*, shape: Shape | None = None) -> str:
    return html_report(report_of(*comparison(shape or Shape())))


def test_sections_stand_in_the_order_in_which_they_are_asked_for() -> None:
    ids = _Elements(page()).ids
    wanted = ["verdict", "ranking", "findings", "throughput", "latency", "time", "cost", "choices", "limits", "targets"]
    assert [each for each in ids if each in [*wanted, "resources", "provenance"]] == [
        *wanted, "resources", "provenance",
    ]  # fmt: skip


def test_every_link_leads_somewhere_on_the_page_and_every_id_is_one() -> None:
    elements = _Elements(page(shape=Shape(payloads=("4k", "64k"))))
    links = [str(attributes["href"]) for tag, attributes in elements.tags if tag == "a"]
    assert links
    assert {link.removeprefix("#") for link in links} <= set(elements.ids)
    assert len(elements.ids) == len(set(elements.ids))


def test_nothing_is_fetched() -> None:
    for tag, attributes in _Elements(page()).tags:
        assert tag not in {"iframe", "object", "embed", "img", "base", "form"}
        assert not str(attributes.get("src", "")).strip(), tag
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]
        if tag == "link":
            assert attributes["href"] == "data:,"


def test_the_policy_names_every_script_and_style_and_nothing_else() -> None:
    elements = _Elements(page())
    policy = next(
        str(attributes["content"])
        for tag, attributes in elements.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    for kind in ("script", "style"):
        named = set(re.findall(r"'(sha256-[^']+)'", policy.split(f"{kind}-src ")[1].split(";")[0]))
        assert named == {_digest(text) for text in elements.code[kind]}


def test_every_name_from_outside_is_escaped() -> None:
    hostile = html_report(report_of(*hostile_comparison()))
    assert SCRIPT not in hostile
    assert IMAGE not in hostile
    assert "{{ 7 * 7 }}" in hostile
    assert "49" not in re.findall(r'<p class="of">(.*?)<code>', hostile)[0]
    assert len(_Elements(hostile).code["script"]) == len(_Elements(page()).code["script"])


def test_sections_without_anything_in_them_are_absent() -> None:
    judgement, stored = comparison(Shape(targets=("go-rest",)))
    judgement = with_first(replace(judgement, effects=[], reference_lines=[]), bottleneck=Bottleneck("unknown", ""))
    ids = _Elements(html_report(report_of(judgement, without_timeline(stored)))).ids
    assert not {"choices", "limits", "time"} & set(ids)


def test_the_command_that_repeats_it_is_there() -> None:
    assert '<pre tabindex="0">./bakeoff run quick <span class="option">--rounds</span> 3</pre>' in page()


def test_ties_are_called_ties() -> None:
    text = page()
    assert "<small>tie with Rust gRPC</small>" in text
    assert "tie, 0.98×" in text


def test_the_ranking_is_of_the_best_load() -> None:
    judgement, stored = comparison()
    total = judgement.contenders[0].total
    assert total is not None
    other = replace(total.costs["target"], cpu_us_each=estimate(77.7), memory_peak_mb=estimate(88.8))
    text = html_report(report_of(with_first(judgement, total=replace(total, costs={"target": other})), stored))
    ranking = text.split('<h2 id="ranking">')[1].split("<h2 ")[0]
    assert "10.0<small>9.70–10.3</small>" in ranking
    assert not re.search("77.7|88.8", ranking)
    assert "77.7" in text.split('<h2 id="resources">')[1]


def test_each_target_tells_what_limited_its_runs_and_what_was_seen_beside() -> None:
    run = run_of(environment={"cores": "1"}, database_activity=ACTIVITY, machine_state=STATE)
    older = run_of("go-rest")
    stored = comparison_of(run, older)
    targets = (
        html_report(report_of(judge(stored), stored))
        .split('<h2 id="targets">')[1]
        .split("<h2 ")[0]
        .split("</details>\n</section>")[0]
    )
    first, second = sorted(targets.split("<details ")[1:], key=lambda part: "Go REST" in part)
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r'<tr><th scope="row">1<(.*?)</tr>', first)]
    assert [row[:4] for row in rows] == [
        ["1", "completed", "target CPU", "the target 60% of a core, PostgreSQL 50%."],
        ["400", "0.250", "4.00", "600"],
        ["1,750", "2.97", "0.11%", "3.2%"],
    ]
    assert rows[1][-1] == "CPU 60%, IO:WalSync 25%, LWLock:WALWrite 10%"
    dashes = [
        re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r'<tr><th scope="row">2<(.*?)</tr>', second)
    ]
    assert dashes[1:] == [["–"] * 8, ["–"] * 9]


def test_the_only_target_lies_open() -> None:
    alone, several = page(shape=Shape(targets=("go-rest",))), page()
    assert re.search(r'<details id="target-1-[^>]* open>', alone)
    assert not re.search(r'<details id="target-1-[^>]* open>', several)


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
