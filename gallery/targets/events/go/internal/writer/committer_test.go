package writer

import (
	"context"
	"reflect"
	"testing"
	"testing/synctest"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

func commitAll(ctx context.Context, storage Storage, events ...event.Event) []error {
	outcomes := make([]error, len(events))
	(&committer{storage, NewOutage(quiet), quiet}).commit(ctx, events, outcomes)
	return outcomes
}

func TestABatchIsOneStatement(t *testing.T) {
	storage := newFakeStorage()
	outcomes := commitAll(t.Context(), storage, update("{}", "1"), update("{}", "2", "3"))
	if !reflect.DeepEqual(outcomes, []error{nil, nil}) || !reflect.DeepEqual(storage.batches, []int{3}) {
		t.Errorf("got %v and batches of %v", outcomes, storage.batches)
	}
}

func TestRejectedEventFailsAlone(t *testing.T) {
	storage := newFakeStorage()
	storage.fail = refuseID("bad")
	outcomes := commitAll(t.Context(), storage,
		update(`{"a":1}`, "1"), update(`{"a":2}`, "1"), update("{}", "bad", "2"), update(`{"a":3}`, "1"), update("{}", "3"))
	want := []error{nil, nil, fault.ErrInternal, nil, nil}
	if !reflect.DeepEqual(outcomes, want) {
		t.Errorf("got %v, want %v", outcomes, want)
	}
	// The event at fault is stored in no part, and the others in their order.
	stored := map[string][]string{"1": {`{"a":1,"a":2}`, `{"a":3}`}, "3": {"{}"}}
	if !reflect.DeepEqual(storage.stored, stored) {
		t.Errorf("stored %v, want %v", storage.stored, stored)
	}
}

func TestUnavailableDatabaseDoesNotSplitBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		storage, attempts := newFakeStorage(), map[int]int{}
		storage.fail = func(rows Rows) error {
			attempts[rows.Len()]++
			return ErrDatabaseUnavailable
		}
		outcomes := commitAll(t.Context(), storage, update("{}", "1"), update("{}", "2"))
		if !reflect.DeepEqual(outcomes, []error{fault.ErrUnavailable, fault.ErrUnavailable}) {
			t.Errorf("got %v", outcomes)
		}
		if len(attempts) != 1 || attempts[2] < 2 {
			t.Errorf("attempts by rows: %v", attempts)
		}
	})
}
