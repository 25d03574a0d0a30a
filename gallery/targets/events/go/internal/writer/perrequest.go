package writer

import (
	"context"

	"golang.org/x/sync/semaphore"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

// perRequest stores each request in its own transaction, no more at once than its bounds allow.
type perRequest struct {
	// writing cancels running statements when it ends.
	writing  context.Context
	commit   *committer
	requests *semaphore.Weighted
	bytes    *semaphore.Weighted
}

func newPerRequest(writing context.Context, commit *committer, requests int) *perRequest {
	return &perRequest{
		writing:  writing,
		commit:   commit,
		requests: semaphore.NewWeighted(int64(requests)),
		bytes:    semaphore.NewWeighted(maxWaitingBytes),
	}
}

func (p *perRequest) submit(_ context.Context, events []event.Event) (*Receipt, error) {
	if !p.requests.TryAcquire(1) {
		return nil, fault.ErrOverloaded
	}
	defer p.requests.Release(1)
	bytes := int64(footprint(events))
	if !p.bytes.TryAcquire(bytes) {
		return nil, fault.ErrOverloaded
	}
	defer p.bytes.Release(bytes)
	return p.store(events), nil
}

func (p *perRequest) submitWaiting(ctx context.Context, events []event.Event) (*Receipt, error) {
	if err := p.requests.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer p.requests.Release(1)
	bytes := int64(footprint(events))
	if err := p.bytes.Acquire(ctx, bytes); err != nil {
		return nil, err
	}
	defer p.bytes.Release(bytes)
	return p.store(events), nil
}

// store answers before it returns, so the receipt is complete. A client that disconnects does not cancel it:
// that would cost a connection to the database.
func (p *perRequest) store(events []event.Event) *Receipt {
	outcomes := make([]error, len(events))
	p.commit.commit(p.writing, events, outcomes)
	receipt := newReceipt(len(events))
	for i, outcome := range outcomes {
		receipt.settle(i, outcome)
	}
	return receipt
}

func (p *perRequest) drain() {}
