package grpcapi

import (
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/emptypb"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/writer"
)

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
