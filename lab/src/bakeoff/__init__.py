"""A lab for fair head-to-head performance tests of API implementations."""

__version__ = "0.1.0"
