package process

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"slices"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/h2test"
	"example.com/bakeoff/events/internal/intake"
	"example.com/bakeoff/events/internal/pipenet"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/standard/grpcapi"
	tunedgrpc "example.com/bakeoff/events/internal/tuned/grpcapi"
	"example.com/bakeoff/events/internal/writer"
)

func newGRPC(w *writer.Writer, config settings.Settings, log *slog.Logger) (Server, error) {
	return grpcapi.NewServer(w, grpcapi.Limits, config.TLS, config.Token, log)
}

func newTunedGRPC(w *writer.Writer, config settings.Settings, log *slog.Logger) (Server, error) {
	return tunedgrpc.NewServer(w, intake.NewBudget(64<<20), tunedgrpc.Limits, config.TLS, config.Token, log)
}

type grpcClient struct {
	t    *testing.T
	conn *grpc.ClientConn
}

func connectGRPC(t *testing.T, listener *pipenet.Listener) client {
	conn, err := grpc.NewClient("passthrough:test",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.Dial(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry())
	if err != nil {
		t.Fatal(err)
	}
	return grpcClient{t, conn}
}

func (c grpcClient) send(ctx context.Context, id string) outcome {
	event := &eventpb.EventRequest{
		EventHeader: &eventpb.EventHeader{Uuid: "550e8400-e29b-41d4-a716-446655440000", EventName: "CarCreated"},
		EventBody:   &eventpb.EventBody{Entities: []*eventpb.EntityUpdate{{EntityType: "Car", EntityId: id}}},
	}
	reply := new(eventpb.EventResponse)
	err := c.conn.Invoke(ctx, "/com.example.grpc.EventService/ProcessEvent", event, reply)
	if err == nil {
		return outcome(reply.GetMessage())
	}
	failure := status.Convert(err)
	for received, want := range map[outcome]codes.Code{overloaded: codes.ResourceExhausted, unavailable: codes.Unavailable} {
		if failure.Message() == string(received) && failure.Code() == want {
			return received
		}
	}
	if !slices.Contains([]codes.Code{codes.Unavailable, codes.Canceled, codes.DeadlineExceeded}, failure.Code()) {
		c.t.Errorf("got %v", failure)
	}
	return unanswered
}

func (c grpcClient) close() { c.conn.Close() }

func beginGRPC(t *testing.T, conn net.Conn) func() string {
	client, err := h2test.Connect(conn)
	if err == nil {
		err = errors.Join(
			client.Begin("/com.example.grpc.EventService/ProcessEvent"),
			// 100 bytes are announced.
			client.Send([]byte("\x00\x00\x00\x00\x64\x0a\x26")))
	}
	if err != nil {
		t.Error(err)
	}
	return func() string {
		reply := client.Reply()
		return reply.Get("grpc-status") + " " + reply.Get("grpc-message")
	}
}
