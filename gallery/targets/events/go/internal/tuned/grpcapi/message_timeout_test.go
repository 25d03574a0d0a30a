package grpcapi

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/pipenet"
	"example.com/bakeoff/events/internal/writer"
)

func TestSlowMessageEndsTheCall(t *testing.T) {
	const deadlineExceeded = "4"
	whole := framed(t, "1")
	for name, test := range map[string]struct {
		method string
		sent   []byte
	}{
		"nothing":                     {"ProcessEvent", nil},
		"a part":                      {"ProcessEvent", whole[:20]},
		"all but the end of the call": {"ProcessEvent", whole},
		"the first byte in a stream":  {"StreamEvents", whole[:1]},
		"a part in a stream":          {"StreamEvents", whole[:20]},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, listener := new(storage), pipenet.Listen()
				serve(t, s, writer.GroupCommit, listener, nil, nil)
				conn, err := listener.Dial(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				client := newRawClient(t, conn)
				if err := client.Begin(methodOf(test.method)); err != nil {
					t.Fatal(err)
				}
				if err := client.Send(test.sent); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				reply := client.Reply()
				if reply.Get("grpc-status") != deadlineExceeded || reply.Get("grpc-message") != "body: incomplete" {
					t.Errorf("got %+v", reply)
				}
				if took := time.Since(began); took != Limits.Read || s.rows.Load() != 0 {
					t.Errorf("it took %v, and %d rows are stored", took, s.rows.Load())
				}
			})
		})
	}
}

func TestAStreamMayRestBetweenMessages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		listener := pipenet.Listen()
		serve(t, new(storage), writer.GroupCommit, listener, nil, nil)
		conn, err := grpc.NewClient("passthrough:test", grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.Dial(ctx) }))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		call := openStream(t, conn)
		for range 3 {
			send(t, call, request("1"))
			reply(t, call, "Event processed successfully")
			time.Sleep(10 * Limits.Read)
		}
		if err := call.CloseSend(); err != nil {
			t.Fatal(err)
		}
		if err := call.RecvMsg(new(eventpb.EventResponse)); !errors.Is(err, io.EOF) {
			t.Errorf("got %v", err)
		}
	})
}
