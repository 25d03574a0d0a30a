package writer

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bakeoff/events/internal/fault"
)

func modes(t *testing.T, queueEvents int, test func(*testing.T, *fakeStorage, *Writer)) {
	for _, mode := range []Mode{GroupCommit, PerRequest} {
		t.Run(string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				storage := newFakeStorage()
				w := Start(t.Context(), storage, Options{Mode: mode, Flushers: 2, QueueEvents: queueEvents}, quiet)
				test(t, storage, w)
				w.Drain()
			})
		})
	}
}

func TestAnEventIsAcknowledgedOnlyAfterItIsStored(t *testing.T) {
	modes(t, 10, func(t *testing.T, storage *fakeStorage, w *Writer) {
		storage.gate = make(chan struct{})
		stored := make(chan error, 1)
		go func() { stored <- w.Store(t.Context(), update("{}", "1")) }()
		synctest.Wait()
		if len(stored) != 0 {
			t.Error("acknowledged before it is stored")
		}
		storage.gate <- struct{}{}
		if err := <-stored; err != nil || len(storage.stored["1"]) != 1 {
			t.Errorf("got %v, stored %v", err, storage.stored)
		}
	})
}

func TestRejectedEventIsAnInternalError(t *testing.T) {
	modes(t, 10, func(t *testing.T, storage *fakeStorage, w *Writer) {
		storage.fail = refuseID("bad")
		if err := w.Store(t.Context(), update("{}", "bad")); !errors.Is(err, fault.ErrInternal) {
			t.Errorf("got %v", err)
		}
	})
}

func TestClientDisconnectDoesNotCancelTheWrite(t *testing.T) {
	modes(t, 10, func(t *testing.T, storage *fakeStorage, w *Writer) {
		ctx, leave := context.WithCancel(t.Context())
		leave()
		if err := w.Store(ctx, update("{}", "1")); err != nil || len(storage.stored["1"]) != 1 {
			t.Errorf("got %v, stored %v", err, storage.stored)
		}
	})
}

func TestEventsOfAStreamTakeEffectInTheirOrder(t *testing.T) {
	modes(t, 4, func(t *testing.T, storage *fakeStorage, w *Writer) {
		var receipts []*Receipt
		for i := range 100 {
			receipt, err := w.Accept(t.Context(), update(fmt.Sprintf(`{"n":%d}`, i), "1"))
			if err != nil {
				t.Fatal(err)
			}
			receipts = append(receipts, receipt)
		}
		for _, receipt := range receipts {
			if err := receipt.Outcome(); err != nil {
				t.Error(err)
			}
		}
		next := 0
		for _, document := range storage.stored["1"] {
			for _, member := range members(document) {
				if want := fmt.Sprintf(`"n":%d`, next); member != want {
					t.Fatalf("got %s, want %s", member, want)
				}
				next++
			}
		}
		if next != 100 {
			t.Errorf("%d are stored", next)
		}
	})
}

func TestOverload(t *testing.T) {
	modes(t, 1, func(t *testing.T, storage *fakeStorage, w *Writer) {
		storage.gate = make(chan struct{})
		const requests = 8
		outcomes := make(chan error, requests)
		for i := range requests {
			go func() { outcomes <- w.Store(t.Context(), update("{}", fmt.Sprint(i))) }()
			synctest.Wait()
		}
		if len(outcomes) == 0 {
			t.Error("nothing is refused")
		}
		accepted := requests - len(outcomes)
		for range requests - accepted {
			if err := <-outcomes; !errors.Is(err, fault.ErrOverloaded) {
				t.Errorf("got %v", err)
			}
		}
		close(storage.gate)
		for range accepted {
			if err := <-outcomes; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestDrainStoresWhatWasAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		storage := newFakeStorage()
		storage.gate = make(chan struct{}, 3)
		w := Start(t.Context(), storage, Options{Mode: GroupCommit, Flushers: 1, QueueEvents: 10}, quiet)
		for _, id := range []string{"1", "2", "3"} {
			if _, err := w.Accept(t.Context(), update("{}", id)); err != nil {
				t.Fatal(err)
			}
		}
		close(storage.gate)
		w.Drain()
		if len(storage.stored) != 3 {
			t.Errorf("stored %v", storage.stored)
		}
	})
}

func TestUnderLoadManyEventsShareACommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		storage := newFakeStorage()
		storage.gate = make(chan struct{})
		w := Start(t.Context(), storage, Options{Mode: GroupCommit, Flushers: 1, QueueEvents: 100}, quiet)
		for i := range 10 {
			go func() { _ = w.Store(t.Context(), update("{}", fmt.Sprint(i))) }()
			synctest.Wait()
		}
		close(storage.gate)
		w.Drain()
		if !reflect.DeepEqual(storage.batches, []int{1, 9}) {
			t.Errorf("got batches of %v", storage.batches)
		}
	})
}

func TestCancelledWritingFailsAllQueuedEvents(t *testing.T) {
	for _, mode := range []Mode{GroupCommit, PerRequest} {
		t.Run(string(mode), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				storage := newFakeStorage()
				storage.gate = make(chan struct{})
				ctx, giveUp := context.WithCancel(t.Context())
				w := Start(ctx, storage, Options{Mode: mode, Flushers: 1, QueueEvents: 10}, quiet)
				outcomes := make(chan error, 2)
				for _, id := range []string{"1", "2"} {
					go func() { outcomes <- w.Store(t.Context(), update("{}", id)) }()
				}
				synctest.Wait()
				giveUp()
				w.Drain()
				for range cap(outcomes) {
					if err := <-outcomes; !errors.Is(err, fault.ErrUnavailable) {
						t.Errorf("got %v", err)
					}
				}
			})
		})
	}
}

func TestEveryFlusherEndsWhateverItWaitedFor(t *testing.T) {
	for name, end := range map[string]func(giveUp func(), storage *fakeStorage){
		"given up": func(giveUp func(), _ *fakeStorage) { giveUp() },
		"stored":   func(_ func(), storage *fakeStorage) { close(storage.gate) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				storage := newFakeStorage()
				storage.gate = make(chan struct{})
				ctx, giveUp := context.WithCancel(t.Context())
				defer giveUp()
				w := Start(ctx, storage, Options{Mode: GroupCommit, Flushers: 8, QueueEvents: 10}, quiet)
				for range 2 {
					// Of one entity: the second waits for the first, and all flushers but one for what may be stored.
					if _, err := w.Accept(t.Context(), update("{}", "1")); err != nil {
						t.Fatal(err)
					}
					synctest.Wait()
				}
				drained := make(chan struct{})
				go func() {
					w.Drain()
					close(drained)
				}()
				synctest.Wait()
				end(giveUp, storage)
				<-drained
			})
		})
	}
}

func TestQueuedEventsFailTogetherWhenTheDatabaseHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		storage := newFakeStorage()
		const hanging = 10 * time.Second
		storage.fail = func(Rows) error {
			time.Sleep(hanging)
			return ErrDatabaseUnavailable
		}
		w := Start(t.Context(), storage, Options{Mode: GroupCommit, Flushers: 1, QueueEvents: 10_000}, quiet)
		began := time.Now()
		// As many as several batches hold.
		receipts := make([]*Receipt, 5*maxBatchRows)
		for i := range receipts {
			var err error
			if receipts[i], err = w.Accept(t.Context(), update("{}", fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		for _, receipt := range receipts {
			if err := receipt.Outcome(); !errors.Is(err, fault.ErrUnavailable) {
				t.Fatalf("got %v", err)
			}
		}
		if took := time.Since(began); took != hanging {
			t.Errorf("the last failed after %v", took)
		}
		w.Drain()
	})
}

func TestRequestsInFlightAreBoundedInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		storage := newFakeStorage()
		storage.gate = make(chan struct{})
		w := Start(t.Context(), storage, Options{Mode: PerRequest, QueueEvents: 10}, quiet)
		large := update("{}", "1")
		large.Source = maxWaitingBytes - large.Bytes()
		stored := make(chan error, 1)
		go func() { stored <- w.Store(t.Context(), large) }()
		synctest.Wait()
		if err := w.Store(t.Context(), update("{}", "2")); !errors.Is(err, fault.ErrOverloaded) {
			t.Errorf("got %v", err)
		}
		close(storage.gate)
		if err := <-stored; err != nil {
			t.Error(err)
		}
		if err := w.Store(t.Context(), update("{}", "2")); err != nil {
			t.Error(err)
		}
	})
}

// members are those of an object without nesting.
func members(object string) []string {
	var found []string
	start := 1
	for i := 1; i < len(object); i++ {
		if object[i] == ',' || object[i] == '}' {
			found = append(found, object[start:i])
			start = i + 1
		}
	}
	return found
}
