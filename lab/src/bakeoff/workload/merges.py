"""The slots `merge` and `merge_value`: a member for each merge of a key, so that an audit sees all."""

from bakeoff.workload.plan_records import PlannedReuse
from bakeoff.workload.slots import MergeSlot, MergeValueSlot, Segment, Segments, SequenceSlot
from bakeoff.workload.template import append_literal

# A message with ${merge} in the name of a member adds that member to the document; with the numbers of all merges a hot
# key's document would grow for as long as the run lasts.
HOT_KEY_MERGES = 16
# The oldest of a user's n keys is merged about share ÷ (1 − share) × ln n times: below 40 up to here.
_MOST_UPDATES = 0.75
# The fewest bytes in PostgreSQL: where a number never repeats, the name alone distinguishes the merge.
_SHORTEST_VALUE = "true"


def with_merges_numbered(template: Segments, reuse: PlannedReuse | None) -> Segments:
    """The template with `merge` replaced by the event's sequence, and `merge_value` by a constant.

    On hot keys `merge` is the remainder of the sequence, which bounds the document, and `merge_value` the sequence,
    which distinguishes merges with the same remainder. `reuse` is that of the kind of keys that the operation has.
    """
    hot = _are_hot(reuse)
    numbered: Segments = []
    for part in template:
        replaced = _replaced(part, hot)
        if isinstance(replaced, str):
            append_literal(numbered, replaced)
        else:
            numbered.append(replaced)
    return numbered


def _replaced(part: Segment, hot: bool) -> Segment:
    match part:
        case MergeSlot():
            return SequenceSlot(HOT_KEY_MERGES if hot else None)
        case MergeValueSlot():
            return SequenceSlot() if hot else _SHORTEST_VALUE
    return part


def _are_hot(reuse: PlannedReuse | None) -> bool:
    """Whether some keys are merged again and again without end."""
    if reuse is None:
        return False
    return reuse.pick != "uniform" or reuse.share > _MOST_UPDATES or reuse.shared is not None
