"""Runs the k6 engine: python engine.py --help."""

import sys

from k6_engine.cli import main

if __name__ == "__main__":
    sys.exit(main())
