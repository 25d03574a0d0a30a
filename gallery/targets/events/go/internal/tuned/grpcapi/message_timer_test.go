package grpcapi

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestMessageTimerFiresWithinAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, went := time.Now(), make(chan time.Duration, 1)
		w := newMessageTimer(Limits.Read, func() { went <- time.Since(start) })
		// The first message comes in time, and the second begins while its timer is still set.
		w.start()
		time.Sleep(Limits.Read - time.Second)
		w.stop()
		w.start()
		if got, want := <-went, 2*Limits.Read-time.Second; got != want {
			t.Errorf("it fired after %v, want %v", got, want)
		}
		if w.stop() {
			t.Error("a late message is accepted")
		}
	})
}

func TestMessageTimerDoesNotFireBetweenMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newMessageTimer(Limits.Read, func() { t.Error("it fired") })
		for range 3 {
			w.start()
			time.Sleep(time.Second)
			if !w.stop() {
				t.Error("a message in time is rejected")
			}
			time.Sleep(2 * Limits.Read)
		}
		w.start()
		w.close()
		time.Sleep(2 * Limits.Read)
	})
}
