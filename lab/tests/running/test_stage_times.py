from bakeoff.running.stage_times import StageTimes, mean_in_words


def test_time_is_given_to_what_it_was_spent_on() -> None:
    instants = iter([10.0, 11.0, 15.0, 15.5, 16.0])
    stages = StageTimes(lambda: next(instants))
    stages.mark("start")
    stages.mark("engine", without_s=3.0)
    stages.mark("stop")
    stages.mark("start")
    assert stages.seconds == {"start": 1.5, "engine": 1.0, "stop": 0.5}


def test_a_span_is_never_negative() -> None:
    instants = iter([0.0, 1.0])
    stages = StageTimes(lambda: next(instants))
    stages.mark("engine", without_s=1.2)
    assert stages.seconds == {"engine": 0.0}


def test_runs_are_mean_in_words_by_their_mean() -> None:
    runs = [{"start": 1.0, "audit": 0.5}, {"start": 2.0}]
    assert mean_in_words(runs) == "time outside the phases: 1.8 s per run (start 1.5, audit 0.2)"
    assert mean_in_words([]) is None
