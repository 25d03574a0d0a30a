"""The k6 engine: starts k6 with a plan and turns what it measures into the result stream of contract/README.md."""
