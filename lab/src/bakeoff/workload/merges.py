"""The slot `merge`: a number that distinguishes the merges of one key, so that an audit sees each of them."""

from bakeoff.workload.plan_records import PlannedReuse
from bakeoff.workload.slots import MergeSlot, Segments, SequenceSlot

# A message with ${merge} in the name of a member adds that member to the document; with the numbers of all merges a hot
# key's document would grow for as long as the run lasts.
HOT_KEY_MERGES = 16
# The oldest of a user's n keys is merged about share ÷ (1 − share) × ln n times: below 40 up to here.
_MOST_UPDATES = 0.75


def with_merges_numbered(template: Segments, reuse: PlannedReuse | None) -> Segments:
    """The template with `merge` replaced by the event's sequence; on hot keys by its remainder, which bounds them.

    `reuse` is that of the kind of keys that the operation has.
    """
    slot = SequenceSlot(HOT_KEY_MERGES if _are_hot(reuse) else None)
    return [slot if isinstance(part, MergeSlot) else part for part in template]


def _are_hot(reuse: PlannedReuse | None) -> bool:
    """Whether some keys are merged again and again without end."""
    if reuse is None:
        return False
    return reuse.pick != "uniform" or reuse.share > _MOST_UPDATES or reuse.shared is not None
