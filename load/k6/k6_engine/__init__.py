"""The k6 engine: starts k6 with a plan and turns what it measures into the result stream of lab/src/bakeoff/formats/README.md."""
