// Package intake bounds the memory of requests that have begun to arrive, all together.
package intake

import (
	"io"
	"runtime/debug"
	"sync/atomic"

	"example.com/bakeoff/events/internal/fault"
)

const (
	// freeBytes of each request are not charged, so that ordinary requests are served while large ones exhaust the budget.
	freeBytes = 16 << 10
	// step is how much is charged at once.
	step = 64 << 10
	// returnedBytes is how much must have been charged before memory is returned to the system when all is released: Go
	// keeps freed memory for minutes.
	returnedBytes = 32 << 20
)

// Budget is the bytes that unfinished requests may occupy together. It is safe for concurrent use.
type Budget struct {
	limit int64
	used  atomic.Int64
	// most is the highest use since memory was last returned.
	most atomic.Int64
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget { return &Budget{limit: limit} }

// take charges n bytes; it charges nothing and returns false when they are more than is left.
func (b *Budget) take(n int64) bool {
	used := b.used.Add(n)
	if used > b.limit {
		b.used.Add(-n)
		return false
	}
	for most := b.most.Load(); used > most && !b.most.CompareAndSwap(most, used); most = b.most.Load() {
	}
	return true
}

func (b *Budget) release(n int64) {
	if n > 0 && b.used.Add(-n) == 0 && b.most.Load() >= returnedBytes && b.most.Swap(0) >= returnedBytes {
		go debug.FreeOSMemory()
	}
}

// Charge is what one request occupies. Its zero value is not usable: Budget.Charge returns one.
type Charge struct {
	budget  *Budget
	charged int64
}

// Charge returns a charge of nothing.
func (b *Budget) Charge() Charge { return Charge{budget: b} }

// Grow charges for a request of which total bytes have arrived or are about to; it returns fault.ErrTooManyBytes
// when the budget is exhausted.
func (c *Charge) Grow(total int64) error {
	missing := total - freeBytes - c.charged
	if missing <= 0 {
		return nil
	}
	missing = (missing + step - 1) / step * step
	if !c.budget.take(missing) {
		return fault.ErrTooManyBytes
	}
	c.charged += missing
	return nil
}

// Release returns everything to the budget.
func (c *Charge) Release() {
	c.budget.release(c.charged)
	c.charged = 0
}

// Reserve charges for total bytes of a request's body before memory for them is allocated.
func Reserve(requestBody io.Reader, total int) error {
	if metered, ok := requestBody.(*body); ok {
		return metered.charge.Grow(int64(total))
	}
	return nil
}

// body charges for what is read from it.
type body struct {
	io.ReadCloser
	charge Charge
	read   int64
}

func (b *body) Read(p []byte) (int, error) {
	// A byte more than has arrived: what is exhausted must not be read any further.
	if err := b.charge.Grow(b.read + 1); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	return n, err
}
