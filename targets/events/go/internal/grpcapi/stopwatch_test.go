package grpcapi

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestAStopwatchGoesOffWithinAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, went := time.Now(), make(chan time.Duration, 1)
		w := newStopwatch(func() { went <- time.Since(start) })
		// The first message comes in time, and the second begins while its timer is still set.
		w.start()
		time.Sleep(patience - time.Second)
		w.stop()
		w.start()
		if got, want := <-went, 2*patience-time.Second; got != want {
			t.Errorf("it went off after %v, want %v", got, want)
		}
		if w.stop() {
			t.Error("a message that ends too late is taken")
		}
	})
}

func TestAStopwatchDoesNotGoOffBetweenMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newStopwatch(func() { t.Error("it went off") })
		for range 3 {
			w.start()
			time.Sleep(time.Second)
			if !w.stop() {
				t.Error("a message in time is not taken")
			}
			time.Sleep(2 * patience)
		}
		w.start()
		w.close()
		time.Sleep(2 * patience)
	})
}
