"""Recommendations by need, a ranking of each protocol, and the gain of more load."""

from collections.abc import Sequence

from bakeoff.judging.contender_runs import level_name
from bakeoff.judging.judgement import JudgedContender, Judgement
from bakeoff.judging.verdict import lead_of
from bakeoff.reporting import numbers
from bakeoff.reporting.figures import median_of
from bakeoff.reporting.highlights import equal_load_of, highlights_of
from bakeoff.reporting.numbers import NOTHING
from bakeoff.results.finding_kinds import STOPPED_EARLY
from bakeoff.results.run import Status
from bakeoff.text.prose import capitalised, listed, rounds_in_words
from bakeoff.text.table import Table

# The highest load of the mode full: what comes after it is saturation's.
_FULL_USERS = 200
_STANDARD = "standard"


def choice_tables(judgement: Judgement, entries: Sequence[JudgedContender]) -> list[Table]:
    """In the order in which they are read; those without rows are left out."""
    tables = [
        recommendations(judgement, entries),
        by_protocol(judgement, entries),
        by_latency(judgement, entries),
        durations(entries),
        scaling(entries),
    ]
    return [table for table in tables if table.rows]


def recommendations(judgement: Judgement, entries: Sequence[JudgedContender]) -> Table:
    """The contender for each need, with the figures that carry it."""
    ranked = [entry for entry in entries if entry.rank is not None]
    rows = [_by_figures, _with_few_people, _by_language] if len(ranked) > 1 else []
    found = [row for each in rows for row in each(judgement, entries)]
    note = "Ranked contenders only, where no unranked one can be better. Tie: no difference found."
    keys = {entry.key for entry in ranked}
    if any(pair.verdict == "unknown" and {pair.one, pair.other} <= keys for pair in judgement.pairings):
        note += " So few rounds cannot separate differences from chance."
    return Table("Recommendations", ("need", "target", "figures"), found, left=3, note=note, words_last=True)


def by_protocol(judgement: Judgement, entries: Sequence[JudgedContender]) -> Table:
    """A ranking of each protocol, where there are several."""
    rows = []
    protocols = list(dict.fromkeys(entry.protocol for entry in entries))
    for protocol in protocols if len(protocols) > 1 else []:
        field = lead_of((entry for entry in entries if entry.protocol == protocol), judgement.pairings).field
        own = [(field.place(entry.key), entry) for entry in entries if entry.key in field.ranked]
        rows += [
            (
                level_name(protocol),
                numbers.ranks(place.rank, place.tied_with),
                entry.name,
                median_of(entry.peak_throughput_per_s, numbers.rate),
            )
            for place, entry in sorted(own, key=lambda each: each[0].rank)
        ]
    headings = ("protocol", "rank", "target", "operations/s")
    return Table("Ranking of each protocol", headings, rows, left=3)


def by_latency(judgement: Judgement, entries: Sequence[JudgedContender]) -> Table:
    """Latency from best to worst, where all do the same work."""
    load = equal_load_of(judgement, entries)
    ranked = [] if load is None else [each for each in load.entries if "p99" in each.ranks]
    rows = [
        (
            numbers.ranks(each.ranks["p99"], each.tied_with.get("p99", ())),
            each.label,
            *(median_of(each.latency_ms.get(name), numbers.three_digits) for name in ("p50", "p99")),
        )
        for each in sorted(ranked, key=lambda each: each.ranks["p99"])
    ]
    rate = "" if load is None else f"{load.rate_per_s:,.10g}/s"
    rows = rows if len(rows) > 1 else []
    note = f"Milliseconds at {rate} for all, medians over rounds. Rank by p99: a range where ties leave it open."
    return Table("Latency from best to worst", ("", "target", "p50 ms", "p99 ms"), rows, left=2, note=note)


def durations(entries: Sequence[JudgedContender]) -> Table:
    """How long each was measured, and which of its runs ended early."""
    rows = [
        (
            entry.name,
            numbers.seconds(entry.total.duration_s / max(1, entry.rounds)),
            numbers.plural(len(entry.levels), "phase"),
            _ended_early(entry),
        )
        for entry in entries
        if entry.total is not None
    ]
    note = "Phases of a run, without the warm-up."
    return Table("Duration", ("target", "each run", "phases", "ended early"), rows, left=1, note=note, words_last=True)


def scaling(entries: Sequence[JudgedContender]) -> Table:
    """Throughput at the highest load of the mode full, and at the highest of all: the factor that saturation brings."""
    rows = []
    for entry in entries:
        full = [level for level in entry.levels if 0 < level.virtual_users <= _FULL_USERS]
        beyond = [level for level in entry.levels if level.virtual_users > _FULL_USERS]
        if full and beyond:
            low, high = (max(levels, key=lambda level: level.virtual_users) for levels in (full, beyond))
            before, after = low.throughput_per_s.median, high.throughput_per_s.median
            reached = (f"{median_of(each.throughput_per_s, numbers.rate)} at {each.load}" for each in (low, high))
            rows.append((entry.name, *reached, numbers.ratio(after / before if before else None)))
    headings = ("target", "load of full", "saturation", "factor")
    return Table("From full to saturation", headings, rows, note="Operations/s, medians over rounds.")


def by_payload(entries: Sequence[JudgedContender]) -> Table:
    """Throughput of each target at each message size, where there are several."""
    payloads = list(dict.fromkeys(entry.payload for entry in entries))
    found = {(entry.name, entry.payload): entry.peak_throughput_per_s for entry in entries}
    names = dict.fromkeys(entry.name for entry in entries)
    rows = [(name, *(median_of(found.get((name, each)), numbers.rate) for each in payloads)) for name in names]
    note = "Operations/s at the best load of each target, medians over rounds."
    return Table("Throughput by payload", ("target", *payloads), rows if len(payloads) > 1 else [], note=note)


def _by_figures(judgement: Judgement, entries: Sequence[JudgedContender]) -> list[tuple[str, str, str]]:
    """The highlights, ties included."""
    rows = []
    for each in highlights_of(judgement, entries):
        who = f"{each.who} ({each.shared})" if each.shared else each.who
        interval = f" ({each.interval})" if each.interval else ""
        rows.append((each.title[:1].lower() + each.title[1:], who, f"{each.value}{interval}, {each.note}"))
    return rows


def _with_few_people(judgement: Judgement, entries: Sequence[JudgedContender]) -> list[tuple[str, str, str]]:
    """A standard target leaves a team no part of its own to maintain."""
    first = lead_of((entry for entry in entries if entry.target_class == _STANDARD), judgement.pairings).first
    if not first:
        return []
    stack = first[0].environment.get("stack", "") if len(first) == 1 else ""
    words = f"standard class: no part of its own to maintain; {numbers.rate(_peak(first[0]))} operations/s"
    return [("small team", _names(first), f"{words}; {stack}" if stack else words)]


def _by_language(judgement: Judgement, entries: Sequence[JudgedContender]) -> list[tuple[str, str, str]]:
    """The best of each language, for a team that has chosen one."""
    languages = sorted({entry.language for entry in entries if entry.language and entry.rank is not None})
    rows = []
    for language in languages if len(languages) > 1 else []:
        lead = lead_of((entry for entry in entries if entry.language == language), judgement.pairings)
        own = [*lead.first, *(entry for entry in lead.compared if entry.rank is not None and entry not in lead.first)]
        if lead.first:
            others = "".join(f"; {each.name} {numbers.rate(_peak(each))}" for each in own[1:3])
            more = f"; {len(own) - 3} more" if len(own) > 3 else ""
            figures = f"{numbers.rate(_peak(own[0]))} operations/s{others}{more}"
            rows.append((f"existing {capitalised(language)} ecosystem", _names(lead.first), figures))
    return rows


def _names(first: Sequence[JudgedContender]) -> str:
    """One name, or several that tie."""
    return f"{listed([each.name for each in first])}{' (tie)' if len(first) > 1 else ''}"


def _ended_early(entry: JudgedContender) -> str:
    early: dict[str, list[int]] = {}
    for run in entry.runs:
        if run.status != Status.COMPLETED:
            early.setdefault((run.failure or run.status).removesuffix("."), []).append(run.round)
    words = [f"{rounds_in_words(rounds)}: {why}" for why, rounds in early.items()]
    words += [each.message for each in entry.findings if each.kind == STOPPED_EARLY.name]
    return "; ".join(words) or NOTHING


def _peak(entry: JudgedContender) -> float:
    figure = entry.peak_throughput_per_s
    return 0.0 if figure is None else figure.median
