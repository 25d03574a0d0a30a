package writer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func isUnavailable(context.Context) error { return ErrDatabaseUnavailable }

func TestShortOutageIsHidden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, back := time.Now(), 4*time.Second
		err := NewOutage(quiet).Retry(t.Context(), func(context.Context) error {
			if time.Since(start) < back {
				return ErrDatabaseUnavailable
			}
			return nil
		})
		if took := time.Since(start); err != nil || took > back+longestPause {
			t.Errorf("got %v after %v", err, took)
		}
	})
}

func TestRetriesEndAfterFiveSecondsOfOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outage, start := NewOutage(quiet), time.Now()
		if err := outage.Retry(t.Context(), isUnavailable); !errors.Is(err, ErrDatabaseUnavailable) || time.Since(start) != retryTimeout {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		attempts := 0
		err := outage.Retry(t.Context(), func(context.Context) error {
			attempts++
			return ErrDatabaseUnavailable
		})
		if !errors.Is(err, ErrDatabaseUnavailable) || attempts != 1 || time.Since(start) != retryTimeout {
			t.Errorf("got %v after %v and %d attempts", err, time.Since(start), attempts)
		}
	})
}

func TestAttemptLongerThanTheTimeoutIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, attempts := time.Now(), 0
		err := NewOutage(quiet).Retry(t.Context(), func(context.Context) error {
			attempts++
			time.Sleep(2 * retryTimeout)
			return ErrDatabaseUnavailable
		})
		if !errors.Is(err, ErrDatabaseUnavailable) || attempts != 1 || time.Since(start) != 2*retryTimeout {
			t.Errorf("got %v after %v and %d attempts", err, time.Since(start), attempts)
		}
	})
}

func TestAnyReplyEndsTheOutage(t *testing.T) {
	for _, answer := range []error{nil, errRefused} {
		synctest.Test(t, func(t *testing.T) {
			outage := NewOutage(quiet)
			if err := outage.Retry(t.Context(), isUnavailable); !errors.Is(err, ErrDatabaseUnavailable) {
				t.Errorf("got %v", err)
			}
			if err := outage.Retry(t.Context(), func(context.Context) error { return answer }); err != answer {
				t.Errorf("got %v, want %v", err, answer)
			}
			start := time.Now()
			if err := outage.Retry(t.Context(), isUnavailable); !errors.Is(err, ErrDatabaseUnavailable) || time.Since(start) != retryTimeout {
				t.Errorf("got %v after %v", err, time.Since(start))
			}
		})
	}
}

func TestRetriesEndWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := NewOutage(quiet).Retry(ctx, isUnavailable); !errors.Is(err, ErrDatabaseUnavailable) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}
