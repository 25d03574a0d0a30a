package grpcapi

import (
	"sync"
	"time"
)

// messageTimer calls overdue when one message of a stream takes longer than the timeout.
//
// It uses one timer for many messages, which checks the clock when it fires: one for each would cost twenty times
// as much.
type messageTimer struct {
	timeout time.Duration
	overdue func()

	mu sync.Mutex
	// began is when the message began to arrive; it is zero between messages.
	began time.Time
	// late is set once overdue was called.
	late bool
	// timer is nil after a timeout without a message.
	timer *time.Timer
}

func newMessageTimer(timeout time.Duration, overdue func()) *messageTimer {
	return &messageTimer{timeout: timeout, overdue: overdue}
}

func (w *messageTimer) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began = time.Now()
	if w.timer == nil {
		w.timer = time.AfterFunc(w.timeout, w.check)
	}
}

// stop reports whether the message arrived in time.
func (w *messageTimer) stop() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began = time.Time{}
	return !w.late
}

// close stops the timer.
func (w *messageTimer) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.began = time.Time{}
	if w.timer != nil {
		w.timer.Stop()
	}
}

func (w *messageTimer) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.began.IsZero() {
		w.timer = nil
		return
	}
	if left := w.timeout - time.Since(w.began); left > 0 {
		w.timer.Reset(left)
		return
	}
	w.late = true
	w.overdue()
}
