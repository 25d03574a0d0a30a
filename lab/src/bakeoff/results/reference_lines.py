"""The reference lines: what each is called, and how many rows it stores in a transaction."""

ONE_EACH = "one upsert per event"
BATCHES = "batches of 500"

ROWS_PER_COMMIT = {ONE_EACH: 1, BATCHES: 500}
