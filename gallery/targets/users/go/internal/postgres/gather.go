package postgres

import (
	"context"
	"runtime"
	"sync"
	"time"

	"grpc-user-service/internal/user"
)

const (
	// mostTogether bounds what shares a transaction.
	mostTogether = 512
	// longestFlush is the timeout of a transaction.
	longestFlush = 10 * time.Second
)

// waiting is an operation that waits for its turn.
type waiting interface {
	// context ends when no caller waits any more.
	context() context.Context
	// end delivers the outcome.
	end(error)
}

// call is the part of an operation that its caller waits for.
type call struct {
	ctx  context.Context
	done chan error
}

func newCall(ctx context.Context) call { return call{ctx: ctx, done: make(chan error, 1)} }

func (c call) context() context.Context { return c.ctx }
func (c call) end(err error)            { c.done <- err }

// outcome waits until the operation has ended, or its context.
func (c call) outcome() error {
	select {
	case err := <-c.done:
		return fault(err)
	case <-c.ctx.Done():
		return c.ctx.Err()
	}
}

type gatherLimit struct {
	flushers, queue int
	perRequest      bool
}

// gatherer runs what is queued together: each flusher takes what is there and never waits for more, so that batches
// grow with the load alone (natural batching).
type gatherer[T waiting] struct {
	limit gatherLimit
	queue chan T
	// run ends every operation that it gets.
	run     func(context.Context, []T)
	running sync.WaitGroup
}

func newGatherer[T waiting](limit gatherLimit, run func(context.Context, []T)) *gatherer[T] {
	g := &gatherer[T]{limit: limit, queue: make(chan T, limit.queue), run: run}
	if !limit.perRequest {
		for range limit.flushers {
			g.running.Go(g.flush)
		}
	}
	return g
}

// do queues an operation, which is ended later; ErrOverloaded when too many wait.
func (g *gatherer[T]) do(operation T) error {
	if g.limit.perRequest {
		g.run(operation.context(), []T{operation})
		return nil
	}
	select {
	case g.queue <- operation:
		return nil
	default:
		return user.ErrOverloaded
	}
}

// close ends the flushers when the queue is empty. No operation may be queued afterwards.
func (g *gatherer[T]) close() {
	close(g.queue)
	g.running.Wait()
}

func (g *gatherer[T]) flush() {
	batch := make([]T, 0, mostTogether)
	for first := range g.queue {
		// Callers that are ready to run join the batch: one turn of the scheduler, and no time when nothing else is ready.
		runtime.Gosched()
		batch = g.gather(append(batch[:0], first))
		if len(batch) == 0 {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), longestFlush)
		g.run(ctx, batch)
		cancel()
		clear(batch)
	}
}

// gather adds what is queued, and leaves out operations without a caller.
func (g *gatherer[T]) gather(batch []T) []T {
	for len(batch) < mostTogether {
		select {
		case next, open := <-g.queue:
			if !open {
				return waited(batch)
			}
			batch = append(batch, next)
		default:
			return waited(batch)
		}
	}
	return waited(batch)
}

func waited[T waiting](batch []T) []T {
	kept := batch[:0]
	for _, operation := range batch {
		if err := operation.context().Err(); err != nil {
			operation.end(err)
		} else {
			kept = append(kept, operation)
		}
	}
	return kept
}
