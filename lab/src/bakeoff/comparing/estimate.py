"""How long a comparison takes, from what its runs have taken so far."""

from bakeoff.text.durations import words_for

# Start, audit and stop of a run, until a run of this comparison has shown it.
_OVERHEAD_S = 3.0
_PROVING_S = 4.0


class Estimate:
    """`phases_s` is how long a run's phases are planned to take."""

    def __init__(self, phases_s: float) -> None:
        self._phases_s = phases_s
        self._taken_s: list[float] = []

    def learn(self, seconds: float) -> None:
        """A run has taken so long."""
        self._taken_s.append(seconds)

    def left_s(self, runs: int) -> float:
        """How long so many runs will take."""
        each = sum(self._taken_s) / len(self._taken_s) if self._taken_s else self._phases_s + _OVERHEAD_S
        return runs * each

    def announced(self, contenders: int, rounds: int, runs: int) -> str:
        """What is to come, in a line."""
        seconds = self.left_s(runs) + contenders * _PROVING_S
        several = f" in {rounds} rounds" if rounds > 1 else ""
        return (
            f"{runs} run{'' if runs == 1 else 's'} of {contenders} contender{'' if contenders == 1 else 's'}{several}: "
            f"about {words_for(seconds)}"
        )
