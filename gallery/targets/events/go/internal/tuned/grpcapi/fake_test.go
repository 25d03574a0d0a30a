package grpcapi

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/intake"
	"example.com/bakeoff/events/internal/writer"
)

// budgetBytes have room for one message of the largest size, and not for two.
const budgetBytes = 24 << 20

// storage returns one error from every call, or panics; gate blocks Store, and entered signals its start.
type storage struct {
	err     error
	panics  bool
	gate    chan struct{}
	entered chan struct{}
	rows    atomic.Int64
}

func (s *storage) Store(_ context.Context, rows writer.Rows) error {
	if s.panics {
		panic("a defect")
	}
	if s.entered != nil {
		s.entered <- struct{}{}
	}
	if s.gate != nil {
		<-s.gate
	}
	s.rows.Add(int64(rows.Len()))
	return s.err
}

func (s *storage) Check(context.Context) error { return s.err }

// start serves an API over the storage and returns it with a client's connection.
func start(t *testing.T, s *storage, mode writer.Mode) (*Server, *grpc.ClientConn) {
	t.Helper()
	return startWith(t, s, mode, nil, insecure.NewCredentials(), nil)
}

func startWith(
	t *testing.T, s *storage, mode writer.Mode,
	secured *tls.Config, transport credentials.TransportCredentials, token *bearer.Token,
) (*Server, *grpc.ClientConn) {
	t.Helper()
	listener := listen(t)
	server := serve(t, s, mode, listener, secured, token)
	conn, err := grpc.NewClient("passthrough:"+listener.Addr().String(), grpc.WithTransportCredentials(transport))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return server, conn
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return listener
}

// serve serves until the test ends.
func serve(
	t *testing.T, s *storage, mode writer.Mode, listener net.Listener, secured *tls.Config, token *bearer.Token,
) *Server {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	w := writer.Start(t.Context(), s, writer.Options{Mode: mode, Flushers: 1, QueueEvents: 100}, log)
	server, err := NewServer(w, intake.NewBudget(budgetBytes), Limits, secured, token, log)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.grpc.Stop()
		w.Drain()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return server
}

func request(id string) *eventpb.EventRequest {
	return &eventpb.EventRequest{
		EventHeader: &eventpb.EventHeader{Uuid: "550e8400-e29b-41d4-a716-446655440000", EventName: "CarCreated"},
		EventBody:   &eventpb.EventBody{Entities: []*eventpb.EntityUpdate{{EntityType: "Car", EntityId: id}}},
	}
}

// sized is a request with an attribute that makes it as large.
func sized(bytes int) *eventpb.EventRequest {
	large := request("1")
	large.EventBody.Entities[0].UpdatedAttributes = map[string]*structpb.Value{"a": structpb.NewStringValue(strings.Repeat("x", bytes))}
	return large
}

func methodOf(name string) string { return "/" + grpcreply.ServiceName + "/" + name }

func checkStatus(t *testing.T, err error, code codes.Code, message string) {
	t.Helper()
	if got := status.Convert(err); got.Code() != code || got.Message() != message {
		t.Errorf("got %v %q, want %v %q", got.Code(), got.Message(), code, message)
	}
}
