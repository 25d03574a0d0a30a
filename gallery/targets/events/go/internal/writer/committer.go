package writer

import (
	"context"
	"errors"
	"log/slog"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

// committer stores batches: it retries during an outage and halves a rejected batch, so that one bad event
// cannot fail its neighbours.
type committer struct {
	storage Storage
	outage  *Outage
	log     *slog.Logger
}

// commit stores events in this order and records the outcome of each.
func (c *committer) commit(ctx context.Context, events []event.Event, outcomes []error) {
	err := c.store(ctx, events)
	switch {
	case err == nil:
		clear(outcomes)
	case errors.Is(err, ErrDatabaseUnavailable):
		fill(outcomes, fault.ErrUnavailable)
	case len(events) == 1:
		c.log.Error("the database rejected an event", "reason", err)
		outcomes[0] = fault.ErrInternal
	default:
		// From left to right, so that the order holds.
		half := len(events) / 2
		c.commit(ctx, events[:half], outcomes[:half])
		c.commit(ctx, events[half:], outcomes[half:])
	}
}

func (c *committer) store(ctx context.Context, events []event.Event) error {
	rows := merge(events)
	if c.log.Enabled(ctx, slog.LevelDebug) {
		c.log.Debug("storing", "events", len(events), "rows", rows.Len())
	}
	return c.outage.Retry(ctx, func(ctx context.Context) error { return c.storage.Store(ctx, rows) })
}

func fill(outcomes []error, outcome error) {
	for i := range outcomes {
		outcomes[i] = outcome
	}
}
