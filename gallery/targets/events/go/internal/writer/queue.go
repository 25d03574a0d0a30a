package writer

import (
	"context"
	"hash/maphash"
	"sync"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

const (
	// A batch ends before the event that would exceed one of these, but has at least one event.
	maxBatchRows  = 1_000
	maxBatchBytes = 4 << 20
	// The bound in events would allow 20 GB of the largest events.
	maxWaitingBytes = 256 << 20
)

// queue is the bounded queue of events in the order of arrival, and knows which of it may be stored next.
type queue struct {
	bound int
	// concurrent is true when several batches can be in flight.
	concurrent bool
	seed       maphash.Seed

	mu      sync.Mutex
	arrived sync.Cond
	waiting ring[queued]
	bytes   int
	closed  bool
	// inFlight holds hashes of the entities that batches in flight update. A hash collision only costs a wait.
	inFlight map[uint64]struct{}
	// room is closed when a batch leaves; it is nil while no goroutine waits for room.
	room chan struct{}
}

// queued is an event that waits to be stored, and the receipt that waits for it.
type queued struct {
	event   event.Event
	receipt *Receipt
	index   int
}

// batch is what one statement stores. A flusher reuses its memory.
type batch struct {
	queued []queued
	events []event.Event
	// keys are hashes of the entities it touches.
	keys     []uint64
	outcomes []error
}

func newQueue(bound int, concurrent bool) *queue {
	q := &queue{bound: bound, concurrent: concurrent, seed: maphash.MakeSeed(), inFlight: map[uint64]struct{}{}}
	q.arrived.L = &q.mu
	return q
}

// push appends events in order, all or none; it rejects them when the queue is full.
func (q *queue) push(events []event.Event, receipt *Receipt) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if !q.hasRoom(events) {
		return fault.ErrOverloaded
	}
	q.append(events, receipt)
	return nil
}

// pushWaiting appends events once there is room.
func (q *queue) pushWaiting(ctx context.Context, events []event.Event, receipt *Receipt) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.hasRoom(events) {
		if q.room == nil {
			q.room = make(chan struct{})
		}
		room := q.room
		q.mu.Unlock()
		select {
		case <-room:
		case <-ctx.Done():
		}
		q.mu.Lock()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	q.append(events, receipt)
	return nil
}

// hasRoom lets an empty queue accept anything, or a bulk above the bound could never be stored.
func (q *queue) hasRoom(events []event.Event) bool {
	return q.waiting.len() == 0 ||
		q.waiting.len()+len(events) <= q.bound && q.bytes+footprint(events) <= maxWaitingBytes
}

func (q *queue) append(events []event.Event, receipt *Receipt) {
	for i := range events {
		q.waiting.push(queued{events[i], receipt, i})
		q.bytes += events[i].Footprint()
	}
	q.arrived.Signal()
}

// next fills b with all that may be stored now, up to the caps; it waits for something.
// It returns false once the queue is closed and empty.
func (q *queue) next(b *batch) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		q.fill(b)
		if len(b.queued) > 0 {
			break
		}
		if q.closed && q.waiting.len() == 0 {
			// Each flusher that ends wakes the next waiting one.
			q.arrived.Signal()
			return false
		}
		q.arrived.Wait()
	}
	if q.waiting.len() > 0 {
		q.arrived.Signal()
	}
	q.makeRoom()
	return true
}

// fill takes from the front up to the first event that must wait for a batch in flight. Those behind it wait too:
// overtaking would need a check of every queued key, for entities that are hot anyway.
func (q *queue) fill(b *batch) {
	rows, bytes := 0, 0
	for q.waiting.len() > 0 {
		next := q.waiting.front()
		rows += len(next.event.Entities)
		bytes += next.event.Bytes()
		if full := rows > maxBatchRows || bytes > maxBatchBytes; full && len(b.queued) > 0 {
			break
		}
		if !q.claim(&next.event, b) {
			break
		}
		q.bytes -= next.event.Footprint()
		b.queued = append(b.queued, *next)
		b.events = append(b.events, next.event)
		q.waiting.pop()
	}
	for _, key := range b.keys {
		q.inFlight[key] = struct{}{}
	}
}

// claim adds the event's keys to the batch, unless one of them belongs to a batch in flight.
func (q *queue) claim(e *event.Event, b *batch) bool {
	if !q.concurrent {
		return true
	}
	claimed := len(b.keys)
	for i := range e.Entities {
		key := q.hash(&e.Entities[i])
		if _, busy := q.inFlight[key]; busy {
			b.keys = b.keys[:claimed]
			return false
		}
		b.keys = append(b.keys, key)
	}
	return true
}

func (q *queue) hash(entity *event.Entity) uint64 {
	return maphash.Comparable(q.seed, [2]string{entity.Type, entity.ID})
}

// finish marks the batch as no longer in flight.
func (q *queue) finish(b *batch) {
	if !q.concurrent {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, key := range b.keys {
		delete(q.inFlight, key)
	}
	q.arrived.Signal()
}

// takeWaiting empties the queue.
func (q *queue) takeWaiting() []queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := make([]queued, 0, q.waiting.len())
	for q.waiting.len() > 0 {
		taken = append(taken, *q.waiting.front())
		q.waiting.pop()
	}
	q.bytes = 0
	q.makeRoom()
	return taken
}

// makeRoom wakes the goroutines that wait for room.
func (q *queue) makeRoom() {
	if q.room != nil {
		close(q.room)
		q.room = nil
	}
}

// close lets the flushers end when the queue is empty.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.arrived.Broadcast()
}

// reset drops the events and keeps the memory.
func (b *batch) reset() {
	clear(b.queued)
	clear(b.events)
	clear(b.outcomes)
	b.queued, b.events, b.keys, b.outcomes = b.queued[:0], b.events[:0], b.keys[:0], b.outcomes[:0]
}

func footprint(events []event.Event) int {
	bytes := 0
	for i := range events {
		bytes += events[i].Footprint()
	}
	return bytes
}
