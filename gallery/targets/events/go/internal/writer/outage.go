package writer

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

const (
	// retryTimeout is how long writes are retried before clients get the error.
	retryTimeout = 5 * time.Second
	firstPause   = 10 * time.Millisecond
	longestPause = 250 * time.Millisecond
)

// Outage records when the database became unavailable. All users of the database share one: a write that comes after
// five seconds of outage fails after one attempt, not after another five seconds.
type Outage struct {
	log   *slog.Logger
	mu    sync.Mutex
	since time.Time
}

// NewOutage returns an outage that has not started.
func NewOutage(log *slog.Logger) *Outage { return &Outage{log: log} }

// Retry repeats an attempt until it succeeds, fails with another error than ErrDatabaseUnavailable, or times out.
func (o *Outage) Retry(ctx context.Context, attempt func(context.Context) error) error {
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		began := time.Now()
		err := attempt(ctx)
		if !errors.Is(err, ErrDatabaseUnavailable) {
			o.end()
			return err
		}
		left := retryTimeout - o.begin(began, err)
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

// begin returns how long the outage has lasted. It starts with the attempt that failed: a statement that
// hung until its timeout has used up the retry timeout.
func (o *Outage) begin(attempt time.Time, reason error) time.Duration {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.since.IsZero() {
		o.since = attempt
		o.log.Warn("database unavailable, retrying", "reason", reason)
	}
	return time.Since(o.since)
}

func (o *Outage) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.since.IsZero() {
		o.log.Info("database available again", "outage", time.Since(o.since))
		o.since = time.Time{}
	}
}
