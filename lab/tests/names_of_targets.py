"""Names of targets that pages must show as text."""

HOSTILE = '<script>alert("x")</script>'
"""The name and the command of a target that means harm."""
LONG = "name-without-end-" * 14
"""The name of a target that means no harm."""
