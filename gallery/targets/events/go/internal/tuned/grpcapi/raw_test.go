package grpcapi

import (
	"net"
	"testing"

	"google.golang.org/protobuf/proto"

	"example.com/bakeoff/events/internal/h2test"
	"example.com/bakeoff/events/internal/writer"
)

const (
	statusExhausted     = "8"
	statusUnimplemented = "12"
	statusInternal      = "13"
)

// connect returns a client that sends raw frames to an API over the storage.
func connect(t *testing.T, s *storage) *h2test.Conn {
	t.Helper()
	listener := listen(t)
	serve(t, s, writer.GroupCommit, listener, nil, nil)
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return newRawClient(t, conn)
}

func newRawClient(t *testing.T, conn net.Conn) *h2test.Conn {
	t.Helper()
	t.Cleanup(func() { conn.Close() })
	client, err := h2test.Connect(conn)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// callRaw makes a call and returns the reply.
func callRaw(t *testing.T, client *h2test.Conn, method string, data []byte, headers ...string) h2test.Reply {
	t.Helper()
	if err := client.Begin(method, headers...); err != nil {
		t.Fatal(err)
	}
	if err := client.End(data); err != nil {
		t.Fatal(err)
	}
	return client.Reply()
}

// framed is a message that updates one entity, or as many as there are IDs.
func framed(t *testing.T, ids ...string) []byte {
	t.Helper()
	var data []byte
	for _, id := range ids {
		message, err := proto.Marshal(request(id))
		if err != nil {
			t.Fatal(err)
		}
		data = append(data, h2test.Framed(0, message)...)
	}
	return data
}

// checkStored expects the next call over the connection to be stored, and nothing before it.
func checkStored(t *testing.T, client *h2test.Conn, s *storage) {
	t.Helper()
	reply := callRaw(t, client, methodOf("ProcessEvent"), framed(t, "1"))
	if reply.Err != nil || reply.Get("grpc-status") != "0" || s.rows.Load() != 1 {
		t.Errorf("the next call: got %+v, %d rows are stored", reply, s.rows.Load())
	}
}
