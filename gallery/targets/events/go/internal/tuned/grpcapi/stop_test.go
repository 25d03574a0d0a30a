package grpcapi

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/writer"
)

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

func TestStopCancelsCallsAfterItsTimeout(t *testing.T) {
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
