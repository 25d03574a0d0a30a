package grpcapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"math"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/tlstest"
	"example.com/bakeoff/events/internal/writer"
)

// storage keeps the last document, returns one error from every call, or panics; gate blocks Store.
type storage struct {
	err      error
	panics   bool
	gate     chan struct{}
	rows     atomic.Int64
	document atomic.Value
}

func (s *storage) Store(_ context.Context, rows writer.Rows) error {
	if s.panics {
		panic("a defect")
	}
	if s.gate != nil {
		<-s.gate
	}
	s.rows.Add(int64(rows.Len()))
	s.document.Store(rows.Documents[0])
	return s.err
}

func (s *storage) Check(context.Context) error { return s.err }

type options struct {
	mode  writer.Mode
	token *bearer.Token
	tls   bool
}

// start serves an API over the storage and returns it with a client's connection.
func start(t *testing.T, s *storage, o options) (*Server, *grpc.ClientConn) {
	t.Helper()
	serverTLS, clientTLS := tlstest.Configs(t)
	transport := credentials.NewTLS(clientTLS)
	if !o.tls {
		serverTLS, transport = nil, insecure.NewCredentials()
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	w := writer.Start(t.Context(), s, writer.Options{Mode: o.mode, Flushers: 1, QueueEvents: 100}, log)
	server, err := NewServer(w, Limits, serverTLS, o.token, log)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:"+listener.Addr().String(), grpc.WithTransportCredentials(transport))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		server.grpc.Stop()
		w.Drain()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return server, conn
}

func request(id string, attributes map[string]*structpb.Value) *eventpb.EventRequest {
	return &eventpb.EventRequest{
		EventHeader: &eventpb.EventHeader{Uuid: "550e8400-e29b-41d4-a716-446655440000", EventName: "CarCreated"},
		EventBody: &eventpb.EventBody{Entities: []*eventpb.EntityUpdate{
			{EntityType: "Car", EntityId: id, UpdatedAttributes: attributes},
		}},
	}
}

func withValue(value *structpb.Value) *eventpb.EventRequest {
	return request("1", map[string]*structpb.Value{"v": value})
}

func nested(levels int) *structpb.Value {
	value := structpb.NewListValue(&structpb.ListValue{})
	for range levels - 2 {
		value = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{value}})
	}
	return value
}

func checkStatus(t *testing.T, err error, code codes.Code, message string) {
	t.Helper()
	if got := status.Convert(err); got.Code() != code || got.Message() != message {
		t.Errorf("got %v %q, want %v %q", got.Code(), got.Message(), code, message)
	}
}

func TestProcessEventStoresJSON(t *testing.T) {
	for _, tls := range []bool{false, true} {
		s := new(storage)
		_, conn := start(t, s, options{tls: tls})
		value, err := structpb.NewValue(map[string]any{"n": 0.1, "l": []any{nil, true, "é<"}, "big": 1e21})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := eventpb.NewEventServiceClient(conn).ProcessEvent(t.Context(), withValue(value))
		if err != nil || !reply.Success || reply.Message != "Event processed successfully" {
			t.Errorf("got %v, %v", reply, err)
		}
		if got := s.document.Load(); got != `{"v":{"big":1e+21,"l":[null,true,"é\u003c"],"n":0.1}}` {
			t.Errorf("got %s", got)
		}
	}
}

func TestInvalidEvents(t *testing.T) {
	const path = "eventBody.entities[0].updatedAttributes: "
	_, conn := start(t, new(storage), options{})
	client := eventpb.NewEventServiceClient(conn)
	if _, err := client.ProcessEvent(t.Context(), withValue(nested(32))); err != nil {
		t.Errorf("32 levels: %v", err)
	}
	for message, sent := range map[string]*eventpb.EventRequest{
		"eventHeader: required":                             {},
		"eventBody.entities[0].entityId: required":          request("", nil),
		path + "nested deeper than 32 levels":               withValue(nested(33)),
		path + "contains a value without a kind":            withValue(&structpb.Value{}),
		path + "contains a number outside the double range": withValue(structpb.NewNumberValue(math.NaN())),
		path + `contains \u0000, which cannot be stored`:    withValue(structpb.NewStringValue("a\x00")),
	} {
		_, err := client.ProcessEvent(t.Context(), sent)
		checkStatus(t, err, codes.InvalidArgument, message)
	}
	_, err := client.ProcessEvent(t.Context(), withValue(structpb.NewStringValue(strings.Repeat("x", event.MaxBytes))))
	checkStatus(t, err, codes.ResourceExhausted, "body: larger than 1048576 bytes")
	_, err = client.ProcessEventBatch(t.Context(), &eventpb.EventBatchRequest{})
	checkStatus(t, err, codes.InvalidArgument, "events: must hold 1 to 10000 events")
}

func TestProcessEventBatch(t *testing.T) {
	_, conn := start(t, new(storage), options{})
	batch := &eventpb.EventBatchRequest{Events: []*eventpb.EventRequest{request("1", nil), {}, request("2", nil)}}
	reply, err := eventpb.NewEventServiceClient(conn).ProcessEventBatch(t.Context(), batch)
	if err != nil {
		t.Fatal(err)
	}
	want := &eventpb.EventBatchResponse{
		Message: "2 of 3 events processed", ProcessedCount: 2, FailedCount: 1,
		BatchId: reply.BatchId, ProcessingTimeMs: reply.ProcessingTimeMs,
		Failures: []*eventpb.EventFailure{{Index: 1, Message: "eventHeader: required"}},
	}
	if !proto.Equal(reply, want) || len(reply.BatchId) != 36 {
		t.Errorf("got %v", reply)
	}
}

func TestFailuresAreInternalErrors(t *testing.T) {
	for _, s := range []*storage{{err: errors.New("secret")}, {panics: true}} {
		_, conn := start(t, s, options{mode: writer.PerRequest})
		_, err := eventpb.NewEventServiceClient(conn).ProcessEvent(t.Context(), request("1", nil))
		checkStatus(t, err, codes.Internal, "internal error")
	}
}

func openStream(t *testing.T, conn *grpc.ClientConn) grpc.BidiStreamingClient[eventpb.EventRequest, eventpb.EventResponse] {
	t.Helper()
	stream, err := eventpb.NewEventServiceClient(conn).StreamEvents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return stream
}

func send(t *testing.T, stream grpc.BidiStreamingClient[eventpb.EventRequest, eventpb.EventResponse], sent *eventpb.EventRequest) {
	t.Helper()
	if err := stream.Send(sent); err != nil {
		t.Fatal(err)
	}
}

func TestStreamIsAnsweredInItsOrder(t *testing.T) {
	_, conn := start(t, new(storage), options{})
	stream := openStream(t, conn)
	for range 500 {
		send(t, stream, request("1", nil))
		send(t, stream, &eventpb.EventRequest{})
	}
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	for i := range 1_000 {
		want := []string{"Event processed successfully", "eventHeader: required"}[i%2]
		if reply, err := stream.Recv(); err != nil || reply.Message != want || reply.Success != (i%2 == 0) {
			t.Fatalf("reply %d: got %v, %v", i, reply, err)
		}
	}
	if _, err := stream.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("the stream should end: %v", err)
	}
}

func TestStreamEndsWithAnError(t *testing.T) {
	_, conn := start(t, new(storage), options{})
	stream := openStream(t, conn)
	send(t, stream, request("1", nil))
	send(t, stream, withValue(structpb.NewStringValue(strings.Repeat("x", event.MaxBytes))))
	if reply, err := stream.Recv(); err != nil || !reply.Success {
		t.Errorf("got %v, %v", reply, err)
	}
	_, err := stream.Recv()
	checkStatus(t, err, codes.ResourceExhausted, "body: larger than 1048576 bytes")
}

func TestPanicEndsAStreamAndNotTheProcess(t *testing.T) {
	_, conn := start(t, &storage{panics: true}, options{mode: writer.PerRequest})
	stream := openStream(t, conn)
	send(t, stream, request("1", nil))
	_, err := stream.Recv()
	checkStatus(t, err, codes.Internal, "internal error")
}

func TestStopAnswersWhatWasAcceptedAndEndsStreams(t *testing.T) {
	s := &storage{gate: make(chan struct{})}
	server, conn := start(t, s, options{})
	stream := openStream(t, conn)
	send(t, stream, request("1", nil))
	s.gate <- struct{}{}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	send(t, stream, request("2", nil))
	// It has been accepted once it is about to be stored.
	s.gate <- struct{}{}
	close(s.gate)
	stopped := make(chan error, 1)
	go func() { stopped <- server.Stop(t.Context()) }()
	if reply, err := stream.Recv(); err != nil || !reply.Success {
		t.Errorf("got %v, %v", reply, err)
	}
	_, err := stream.Recv()
	checkStatus(t, err, codes.Unavailable, "server: stopping, retry later")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestHealth(t *testing.T) {
	for _, storageErr := range []error{nil, writer.ErrDatabaseUnavailable} {
		_, conn := start(t, &storage{err: storageErr}, options{})
		own, err := eventpb.NewEventServiceClient(conn).HealthCheck(t.Context(), &eventpb.HealthRequest{})
		if err != nil || own.Healthy != (storageErr == nil) {
			t.Errorf("got %v, %v", own, err)
		}
		checked, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{})
		if err != nil || (checked.Status == healthpb.HealthCheckResponse_SERVING) != (storageErr == nil) {
			t.Errorf("got %v, %v", checked, err)
		}
	}
}

func TestTokenIsRequired(t *testing.T) {
	_, conn := start(t, new(storage), options{token: bearer.NewToken("secret")})
	for _, test := range []struct {
		method        string
		authorization []string
		code          codes.Code
	}{
		{eventpb.EventService_ProcessEvent_FullMethodName, nil, codes.Unauthenticated},
		{eventpb.EventService_ProcessEvent_FullMethodName, []string{"Bearer other"}, codes.Unauthenticated},
		{eventpb.EventService_ProcessEvent_FullMethodName, []string{"bearer secret"}, codes.OK},
		{eventpb.EventService_ProcessEvent_FullMethodName, []string{"Bearer secret", "Bearer secret"}, codes.Unauthenticated},
		{eventpb.EventService_StreamEvents_FullMethodName, nil, codes.Unauthenticated},
		{"/com.example.grpc.EventService/Other", nil, codes.Unauthenticated},
		{"/com.example.grpc.EventService/Other", []string{"Bearer secret"}, codes.Unimplemented},
		{eventpb.EventService_HealthCheck_FullMethodName, nil, codes.OK},
		{healthpb.Health_Check_FullMethodName, nil, codes.OK},
	} {
		ctx := t.Context()
		for _, value := range test.authorization {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", value)
		}
		var sent proto.Message = request("1", nil)
		if test.authorization == nil {
			sent = new(eventpb.HealthRequest)
		}
		if err := conn.Invoke(ctx, test.method, sent, new(eventpb.HealthRequest)); status.Code(err) != test.code {
			t.Errorf("%+v: got %v", test, err)
		}
	}
}

func TestReflectionOffersBothVersions(t *testing.T) {
	_, conn := start(t, new(storage), options{})
	for _, version := range []string{"v1", "v1alpha"} {
		// The messages of both versions are the same.
		method := "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo"
		call, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
		if err != nil {
			t.Fatal(err)
		}
		err = call.SendMsg(&reflectionpb.ServerReflectionRequest{
			MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{ListServices: "*"},
		})
		answer := new(reflectionpb.ServerReflectionResponse)
		if received := call.RecvMsg(answer); err != nil || received != nil || len(answer.GetListServicesResponse().GetService()) == 0 {
			t.Errorf("%s: got %v, %v, %v", version, answer, err, received)
		}
	}
}
