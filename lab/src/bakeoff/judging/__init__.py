"""From stored runs to verdicts: medians with intervals, ties, bottlenecks and findings."""
