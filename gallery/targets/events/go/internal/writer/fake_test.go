package writer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"

	"example.com/bakeoff/events/internal/event"
)

var (
	errRefused = errors.New("refused")
	quiet      = slog.New(slog.DiscardHandler)
)

// fakeStorage keeps documents as they were stored, one behind the other.
type fakeStorage struct {
	mu      sync.Mutex
	stored  map[string][]string
	batches []int
	// fail is asked before rows are stored.
	fail func(Rows) error
	// gate, if any, holds up each store until something is sent.
	gate chan struct{}
}

func newFakeStorage() *fakeStorage {
	return &fakeStorage{stored: map[string][]string{}, fail: func(Rows) error { return nil }}
}

func (s *fakeStorage) Store(ctx context.Context, rows Rows) error {
	if s.gate != nil {
		select {
		case <-s.gate:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ErrDatabaseUnavailable, ctx.Err())
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.fail(rows); err != nil {
		return err
	}
	s.batches = append(s.batches, rows.Len())
	for i, id := range rows.IDs {
		s.stored[id] = append(s.stored[id], rows.Documents[i])
	}
	return nil
}

func (s *fakeStorage) Check(context.Context) error { return nil }

// refuseID refuses rows that hold an entity.
func refuseID(id string) func(Rows) error {
	return func(rows Rows) error {
		if strings.Contains(strings.Join(rows.IDs, " "), id) {
			return errRefused
		}
		return nil
	}
}

// update is an event that updates entities with one document.
func update(document string, ids ...string) event.Event {
	var e event.Event
	for _, id := range ids {
		e.Entities = append(e.Entities, event.Entity{Type: "t", ID: id, Attributes: document})
	}
	return e
}
