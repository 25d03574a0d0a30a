package grpcapi

import (
	"errors"
	"io"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/writer"
)

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

func TestStreamEndsWithAnError(t *testing.T) {
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

func TestADefectEndsAStreamAndNotTheProcess(t *testing.T) {
	_, conn := start(t, &storage{panics: true}, writer.PerRequest)
	call := openStream(t, conn)
	send(t, call, request("1"))
	checkStatus(t, call.RecvMsg(new(eventpb.EventResponse)), codes.Internal, "internal error")
}
