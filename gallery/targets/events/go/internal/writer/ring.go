package writer

// ring is a queue in a slice that it reuses.
type ring[T any] struct {
	slots []T
	first int
	count int
}

func (r *ring[T]) len() int { return r.count }

// front is the oldest; there must be one.
func (r *ring[T]) front() *T { return &r.slots[r.first] }

func (r *ring[T]) push(element T) {
	if r.count == len(r.slots) {
		r.grow()
	}
	// The length is a power of two.
	r.slots[(r.first+r.count)&(len(r.slots)-1)] = element
	r.count++
}

// pop drops the oldest.
func (r *ring[T]) pop() {
	var none T
	r.slots[r.first] = none
	r.first = (r.first + 1) & (len(r.slots) - 1)
	r.count--
}

func (r *ring[T]) grow() {
	slots := make([]T, max(16, 2*len(r.slots)))
	copied := copy(slots, r.slots[r.first:])
	copy(slots[copied:], r.slots[:r.first])
	r.slots, r.first = slots, 0
}
