"""The k6 engine: starts k6 with a plan, and writes its figures as the result stream (lab/src/bakeoff/formats)."""
