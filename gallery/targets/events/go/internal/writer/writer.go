// Package writer stores events, by the strategy that was chosen.
package writer

import (
	"context"
	"log/slog"
	"time"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

// Mode is how events reach the database.
type Mode string

// The write modes of the contract.
const (
	// GroupCommit lets many requests share a transaction.
	GroupCommit Mode = "group-commit"
	// PerRequest gives each request its own.
	PerRequest Mode = "per-request"
)

// Options choose and size the strategy.
type Options struct {
	Mode Mode
	// Flushers is how many batches are in flight at once.
	Flushers int
	// QueueEvents bounds the queued events; in per-request mode the requests in flight.
	QueueEvents int
}

// Writer stores events. It is safe for concurrent use.
type Writer struct {
	strategy strategy
	storage  Storage
}

type strategy interface {
	// submit accepts events in order, all or none, or rejects them when there is no room.
	submit(ctx context.Context, events []event.Event) (*Receipt, error)
	// submitWaiting accepts them once there is room.
	submitWaiting(ctx context.Context, events []event.Event) (*Receipt, error)
	// drain stores what was accepted and stops.
	drain()
}

// Start starts the strategy of the options. When ctx ends, what has not been stored fails.
func Start(ctx context.Context, storage Storage, options Options, log *slog.Logger) *Writer {
	commit := &committer{storage: storage, outage: NewOutage(log), log: log}
	w := &Writer{storage: storage}
	if options.Mode == PerRequest {
		w.strategy = newPerRequest(ctx, commit, options.QueueEvents)
	} else {
		w.strategy = startGroupCommit(ctx, commit, options.Flushers, options.QueueEvents)
	}
	return w
}

// Store stores an event; it returns when the event is durable, or known not to be.
func (w *Writer) Store(ctx context.Context, e event.Event) error {
	receipt, err := w.strategy.submit(ctx, []event.Event{e})
	if err != nil {
		return err
	}
	return receipt.Outcome()
}

// Accept accepts an event of a stream as soon as there is room. Events accepted one after another take effect
// in that order.
func (w *Writer) Accept(ctx context.Context, e event.Event) (*Receipt, error) {
	return w.strategy.submitWaiting(ctx, []event.Event{e})
}

// StoreBulk stores those events of a bulk that are valid, each all or none, in their order. It fails as a whole
// when no event is valid, when there is no room, and when the database was unavailable for all of them.
func (w *Writer) StoreBulk(ctx context.Context, events []event.Decoded) (Report, error) {
	started := time.Now()
	valid := make([]event.Event, 0, len(events))
	for i := range events {
		if events[i].Err == nil {
			valid = append(valid, events[i].Event)
		}
	}
	if len(valid) == 0 {
		return Report{}, noneValid(events)
	}
	receipt, err := w.strategy.submit(ctx, valid)
	if err != nil {
		return Report{}, err
	}
	outcomes := receipt.Outcomes()
	if allUnavailable(outcomes) {
		return Report{}, fault.ErrUnavailable
	}
	return newReport(events, outcomes, time.Since(started)), nil
}

// Healthy reports whether the database answers now.
func (w *Writer) Healthy(ctx context.Context) bool {
	return w.storage.Check(ctx) == nil
}

// Drain stores what was accepted and stops. Call it when no request is in flight.
func (w *Writer) Drain() { w.strategy.drain() }

func allUnavailable(outcomes []error) bool {
	for _, outcome := range outcomes {
		if outcome == nil || fault.Of(outcome).Kind != fault.Unavailable {
			return false
		}
	}
	return true
}
