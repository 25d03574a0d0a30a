package grpcapi

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/writer"
)

// streamWindow is how many events of one stream may be accepted and not yet answered. At that number reading pauses,
// and HTTP/2 flow control slows the client down.
const streamWindow = 256

type eventStream = grpc.BidiStreamingServer[eventpb.EventRequest, eventpb.EventResponse]

// turn is an event's place in the order of replies.
type turn struct {
	accepted *writer.Receipt
	// invalid is the rule that the event breaks.
	invalid error
	// end is the status that ends the stream.
	end error
}

// StreamEvents stores the events of a stream and answers them in their order.
func (s *service) StreamEvents(stream eventStream) error {
	turns := make(chan turn, streamWindow)
	go s.acceptEvents(stream, turns)
	for {
		select {
		case next, more := <-turns:
			if !more {
				return nil
			}
			if err := reply(stream, next); err != nil {
				return err
			}
		case <-s.stopping.Done():
			return replyToAccepted(stream, turns)
		}
	}
}

// replyToAccepted replies to what was accepted before the stop.
func replyToAccepted(stream eventStream, turns <-chan turn) error {
	for {
		select {
		case next, more := <-turns:
			if !more {
				return nil
			}
			if err := reply(stream, next); err != nil {
				return err
			}
		default:
			return grpcreply.Status(fault.ErrStopping)
		}
	}
}

func reply(stream eventStream, next turn) error {
	switch {
	case next.end != nil:
		return next.end
	case next.invalid != nil:
		return stream.Send(&eventpb.EventResponse{Message: fault.Of(next.invalid).Message})
	}
	if err := next.accepted.Outcome(); err != nil {
		return grpcreply.Status(err)
	}
	return stream.Send(stored())
}

// acceptEvents reads a stream until it or the call ends.
func (s *service) acceptEvents(stream eventStream, turns chan<- turn) {
	defer close(turns)
	// The interceptor recovers panics of the handler's goroutine only.
	defer func() {
		if reason := recover(); reason != nil {
			s.log.Error("a stream panicked", "reason", reason)
			deliver(stream.Context(), turns, turn{end: grpcreply.Status(fault.ErrInternal)})
		}
	}()
	for {
		request, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return
		}
		next := turn{end: err}
		if err == nil {
			next = s.accept(stream.Context(), request)
		}
		if !deliver(stream.Context(), turns, next) || next.end != nil {
			return
		}
	}
}

// deliver returns false when the call has ended.
func deliver(ctx context.Context, turns chan<- turn, next turn) bool {
	select {
	case turns <- next:
		return true
	case <-ctx.Done():
		return false
	}
}

func (s *service) accept(ctx context.Context, request *eventpb.EventRequest) turn {
	decoded, err := s.eventOf(request, proto.Size(request), fault.BodyTooLarge(event.MaxBytes))
	if err != nil && fault.Of(err).Kind == fault.TooLarge {
		return turn{end: grpcreply.Status(err)}
	}
	if err != nil {
		return turn{invalid: err}
	}
	receipt, err := s.writer.Accept(ctx, decoded)
	if err != nil {
		return turn{end: grpcreply.Status(err)}
	}
	return turn{accepted: receipt}
}
