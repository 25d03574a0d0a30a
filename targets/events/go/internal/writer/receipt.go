package writer

import "sync/atomic"

// Receipt stands for events of one request that were accepted. It is fulfilled once, when each is durable
// or known not to be.
type Receipt struct {
	outcomes []error
	open     atomic.Int64
	settled  chan struct{}
}

func newReceipt(events int) *Receipt {
	r := &Receipt{outcomes: make([]error, events), settled: make(chan struct{}, 1)}
	r.open.Store(int64(events))
	return r
}

// settle notes the outcome of one event.
func (r *Receipt) settle(index int, outcome error) {
	r.outcomes[index] = outcome
	if r.open.Add(-1) == 0 {
		r.settled <- struct{}{}
	}
}

// Outcomes waits until all events are durable or known not to be, and returns why each is not.
//
// There is no way to stop waiting: what was accepted will be stored, whatever becomes of its client,
// and the writer settles all within its patience with the database.
func (r *Receipt) Outcomes() []error {
	<-r.settled
	return r.outcomes
}

// Outcome is that of a receipt for one event.
func (r *Receipt) Outcome() error { return r.Outcomes()[0] }
