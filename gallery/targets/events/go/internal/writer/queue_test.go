package writer

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

func push(t *testing.T, q *queue, events ...event.Event) {
	t.Helper()
	if err := q.push(events, newReceipt(len(events))); err != nil {
		t.Fatal(err)
	}
}

// taken is the first ID of each event of the next batch.
func taken(t *testing.T, q *queue) (*batch, []string) {
	t.Helper()
	b := new(batch)
	if !q.next(b) {
		t.Fatal("the queue is closed")
	}
	var ids []string
	for _, e := range b.events {
		ids = append(ids, e.Entities[0].ID)
	}
	return b, ids
}

func TestABatchIsAllThatWaits(t *testing.T) {
	q := newQueue(10, true)
	push(t, q, update("{}", "1"), update("{}", "2"))
	push(t, q, update("{}", "1"))
	if _, ids := taken(t, q); !reflect.DeepEqual(ids, []string{"1", "2", "1"}) {
		t.Errorf("got %v", ids)
	}
}

func TestAFullQueueRefusesAllOrNone(t *testing.T) {
	q := newQueue(2, true)
	push(t, q, update("{}", "1"))
	if err := q.push([]event.Event{update("{}", "2"), update("{}", "3")}, newReceipt(2)); !errors.Is(err, fault.ErrOverloaded) {
		t.Errorf("got %v", err)
	}
	push(t, q, update("{}", "4"))
	if _, ids := taken(t, q); !reflect.DeepEqual(ids, []string{"1", "4"}) {
		t.Errorf("got %v", ids)
	}
}

func TestTheQueueIsBoundInBytesToo(t *testing.T) {
	q := newQueue(1_000, true)
	large := event.Event{Entities: []event.Entity{{Type: "t", ID: "1"}}, Source: maxWaitingBytes}
	push(t, q, large)
	if err := q.push([]event.Event{update("{}", "2")}, newReceipt(1)); !errors.Is(err, fault.ErrOverloaded) {
		t.Errorf("got %v", err)
	}
	taken(t, q)
	push(t, q, update("{}", "2"))
}

func TestAnEmptyQueueTakesABulkAboveItsBound(t *testing.T) {
	q := newQueue(1, true)
	push(t, q, update("{}", "1"), update("{}", "2"))
	if _, ids := taken(t, q); len(ids) != 2 {
		t.Errorf("got %v", ids)
	}
}

func TestABatchEndsAtItsCaps(t *testing.T) {
	wide := func(id string, rows int) event.Event {
		e := update("{}", id)
		for range rows - 1 {
			e.Entities = append(e.Entities, event.Entity{Type: "t", ID: id})
		}
		return e
	}
	heavy := func(id string) event.Event { return update(strings.Repeat(" ", maxBatchBytes/2), id) }
	for name, events := range map[string][]event.Event{
		"rows":  {wide("1", maxBatchRows-1), update("{}", "2"), update("{}", "3")},
		"bytes": {heavy("1"), update("{}", "2"), heavy("3")},
	} {
		t.Run(name, func(t *testing.T) {
			q := newQueue(10, false)
			push(t, q, events...)
			for _, want := range [][]string{{"1", "2"}, {"3"}} {
				if _, ids := taken(t, q); !reflect.DeepEqual(ids, want) {
					t.Errorf("got %v, want %v", ids, want)
				}
			}
		})
	}
}

func TestEventWaitsForABatchInFlightOfItsEntity(t *testing.T) {
	q := newQueue(10, true)
	push(t, q, update("{}", "1", "2"))
	first, _ := taken(t, q)
	push(t, q, update("{}", "3"), update("{}", "4", "2"), update("{}", "5"))
	// Those behind it wait with it.
	second, ids := taken(t, q)
	if !reflect.DeepEqual(ids, []string{"3"}) {
		t.Errorf("got %v", ids)
	}
	q.finish(second)
	q.finish(first)
	if _, ids := taken(t, q); !reflect.DeepEqual(ids, []string{"4", "5"}) {
		t.Errorf("got %v", ids)
	}
}

func TestAFlusherSleepsUntilTheEntityIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(10, true)
		push(t, q, update("{}", "1"))
		first, _ := taken(t, q)
		push(t, q, update("{}", "1"))
		got := make(chan []string)
		go func() {
			_, ids := taken(t, q)
			got <- ids
		}()
		synctest.Wait()
		select {
		case ids := <-got:
			t.Errorf("got %v while the entity is in flight", ids)
		default:
		}
		q.finish(first)
		if ids := <-got; !reflect.DeepEqual(ids, []string{"1"}) {
			t.Errorf("got %v", ids)
		}
	})
}

func TestAStreamWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, true)
		push(t, q, update("{}", "1"))
		accepted := make(chan error, 1)
		go func() { accepted <- q.pushWaiting(t.Context(), []event.Event{update("{}", "2")}, newReceipt(1)) }()
		synctest.Wait()
		if len(accepted) != 0 {
			t.Error("accepted although the queue is full")
		}
		taken(t, q)
		if err := <-accepted; err != nil {
			t.Error(err)
		}
		if _, ids := taken(t, q); !reflect.DeepEqual(ids, []string{"2"}) {
			t.Errorf("got %v", ids)
		}
	})
}

func TestAStreamThatEndsDoesNotWaitForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1, true)
		push(t, q, update("{}", "1"))
		ctx, cancel := context.WithCancel(t.Context())
		accepted := make(chan error, 1)
		go func() { accepted <- q.pushWaiting(ctx, []event.Event{update("{}", "2")}, newReceipt(1)) }()
		synctest.Wait()
		cancel()
		if err := <-accepted; !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestAClosedQueueIsEmptiedFirst(t *testing.T) {
	q := newQueue(10, true)
	push(t, q, update("{}", "1"))
	q.close()
	b, ids := taken(t, q)
	if !reflect.DeepEqual(ids, []string{"1"}) {
		t.Errorf("got %v", ids)
	}
	b.reset()
	if q.next(b) {
		t.Error("there is nothing left")
	}
}
