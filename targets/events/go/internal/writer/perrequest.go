package writer

import (
	"context"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

// perRequest stores each request in a transaction of its own, no more requests at once than its room.
type perRequest struct {
	commit *committer
	room   chan struct{}
}

func newPerRequest(commit *committer, requests int) *perRequest {
	return &perRequest{commit: commit, room: make(chan struct{}, requests)}
}

func (p *perRequest) submit(ctx context.Context, events []event.Event) (*Receipt, error) {
	select {
	case p.room <- struct{}{}:
		return p.store(ctx, events), nil
	default:
		return nil, fault.ErrOverloaded
	}
}

func (p *perRequest) submitWaiting(ctx context.Context, events []event.Event) (*Receipt, error) {
	select {
	case p.room <- struct{}{}:
		return p.store(ctx, events), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// store answers before it returns, so the receipt is fulfilled. The client's leaving does not break it off:
// that would cost a connection to the database.
func (p *perRequest) store(ctx context.Context, events []event.Event) *Receipt {
	defer func() { <-p.room }()
	outcomes := make([]error, len(events))
	p.commit.commit(context.WithoutCancel(ctx), events, outcomes)
	receipt := newReceipt(len(events))
	for i, outcome := range outcomes {
		receipt.settle(i, outcome)
	}
	return receipt
}

func (p *perRequest) drain() {}
