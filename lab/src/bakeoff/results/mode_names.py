"""Names of modes that figures depend on."""

SMOKE_MODE = "smoke"
COUNT = "count"
SATURATION = "saturation"
# Their phases end after a number of requests: they show that things work, or reproduce another tool's run.
UNRANKED = (SMOKE_MODE, COUNT)
