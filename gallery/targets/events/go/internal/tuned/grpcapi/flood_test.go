package grpcapi

import (
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/net/http2"

	"example.com/bakeoff/events/internal/h2test"
	"example.com/bakeoff/events/internal/pipenet"
	"example.com/bakeoff/events/internal/writer"
)

// sent are the bytes of a client: the preface, then frames.
type sent []byte

func preface() sent { return sent(http2.ClientPreface) }

func (s sent) frames(count int, kind http2.FrameType, flags http2.Flags, length int) sent {
	for range count {
		s = append(s, 0, byte(length>>8), byte(length), byte(kind), byte(flags), 0, 0, 0, 1)
		s = append(s, make([]byte, length)...)
	}
	return s
}

// floods tells whether the bytes are a flood, when they arrive in pieces of a size.
func floods(s sent, size int) bool {
	counter := &frameCounter{skip: len(http2.ClientPreface)}
	for len(s) > 0 {
		n := min(size, len(s))
		if counter.check(s[:n]) != nil {
			return true
		}
		s = s[n:]
	}
	return false
}

func TestEmptyFramesAreAFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most := preface().frames(1, http2.FrameData, 0, 3).frames(mostEmptyFrames, http2.FrameData, 0, 0)
		for _, size := range []int{1, 7, 9, 10_000} {
			if floods(most, size) {
				t.Errorf("as many as are allowed, in pieces of %d bytes: a flood", size)
			}
			began := time.Now()
			if !floods(most.frames(1, http2.FrameSettings, 0, 6).frames(1, http2.FrameData, 0, 0), size) {
				t.Errorf("one more, in pieces of %d bytes: no flood", size)
			}
			if paused := time.Since(began); paused != floodPause {
				t.Errorf("it was refused after %v", paused)
			}
		}
	})
}

func TestOtherFramesAreNoFlood(t *testing.T) {
	for name, s := range map[string]sent{
		"before and after data":  preface().frames(mostEmptyFrames, http2.FrameData, 0, 0).frames(1, http2.FrameData, 0, 20_000),
		"before and after calls": preface().frames(mostEmptyFrames, http2.FrameData, 0, 0).frames(1, http2.FrameHeaders, 0, 20),
	} {
		if s = s.frames(mostEmptyFrames, http2.FrameData, 0, 0); floods(s, 1_000) {
			t.Errorf("%s: a flood", name)
		}
	}
	if floods(preface().frames(1_000, http2.FrameData, http2.FlagDataEndStream, 0), 1_000) {
		t.Error("the ends of calls: a flood")
	}
}

func TestAFloodEndsItsConnection(t *testing.T) {
	s := new(storage)
	// Of TCP, which is read into buffers of a pool, and of another network, which is read as TLS is.
	other := pipenet.Listen()
	serve(t, s, writer.GroupCommit, other, nil, nil)
	conn, err := other.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, client := range []*h2test.Conn{connect(t, s), newRawClient(t, conn)} {
		sendEmpty(t, client, mostEmptyFrames)
		if reply := callRaw(t, client, methodOf("ProcessEvent"), framed(t, "1")); reply.Get("grpc-status") != "0" {
			t.Errorf("after as many as are allowed: got %+v", reply)
		}
		sendEmpty(t, client, mostEmptyFrames+1)
		if reply := client.Reply(); reply.Err == nil {
			t.Errorf("after one more: got %+v", reply)
		}
	}
}

// sendEmpty begins a call and sends so many empty frames.
func sendEmpty(t *testing.T, client *h2test.Conn, count int) {
	t.Helper()
	if err := client.Begin(methodOf("StreamEvents")); err != nil {
		t.Fatal(err)
	}
	for range count {
		if err := client.Send(nil); err != nil {
			t.Fatal(err)
		}
	}
}
