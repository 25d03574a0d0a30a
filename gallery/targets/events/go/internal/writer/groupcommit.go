package writer

import (
	"context"
	"slices"
	"sync"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

// groupCommit turns many requests into few commits: events wait in a queue, and each free flusher stores all that wait.
//
// There is no timer. A single event is stored at once; under load a batch is what arrived during the last commit.
type groupCommit struct {
	queue    *queue
	commit   *committer
	flushers sync.WaitGroup
}

// startGroupCommit starts flushers that end when drain is called. ctx cuts short what they do.
func startGroupCommit(ctx context.Context, commit *committer, flushers, queueEvents int) *groupCommit {
	g := &groupCommit{queue: newQueue(queueEvents, flushers > 1), commit: commit}
	for range flushers {
		g.flushers.Go(func() { g.flush(ctx) })
	}
	return g
}

// flush stores batch after batch until the queue is closed and empty.
func (g *groupCommit) flush(ctx context.Context) {
	var b batch
	for g.queue.next(&b) {
		b.outcomes = slices.Grow(b.outcomes, len(b.events))[:len(b.events)]
		g.commit.commit(ctx, b.events, b.outcomes)
		if slices.Contains(b.outcomes, fault.ErrUnavailable) {
			g.rejectWaiting()
		}
		// Before the replies: a client that has one may send the next update of the same entity.
		g.queue.finish(&b)
		for i := range b.queued {
			b.queued[i].receipt.settle(b.queued[i].index, b.outcomes[i])
		}
		b.reset()
	}
}

// rejectWaiting fails all queued events with the batch that timed out: one behind another, they could wait for
// minutes.
func (g *groupCommit) rejectWaiting() {
	for _, waiting := range g.queue.takeWaiting() {
		waiting.receipt.settle(waiting.index, fault.ErrUnavailable)
	}
}

func (g *groupCommit) submit(_ context.Context, events []event.Event) (*Receipt, error) {
	receipt := newReceipt(len(events))
	return receipt, g.queue.push(events, receipt)
}

func (g *groupCommit) submitWaiting(ctx context.Context, events []event.Event) (*Receipt, error) {
	receipt := newReceipt(len(events))
	return receipt, g.queue.pushWaiting(ctx, events, receipt)
}

// drain stores what is queued and stops.
func (g *groupCommit) drain() {
	g.queue.close()
	g.flushers.Wait()
}
