"""Whether what a request calls its scale can be one: a factor with enough levels that are counts."""

from bakeoff.comparing.request import ComparisonRequest
from bakeoff.errors import UsageError
from bakeoff.judging.scaling import USERS
from bakeoff.judging.usl import FEWEST_COUNTS
from bakeoff.text.hints import hint


def check_scale(request: ComparisonRequest) -> None:
    """Raises UsageError for a scale that no curve can be fitted along."""
    name = request.scale
    if name is None:
        return
    counts = _counts_of(request, name)
    wrong = next((level for level in counts if not level.isdecimal() or int(level) < 1), None)
    if wrong is not None:
        raise UsageError(
            f"scale: {name} has the level {wrong}, which is no count: name a factor of whole numbers from 1."
        )
    if len(set(counts)) < FEWEST_COUNTS:
        raise UsageError(
            f"scale: {name} has {len(set(counts))} levels ({', '.join(counts)}). The law has three "
            f"coefficients: give {name} {FEWEST_COUNTS} levels or more, such as 1, 2, 4 and 8."
        )


def _counts_of(request: ComparisonRequest, name: str) -> list[str]:
    if name == USERS:
        return [str(phase.virtual_users) for phase in request.phases if phase.rate_per_s is None]
    varied = {factor: [str(level) for level in levels] for factor, levels in request.levels.items()}
    varied |= {setting: list(levels) for setting, levels in request.settings.items()}
    if name not in varied:
        raise UsageError(f"scale: {name} is not varied. {hint(name, [*varied, USERS], 'Varied')}".strip())
    return varied[name]
