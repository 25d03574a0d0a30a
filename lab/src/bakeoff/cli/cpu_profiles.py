"""Writes the differential flame graph of two contenders beside the reports."""

from collections.abc import Iterator

from bakeoff.cli.output import say
from bakeoff.comparing.cpu_profiles import CpuProfile, profile_both
from bakeoff.comparing.request import ComparisonRequest
from bakeoff.documents.whole_file import write_whole
from bakeoff.project import Project, path_here
from bakeoff.reporting.reasons import Reason, RequestCost
from bakeoff.running.contender import Contender
from bakeoff.running.progress import Progress


def write_profile(
    project: Project,
    request: ComparisonRequest,
    comparison_id: int | None,
    pair: tuple[Contender, Contender],
    progress: Progress,
) -> Reason | None:
    """Profiles both, writes the picture, and gives the functions that grew, and what a request allocates.

    None where there is neither a picture nor a count of allocations.
    """
    profile = profile_both(project, request, pair, progress)
    file = project.results / f"comparison-{comparison_id or 'unnamed'}-{profile.target}-cpu.svg"
    if profile.flame_graph:
        write_whole(file, profile.flame_graph.encode())
        say(f"Differential flame graph: {path_here(file)}")
    else:
        say(f"The CPU of both sides could not be compared. {profile.unsampled}")
    if profile.allocated.unknown:
        say(f"Allocations of {profile.target} are not known. {profile.allocated.unknown}")
    functions = f"{profile.words} All of them: {file.name}" if profile.grown else ""
    words = " ".join(filter(None, (functions, profile.words_about_allocations)))
    picture = file.name if profile.flame_graph else ""
    return Reason(words, [*_costs(profile)], picture) if words or picture else None


def _costs(profile: CpuProfile) -> Iterator[RequestCost]:
    before, after = profile.allocated.before, profile.allocated.after
    if before is not None and after is not None:
        yield RequestCost(profile.target, "allocated", before, after)
    yield from (RequestCost(each.function, "CPU", each.before, each.after) for each in profile.grown)
