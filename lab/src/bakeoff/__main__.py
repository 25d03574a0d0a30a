"""`python -m bakeoff`."""

from bakeoff.cli.app import main

if __name__ == "__main__":
    main()
