"""What tests of the pages agree on."""

HOSTILE = '<script>alert("x")</script>'
"""The name and the command of a target that means harm."""
