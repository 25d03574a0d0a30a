"""The HTML report: one self-contained file that loads nothing from the network."""

import base64
import hashlib
import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

import msgspec
from markupsafe import Markup

from bakeoff import __version__
from bakeoff.judging.judgement import JudgedContender, Judgement
from bakeoff.judging.verdict import standing_of, verdict_words, why_unranked
from bakeoff.reporting import numbers, observed_columns, palette
from bakeoff.reporting.chart import anchor, identity
from bakeoff.reporting.charts.costs import ROLE_NAMES, parts_of
from bakeoff.reporting.choices import by_payload, choice_tables
from bakeoff.reporting.equal_loads import equal_load_tables
from bakeoff.reporting.factor_effects import known_first, title_of, what_is_equal, words_of
from bakeoff.reporting.figures import MEMORY, RATIO_INTERVALS, RATIOS, median_of, ratio_and_interval
from bakeoff.reporting.grouped_findings import evidence, groups_of
from bakeoff.reporting.highlights import highlights_of
from bakeoff.reporting.jinja import templates_of
from bakeoff.reporting.missing import WITHOUT_UPKEEP
from bakeoff.reporting.operation_tables import counts, operation_names
from bakeoff.reporting.reasons import reasons_table
from bakeoff.reporting.report import Report
from bakeoff.reporting.scale_curves import conclusions, scale_tables
from bakeoff.reporting.stacks import TITLE as STACK_TITLE
from bakeoff.reporting.stacks import facets, labels_of, stack_table
from bakeoff.reporting.tables import (
    GAUGES_NOTE,
    MOST_ROWS,
    gauges,
    matched_pairs,
    pairs,
)
from bakeoff.results.histograms import LATENCIES, WHY_UNKNOWN
from bakeoff.results.run import HOSTILE_CONNECTIONS
from bakeoff.text.prose import capitalised
from bakeoff.text.table import Table

_SCRIPTS = ("chart.umd.min.js", "formats.js", "plugins.js", "configurations.js", "page.js")
_STYLES = ("report.css",)
_GLOBALS = {
    "MOST_ROWS": MOST_ROWS,
    "HOSTILE_CONNECTIONS": HOSTILE_CONNECTIONS,
    "GAUGES_NOTE": GAUGES_NOTE,
    "gauges": gauges,
    "STACK_TITLE": STACK_TITLE,
    "stack_table": stack_table,
    "labels_of": labels_of,
    "LATENCIES": LATENCIES,
    "operation_names": operation_names,
    "counts": counts,
    "NOTHING": numbers.NOTHING,
    "ROLE_NAMES": ROLE_NAMES,
    "parts_of": parts_of,
    "style_of": palette.style,
    "outline": palette.outline,
    "evidence": evidence,
    "observed": observed_columns,
    "numbers": numbers,
    "rounded": numbers.rounded,
    "median_of": median_of,
    "ratio_and_interval": ratio_and_interval,
    "MEMORY": MEMORY,
    "RATIOS": RATIOS,
    "RATIO_INTERVALS": RATIO_INTERVALS,
    "anchor": anchor,
    "identity": identity,
    "highlights_of": highlights_of,
    "standing_of": standing_of,
    "verdict_words": verdict_words,
    "why_unknown": WHY_UNKNOWN,
    "without_upkeep": capitalised(WITHOUT_UPKEEP),
    "why_unranked": why_unranked,
    "title_of": title_of,
    "words_of": words_of,
    "what_is_equal": what_is_equal,
}
"""Names that every template knows, those that are imported too."""


def html_report(report: Report, back: tuple[str, str] | None = None) -> str:
    """The whole page; `back` is the address and the name of the page that leads here, where one does."""
    judgement = report.judgement
    scripts, styles = [_asset(name) for name in _SCRIPTS], [_theme_css(), *(_asset(name) for name in _STYLES)]
    return (
        templates_of("bakeoff.reporting")
        .get_template("report.html.j2", globals=_GLOBALS)
        .render(
            report=report,
            back=back,
            judgement=judgement,
            policy=_policy(scripts, styles),
            scripts=[Markup(script) for script in scripts],  # noqa: S704 — our own files, not data
            styles=[Markup(style) for style in styles],  # noqa: S704
            embedded=_embedded(report),
            by_key={each.key: each for each in judgement.contenders},
            choices=_choices(judgement),
            effects=known_first(judgement.effects),
            operation_effects=known_first(judgement.operation_effects),
            equal_loads=equal_load_tables(judgement),
            matched_pairs=matched_pairs(judgement),
            pairs=pairs(judgement),
            scale_tables=scale_tables(judgement.scale_curves),
            scale_conclusions=conclusions(judgement.scale_curves),
            slots={each.slot: [chart for chart in report.charts if chart.slot == each.slot] for each in report.charts},
            identities=_identities(judgement.contenders),
            findings=groups_of(judgement),
            reasons=reasons_table(report.reasons),
            facets=facets(judgement.contenders),
            generator=f"bakeoff {__version__}",
        )
    )


def shared_styles() -> str:
    """The report's style sheet with its palette, for other pages that are to look alike."""
    return "\n".join([_theme_css(), *(_asset(name) for name in _STYLES)])


@cache
def _asset(name: str) -> str:
    return (files("bakeoff.reporting") / "assets" / name).read_text("utf-8")


def _policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """Only these scripts and styles run, whatever a name may hold; nothing is fetched."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {' '.join(map(_digest, scripts))}",
            f"style-src {' '.join(map(_digest, styles))}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _embedded(report: Report) -> Markup:
    """The data of the page's charts. Escaped so that no text in it can end the element it stands in."""
    document = {
        "charts": msgspec.to_builtins(report.charts),
        "styles": msgspec.to_builtins(
            {series.style: palette.style(series.style) for chart in report.charts for series in chart.series}
        ),
    }
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704 — nothing is left that HTML could read as markup


def _choices(judgement: Judgement) -> list[tuple[str, list[Table]]]:
    """The tables of recommendations of each group; those of all groups have no name."""
    payloads = by_payload(judgement.contenders)
    choices = [
        (division, choice_tables(judgement, judgement.of_division(division))) for division in judgement.divisions
    ]
    return [(name, tables) for name, tables in [*choices, ("", [payloads] if payloads.rows else [])] if tables]


def _identities(contenders: Sequence[JudgedContender]) -> list[JudgedContender]:
    """A contender for each identity, by name."""
    return sorted({each.identity: each for each in contenders}.values(), key=lambda each: each.name)


def _theme_css() -> str:
    """The palette as custom properties, so that page and charts share it."""
    dark = _properties(palette.DARK)
    return (
        f":root{{{_properties(palette.LIGHT)}color-scheme:light}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{dark}color-scheme:dark}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{{dark}color-scheme:dark}}}}\n"
        f"@media print{{:root,:root:not([data-theme=light]){{{_properties(palette.LIGHT)}color-scheme:light}}}}\n"
        + "".join(f".s{place}{{color:var(--series-{place})}}" for place in range(len(palette.LIGHT.series)))
    )


def _properties(theme: palette.Theme) -> str:
    plain = {name: colour for name, colour in vars(theme).items() if isinstance(colour, str)}
    series = {f"series-{place}": colour for place, colour in enumerate(theme.series)}
    roles = {f"role-{place}": colour for place, colour in enumerate(theme.roles)}
    return "".join(f"--{name}:{value};" for name, value in (plain | series | roles).items())
