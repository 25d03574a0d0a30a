"""The recipe of a comparison: prove each contender, schedule the turns, measure them, store each result."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bakeoff.comparing.build_queue import BuiltContenders
from bakeoff.comparing.measurer import Measurer
from bakeoff.comparing.proofs import Prover
from bakeoff.comparing.reference_bracket import reference_lines
from bakeoff.comparing.schedule import Schedule, TimeLeft
from bakeoff.judging.estimates import FEWEST_ROUNDS
from bakeoff.judging.slo import broken, figures_of_phase, ranking_slo
from bakeoff.options.table import MOST_ROUNDS
from bakeoff.reporting.numbers import plural
from bakeoff.results.run import RunResult
from bakeoff.running.contender import Contender
from bakeoff.running.modes import PROBE, probe_phases
from bakeoff.running.run_request import RunRequest
from bakeoff.text.durations import words_for

# Of the slowest contender's throughput: near the whole of it latency shows how near it is, and little else.
SHARE = 0.7

NO_RATE = f"no rate can be found for it: its probe did not keep {ranking_slo()}."


def measure_rounds(measurer: Measurer, schedule: Schedule, contenders: Sequence[Contender]) -> None:
    """Proves every contender, then measures the turns that are left, round by round."""
    left = _announce(measurer, schedule, contenders)
    proven = Prover(measurer, schedule.request).prove_all(schedule.remaining(contenders))
    if schedule.request.probes_rate:
        schedule, proven = _at_equal_rate(measurer, schedule, proven)
    turns = schedule.turns(proven)
    with reference_lines(measurer, schedule.request, turns, schedule.request.spend_s or left.seconds(len(turns))):
        if schedule.request.spend_s is not None:
            schedule = _in_time(measurer, schedule, proven, left)
        measurer.measure_turns(schedule, schedule.turns(proven), left)


def _in_time(measurer: Measurer, schedule: Schedule, contenders: Sequence[Contender], left: TimeLeft) -> Schedule:
    """Measures a round, and plans as many more as fit in the time of the request by how long that one took.

    The number of rounds depends on no figure of theirs, so that a test over them stays what it is.
    """
    spend_s = schedule.request.spend_s
    assert spend_s is not None
    request = replace(schedule.request, rounds=FEWEST_ROUNDS, spend_s=None)
    began = time.monotonic()
    first = schedule.turns(contenders, rounds=1)
    measurer.measure_turns(replace(schedule, request=request), first, left, crashes=False)
    round_s = time.monotonic() - began
    fitting = rounds_within(measurer.began + spend_s - time.monotonic(), round_s)
    fitted = replace(request, rounds=max(FEWEST_ROUNDS, fitting))
    few = f"; {FEWEST_ROUNDS} are measured, the fewest that a test can decide" if fitting < FEWEST_ROUNDS else ""
    measurer.testbed.progress.say(
        f"a round takes {words_for(round_s)}: {plural(fitting, 'round')} in {words_for(spend_s)}{few}"
    )
    measurer.recorder.change_request(fitted)
    return Schedule(fitted, {*schedule.done, *((turn.contender.key, turn.round) for turn in first)})


def rounds_within(left_s: float, round_s: float) -> int:
    """The rounds in all, where the first one is measured and took `round_s`, and `left_s` is the time after it."""
    return 1 + min(max(0, int(left_s / round_s)), MOST_ROUNDS - 1)


def measure_as_built(
    measurer: Measurer, schedule: Schedule, contenders: Sequence[Contender], built: BuiltContenders
) -> None:
    """Proves and measures each contender once its target is built; further rounds follow when all are."""
    left = _announce(measurer, schedule, contenders)
    prover = Prover(measurer, schedule.request)
    waiting = {contender.key for contender in schedule.remaining(contenders)}
    measured: list[Contender] = []
    for contender in built.as_built():
        measurer.builds = built.building
        proven = prover.prove_all([contender] if contender.key in waiting else [])
        measurer.measure_turns(schedule, schedule.turns(proven, rounds=1), left)
        measured += proven
    later = replace(schedule, done={*schedule.done, *((contender.key, 1) for contender in measured)})
    measurer.measure_turns(later, later.turns(measured), left)


def _announce(measurer: Measurer, schedule: Schedule, contenders: Sequence[Contender]) -> TimeLeft:
    measurer.load_calibrations(contenders)
    left = TimeLeft(schedule.planned_s(contenders[0]))
    remaining, turns = schedule.remaining(contenders), schedule.turns(contenders)
    measurer.testbed.progress.say(left.announced(len(remaining), schedule.request.rounds, len(turns)))
    return left


def _at_equal_rate(
    measurer: Measurer, schedule: Schedule, contenders: Sequence[Contender]
) -> tuple[Schedule, list[Contender]]:
    """Finds the rate of each class by a short probe of each contender; one that breaks its limits is refused."""
    request, recorder = schedule.request, measurer.recorder
    throughputs: dict[str, dict[str, float]] = {}
    for contender in contenders:
        settling = request.settling.once
        run = RunRequest(contender, PROBE, probe_phases(request.phases), settling=settling, options=request)
        (result,) = measurer.measure(run)
        problem, throughput = recorder.problem_with(result), kept_throughput(result)
        if problem is not None or throughput is None:
            recorder.refuse(contender, problem or NO_RATE)
        else:
            throughputs.setdefault(contender.target.target_class, {})[contender.key] = throughput
    rates = {name: common_rate(own, name if len(throughputs) > 1 else "") for name, own in throughputs.items()}
    if rates:
        request = replace(request, class_rates={name: rate for name, (rate, _) in rates.items()})
        for _, words in rates.values():
            measurer.testbed.progress.say(words)
        recorder.change_request(request)
    kept = {key for own in throughputs.values() for key in own}
    return replace(schedule, request=request), [each for each in contenders if each.key in kept]


def kept_throughput(run: RunResult) -> float | None:
    """Throughput of a probe; None where it broke the limits that a rank needs."""
    if not run.phases:
        return None
    measured = run.phases[-1].measured
    if measured.throughput_per_s <= 0 or broken(ranking_slo(), figures_of_phase(measured)):
        return None
    return measured.throughput_per_s


def common_rate(throughputs: Mapping[str, float], target_class: str = "") -> tuple[float, str]:
    """The rate for all contenders of a class, from what each did in its probe, and a line on how it came about."""
    slowest = min(throughputs, key=throughputs.__getitem__)
    # Two digits: a probe of a few seconds knows no more.
    rate = float(f"{throughputs[slowest] * SHARE:.2g}")
    of = f" of the {target_class} class" if target_class else ""
    return rate, (
        f"equal load: {rate:,.10g}/s for every contender{of}. That is about {SHARE:.0%} of what {slowest}, the "
        f"slowest, did in its probe ({throughputs[slowest]:,.0f}/s)."
    )
