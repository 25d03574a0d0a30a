"""Names of modes that figures depend on."""

SMOKE_MODE = "smoke"
COUNT = "count"
SATURATION = "saturation"
# PostgreSQL's own settings of checkpoints and autovacuum, and windows that contain both.
SUSTAINED = "sustained"
# Their phases end after a number of requests: they show that things work, or reproduce another tool's run.
UNRANKED = (SMOKE_MODE, COUNT)
