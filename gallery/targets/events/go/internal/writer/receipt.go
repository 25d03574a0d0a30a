package writer

import "sync"

// Receipt stands for the accepted events of one request. It is complete once each is durable
// or known not to be.
type Receipt struct {
	outcomes  []error
	unsettled sync.WaitGroup
	// single is room for the outcome of one event, for most receipts are for one.
	single [1]error
}

func newReceipt(events int) *Receipt {
	r := new(Receipt)
	if events == 1 {
		r.outcomes = r.single[:]
	} else {
		r.outcomes = make([]error, events)
	}
	r.unsettled.Add(events)
	return r
}

// settle records the outcome of one event.
func (r *Receipt) settle(index int, outcome error) {
	r.outcomes[index] = outcome
	r.unsettled.Done()
}

// Outcomes waits until all events are durable or known not to be, and returns why each is not.
//
// There is no way to stop waiting: what was accepted will be stored, whatever becomes of its client,
// and the writer settles every event within its timeouts.
func (r *Receipt) Outcomes() []error {
	r.unsettled.Wait()
	return r.outcomes
}

// Outcome is that of a receipt for one event.
func (r *Receipt) Outcome() error { return r.Outcomes()[0] }
