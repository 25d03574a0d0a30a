package grpcapi

import (
	"sync"
	"time"
)

// stopwatch calls overdue when a client takes longer than patience for one message of a stream.
//
// It sets one timer for many messages, which looks at the clock when it goes off: one for each would cost twenty times
// as much.
type stopwatch struct {
	overdue func()

	mu sync.Mutex
	// began is when the message began to come; it is zero between messages.
	began time.Time
	// late tells that overdue was called.
	late bool
	// timer is nil when nothing has come for so long that it need not go off.
	timer *time.Timer
}

func newStopwatch(overdue func()) *stopwatch { return &stopwatch{overdue: overdue} }

func (w *stopwatch) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began = time.Now()
	if w.timer == nil {
		w.timer = time.AfterFunc(patience, w.look)
	}
}

// stop tells whether the message came in time.
func (w *stopwatch) stop() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began = time.Time{}
	return !w.late
}

// close ends what start began.
func (w *stopwatch) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began = time.Time{}
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *stopwatch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.began.IsZero() {
		w.timer = nil
		return
	}
	if left := patience - time.Since(w.began); left > 0 {
		w.timer.Reset(left)
		return
	}
	w.late = true
	w.overdue()
}
