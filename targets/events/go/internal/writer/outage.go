package writer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// patience is how long writes are retried before clients are told that the database is away.
	patience     = 5 * time.Second
	firstPause   = 10 * time.Millisecond
	longestPause = 250 * time.Millisecond
)

// Outage knows since when the database has been away. All who use the database share one: who comes after
// five seconds of outage is refused after one attempt, not after five seconds of its own.
type Outage struct {
	log   *slog.Logger
	mu    sync.Mutex
	since time.Time
}

// NewOutage returns an outage that has not begun.
func NewOutage(log *slog.Logger) *Outage { return &Outage{log: log} }

// RideOut repeats an attempt until it fails with something else than ErrAway or not at all, or patience ends.
func (o *Outage) RideOut(ctx context.Context, attempt func(context.Context) error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		began := time.Now()
		err := attempt(ctx)
		if !errors.Is(err, ErrAway) {
			o.end()
			return err
		}
		left := patience - o.begin(began, err)
		if left <= 0 {
			return err
		}
		select {
		case <-time.After(min(pause, left)):
		case <-ctx.Done():
			return err
		}
	}
}

// begin returns how long the outage has lasted. One that begins did so with the attempt that failed: a statement that
// hung until it was given up has used up the patience.
func (o *Outage) begin(attempt time.Time, reason error) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		o.since = attempt
		o.log.Warn("database away, retrying", "reason", reason)
	}
	return time.Since(o.since)
}

func (o *Outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.since.IsZero() {
		o.log.Info("database back", "away", time.Since(o.since))
		o.since = time.Time{}
	}
}
