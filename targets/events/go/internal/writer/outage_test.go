package writer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func isAway(context.Context) error { return ErrAway }

func TestAnOutageThatEndsInTimeIsNotNoticed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, back := time.Now(), 4*time.Second
		err := NewOutage(quiet).RideOut(t.Context(), func(context.Context) error {
			if time.Since(start) < back {
				return ErrAway
			}
			return nil
		})
		if took := time.Since(start); err != nil || took > back+longestPause {
			t.Errorf("got %v after %v", err, took)
		}
	})
}

func TestPatienceEndsAfterFiveSecondsAndIsNotRenewed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outage, start := NewOutage(quiet), time.Now()
		if err := outage.RideOut(t.Context(), isAway); !errors.Is(err, ErrAway) || time.Since(start) != patience {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
		attempts := 0
		err := outage.RideOut(t.Context(), func(context.Context) error {
			attempts++
			return ErrAway
		})
		if !errors.Is(err, ErrAway) || attempts != 1 || time.Since(start) != patience {
			t.Errorf("got %v after %v and %d attempts", err, time.Since(start), attempts)
		}
	})
}

func TestAnAttemptThatHangsForLongerThanPatienceIsTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, attempts := time.Now(), 0
		err := NewOutage(quiet).RideOut(t.Context(), func(context.Context) error {
			attempts++
			time.Sleep(2 * patience)
			return ErrAway
		})
		if !errors.Is(err, ErrAway) || attempts != 1 || time.Since(start) != 2*patience {
			t.Errorf("got %v after %v and %d attempts", err, time.Since(start), attempts)
		}
	})
}

func TestAnAnswerOfAnyKindEndsTheOutage(t *testing.T) {
	for _, answer := range []error{nil, errRefused} {
		synctest.Test(t, func(t *testing.T) {
			outage := NewOutage(quiet)
			if err := outage.RideOut(t.Context(), isAway); !errors.Is(err, ErrAway) {
				t.Errorf("got %v", err)
			}
			if err := outage.RideOut(t.Context(), func(context.Context) error { return answer }); err != answer {
				t.Errorf("got %v, want %v", err, answer)
			}
			start := time.Now()
			if err := outage.RideOut(t.Context(), isAway); !errors.Is(err, ErrAway) || time.Since(start) != patience {
				t.Errorf("got %v after %v", err, time.Since(start))
			}
		})
	}
}

func TestPatienceEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := NewOutage(quiet).RideOut(ctx, isAway); !errors.Is(err, ErrAway) || time.Since(start) != time.Second {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}
