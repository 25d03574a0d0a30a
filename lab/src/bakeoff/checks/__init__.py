"""The checks of the project itself: what .ci/checks.toml declares, and how they run beside one another."""
