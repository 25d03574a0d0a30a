package grpcapi

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/h2test"
)

func TestAUnaryCallCarriesOneWholeMessage(t *testing.T) {
	one := framed(t, "1")
	for name, test := range map[string]struct {
		data    []byte
		message string
	}{
		"none":                    {nil, "call: must carry one message"},
		"two":                     {framed(t, "1", "2"), "call: must carry one message"},
		"one and a byte":          {append(framed(t, "1"), 0), "call: must carry one message"},
		"a part of a header":      {one[:3], "message: truncated"},
		"a header":                {one[:5], "message: truncated"},
		"a part":                  {one[:len(one)-1], "message: truncated"},
		"compressed":              {h2test.Framed(1, one[5:]), "message: compressed, but the call names no grpc-encoding"},
		"flags that do not exist": {h2test.Framed(2, one[5:]), "message: compressed, but the call names no grpc-encoding"},
	} {
		t.Run(name, func(t *testing.T) {
			s := new(storage)
			client := connect(t, s)
			for _, method := range []string{"ProcessEvent", "ProcessEventBatch", "HealthCheck"} {
				reply := callRaw(t, client, methodOf(method), test.data)
				if reply.Get("grpc-status") != statusInternal || reply.Get("grpc-message") != test.message {
					t.Errorf("%s: got %+v", method, reply)
				}
			}
			checkStored(t, client, s)
		})
	}
}

func TestTruncatedMessageEndsTheStream(t *testing.T) {
	one := framed(t, "1")
	for message, data := range map[string][]byte{
		"message: truncated": one[:len(one)-1],
		"message: compressed, but the call names no grpc-encoding": h2test.Framed(1, one[5:]),
	} {
		s := new(storage)
		client := connect(t, s)
		reply := callRaw(t, client, methodOf("StreamEvents"), append(framed(t, "1"), data...))
		if reply.Get("grpc-status") != statusInternal || reply.Get("grpc-message") != message || s.rows.Load() != 1 {
			t.Errorf("%s: got %+v, %d rows are stored", message, reply, s.rows.Load())
		}
		if !strings.Contains(string(reply.Data), "Event processed successfully") {
			t.Errorf("%s: what came before is not answered: %q", message, reply.Data)
		}
	}
}

func TestAMessageMayComeByteByByte(t *testing.T) {
	for _, method := range []string{"ProcessEvent", "StreamEvents"} {
		client := connect(t, new(storage))
		if err := client.Begin(methodOf(method)); err != nil {
			t.Fatal(err)
		}
		for _, c := range framed(t, "1") {
			if err := client.Send([]byte{c}); err != nil {
				t.Fatal(err)
			}
		}
		if err := client.End(nil); err != nil {
			t.Fatal(err)
		}
		if reply := client.Reply(); reply.Get("grpc-status") != "0" || !strings.Contains(string(reply.Data), "Event processed") {
			t.Errorf("%s: got %+v", method, reply)
		}
	}
}

// receive.go and compression.go use methods of grpc-go's internal stream: before this version changes, check that they
// still exist and mean the same, and run all tests of this package.
func TestGRPCVersionIsPinned(t *testing.T) {
	const pinned = "google.golang.org/grpc v1.85.0\n"
	module, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(module), pinned) {
		t.Errorf("go.mod does not require %s", pinned)
	}
}

func TestUnfinishedMessagesShareABudget(t *testing.T) {
	s := new(storage)
	client := connect(t, s)
	// Bytes that never come: two messages that the budget has no room for together.
	announced := binary.BigEndian.AppendUint32([]byte{0}, 15<<20)
	for range 2 {
		if err := client.Begin(methodOf("ProcessEventBatch")); err != nil {
			t.Fatal(err)
		}
		if err := client.Send(announced); err != nil {
			t.Fatal(err)
		}
	}
	reply := client.Reply()
	if reply.Get("grpc-status") != statusExhausted || reply.Get("grpc-message") != fault.ErrTooManyBytes.Error() {
		t.Errorf("got %+v", reply)
	}
	checkStored(t, client, s)
}
