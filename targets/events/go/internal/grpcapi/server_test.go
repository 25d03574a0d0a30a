package grpcapi

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/writer"
)

// storage answers every call with one error, or panics; gate holds up what is stored, and entered tells of it.
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
	log := slog.New(slog.DiscardHandler)
	w := writer.Start(t.Context(), s, writer.Options{Mode: mode, Flushers: 1, QueueEvents: 100}, log)
	server, err := NewServer(w, secured, token, log)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
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

func methodOf(name string) string { return "/" + serviceName + "/" + name }

func checkStatus(t *testing.T, err error, code codes.Code, message string) {
	t.Helper()
	if got := status.Convert(err); got.Code() != code || got.Message() != message {
		t.Errorf("got %v %q, want %v %q", got.Code(), got.Message(), code, message)
	}
}

func TestProcessEvent(t *testing.T) {
	s := &storage{}
	_, conn := start(t, s, writer.GroupCommit)
	reply := new(eventpb.EventResponse)
	if err := conn.Invoke(t.Context(), methodOf("ProcessEvent"), request("1"), reply); err != nil {
		t.Fatal(err)
	}
	if !reply.Success || reply.Message != "Event processed successfully" || s.rows.Load() != 1 {
		t.Errorf("got %v and %d rows", reply, s.rows.Load())
	}
}

func TestRefusedEvents(t *testing.T) {
	_, conn := start(t, &storage{}, writer.GroupCommit)
	unknownFields := func(bytes string) proto.Message {
		message := new(emptypb.Empty)
		message.ProtoReflect().SetUnknown([]byte(bytes))
		return message
	}
	for _, test := range []struct {
		method  string
		message proto.Message
		code    codes.Code
		want    string
	}{
		{"ProcessEvent", &eventpb.EventRequest{}, codes.InvalidArgument, "eventHeader: required"},
		{"ProcessEvent", unknownFields("\x0a\x03\x0a\x01\xff"), codes.InvalidArgument, "body: not a valid message"},
		{"ProcessEvent", sized(event.MaxBytes), codes.ResourceExhausted, "body: larger than 1048576 bytes"},
		{"ProcessEventBatch", unknownFields("\x0a\x03\x0a\x01\xff"), codes.InvalidArgument, "body: not a valid message"},
		{"ProcessEventBatch", &eventpb.EventBatchRequest{}, codes.InvalidArgument, "events: must hold 1 to 10000 events"},
		{"ProcessEventBatch", &eventpb.EventBatchRequest{Events: []*eventpb.EventRequest{{}}}, codes.InvalidArgument,
			"0 of 1 events processed; event 0: eventHeader: required"},
		{"ProcessEventBatch", &eventpb.EventBatchRequest{Events: []*eventpb.EventRequest{sized(event.MaxBulkBytes)}},
			codes.ResourceExhausted, "body: larger than 16777216 bytes"},
		{"HealthCheck", unknownFields("\x0a\x01\xff"), codes.InvalidArgument, "body: not a valid message"},
	} {
		t.Run(test.method+" "+test.want, func(t *testing.T) {
			checkStatus(t, conn.Invoke(t.Context(), methodOf(test.method), test.message, new(emptypb.Empty)), test.code, test.want)
		})
	}
}

func TestACallWithoutMessageIsRefused(t *testing.T) {
	_, conn := start(t, &storage{}, writer.GroupCommit)
	call, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, methodOf("ProcessEvent"))
	if err != nil {
		t.Fatal(err)
	}
	if err := call.CloseSend(); err != nil {
		t.Fatal(err)
	}
	checkStatus(t, call.RecvMsg(new(emptypb.Empty)), codes.InvalidArgument, "body: not a valid message")
}

func TestProcessEventBatch(t *testing.T) {
	_, conn := start(t, &storage{}, writer.GroupCommit)
	batch := &eventpb.EventBatchRequest{Events: []*eventpb.EventRequest{request("1"), {}, request("2")}}
	reply := new(eventpb.EventBatchResponse)
	if err := conn.Invoke(t.Context(), methodOf("ProcessEventBatch"), batch, reply); err != nil {
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

func TestFailures(t *testing.T) {
	for _, test := range []struct {
		storage *storage
		mode    writer.Mode
		code    codes.Code
		message string
	}{
		{&storage{err: errors.New("secret")}, writer.GroupCommit, codes.Internal, "internal error"},
		{&storage{panics: true}, writer.PerRequest, codes.Internal, "internal error"},
	} {
		_, conn := start(t, test.storage, test.mode)
		err := conn.Invoke(t.Context(), methodOf("ProcessEvent"), request("1"), new(eventpb.EventResponse))
		checkStatus(t, err, test.code, test.message)
	}
}

// openStream is a client's end of StreamEvents.
func openStream(t *testing.T, conn *grpc.ClientConn) grpc.ClientStream {
	t.Helper()
	call, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, methodOf("StreamEvents"))
	if err != nil {
		t.Fatal(err)
	}
	return call
}

func send(t *testing.T, call grpc.ClientStream, message proto.Message) {
	t.Helper()
	if err := call.SendMsg(message); err != nil {
		t.Fatal(err)
	}
}

func reply(t *testing.T, call grpc.ClientStream, want string) {
	t.Helper()
	got := new(eventpb.EventResponse)
	if err := call.RecvMsg(got); err != nil {
		t.Fatal(err)
	}
	if got.Message != want || got.Success != (want == "Event processed successfully") {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestAStreamIsAnsweredInItsOrder(t *testing.T) {
	for _, mode := range []writer.Mode{writer.GroupCommit, writer.PerRequest} {
		t.Run(string(mode), func(t *testing.T) {
			_, conn := start(t, &storage{}, mode)
			call := openStream(t, conn)
			for range 500 {
				send(t, call, request("1"))
				send(t, call, &eventpb.EventRequest{})
			}
			if err := call.CloseSend(); err != nil {
				t.Fatal(err)
			}
			for range 500 {
				reply(t, call, "Event processed successfully")
				reply(t, call, "eventHeader: required")
			}
			if err := call.RecvMsg(new(eventpb.EventResponse)); !errors.Is(err, io.EOF) {
				t.Errorf("the stream should end: %v", err)
			}
		})
	}
}

func TestWhatEndsAStream(t *testing.T) {
	malformed := new(emptypb.Empty)
	malformed.ProtoReflect().SetUnknown([]byte("\x0a\x03\x0a\x01\xff"))
	for _, test := range []struct {
		message proto.Message
		code    codes.Code
		want    string
	}{
		{malformed, codes.InvalidArgument, "body: not a valid message"},
		{sized(event.MaxBytes), codes.ResourceExhausted, "body: larger than 1048576 bytes"},
	} {
		t.Run(test.want, func(t *testing.T) {
			_, conn := start(t, &storage{}, writer.GroupCommit)
			call := openStream(t, conn)
			send(t, call, request("1"))
			send(t, call, test.message)
			reply(t, call, "Event processed successfully")
			checkStatus(t, call.RecvMsg(new(eventpb.EventResponse)), test.code, test.want)
		})
	}
}

func TestStopAnswersWhatWasAcceptedAndEndsStreams(t *testing.T) {
	s := &storage{gate: make(chan struct{})}
	server, conn := start(t, s, writer.GroupCommit)
	call := openStream(t, conn)
	send(t, call, request("1"))
	// It has been accepted once it is about to be stored.
	s.gate <- struct{}{}
	reply(t, call, "Event processed successfully")
	send(t, call, request("2"))
	s.gate <- struct{}{}
	close(s.gate)
	stopped := make(chan error, 1)
	go func() { stopped <- server.Stop(t.Context()) }()
	reply(t, call, "Event processed successfully")
	checkStatus(t, call.RecvMsg(new(eventpb.EventResponse)), codes.Unavailable, "server: stopping, retry later")
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestStopBreaksOffCallsWhenItsTimeIsUp(t *testing.T) {
	s := &storage{gate: make(chan struct{}), entered: make(chan struct{}, 1)}
	server, conn := start(t, s, writer.GroupCommit)
	called, stopped := make(chan error, 1), make(chan error, 1)
	go func() {
		called <- conn.Invoke(t.Context(), methodOf("ProcessEvent"), request("1"), new(eventpb.EventResponse))
	}()
	<-s.entered
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	go func() { stopped <- server.Stop(ctx) }()
	if err := <-called; status.Code(err) != codes.Unavailable {
		t.Errorf("the call ends with %v", err)
	}
	close(s.gate)
	if err := <-stopped; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestHealth(t *testing.T) {
	for _, test := range []struct {
		err     error
		status  healthpb.HealthCheckResponse_ServingStatus
		message string
	}{
		{nil, healthpb.HealthCheckResponse_SERVING, "OK"},
		{writer.ErrAway, healthpb.HealthCheckResponse_NOT_SERVING, "database: unavailable"},
	} {
		_, conn := start(t, &storage{err: test.err}, writer.GroupCommit)
		own := new(eventpb.HealthResponse)
		if err := conn.Invoke(t.Context(), methodOf("HealthCheck"), &eventpb.HealthRequest{}, own); err != nil {
			t.Fatal(err)
		}
		if own.Healthy != (test.err == nil) || own.Message != test.message {
			t.Errorf("got %v", own)
		}
		client := healthpb.NewHealthClient(conn)
		for _, service := range []string{"", serviceName} {
			checked, err := client.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
			if err != nil || checked.Status != test.status {
				t.Errorf("%q: got %v, %v", service, checked, err)
			}
			watch, err := client.Watch(t.Context(), &healthpb.HealthCheckRequest{Service: service})
			if err != nil {
				t.Fatal(err)
			}
			if watched, err := watch.Recv(); err != nil || watched.Status != test.status {
				t.Errorf("%q: got %v, %v", service, watched, err)
			}
		}
		_, err := client.Check(t.Context(), &healthpb.HealthCheckRequest{Service: "other"})
		checkStatus(t, err, codes.NotFound, "service: unknown")
	}
}

func TestThoseWhoWatchHearOfTheStop(t *testing.T) {
	server, conn := start(t, &storage{}, writer.GroupCommit)
	watch, err := healthpb.NewHealthClient(conn).Watch(t.Context(), &healthpb.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Recv(); err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if last, err := watch.Recv(); err != nil || last.Status != healthpb.HealthCheckResponse_NOT_SERVING {
		t.Errorf("got %v, %v", last, err)
	}
}

func TestReflection(t *testing.T) {
	_, conn := start(t, &storage{}, writer.GroupCommit)
	call, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = call.Send(&reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: serviceName},
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := call.Recv(); err != nil || len(answer.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		t.Errorf("got %v, %v", answer, err)
	}
}

// The methods are described by hand: they must be those of the contract.
func TestTheDescriptionIsThatOfTheContract(t *testing.T) {
	methods := eventpb.File_event_service_proto.Services().ByName("EventService").Methods()
	described := description()
	if len(described.Streams) != methods.Len() {
		t.Errorf("%d methods are described, the contract has %d", len(described.Streams), methods.Len())
	}
	for _, stream := range described.Streams {
		method := methods.ByName(protoreflect.Name(stream.StreamName))
		if method == nil {
			t.Errorf("%s is not in the contract", stream.StreamName)
			continue
		}
		if stream.ClientStreams != method.IsStreamingClient() || stream.ServerStreams != method.IsStreamingServer() {
			t.Errorf("%s streams otherwise in the contract", stream.StreamName)
		}
	}
}
