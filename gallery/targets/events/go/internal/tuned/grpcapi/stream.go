package grpcapi

import (
	"context"
	"errors"
	"io"

	"google.golang.org/grpc"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/intake"
	"example.com/bakeoff/events/internal/tuned/protoevent"
	"example.com/bakeoff/events/internal/writer"
)

// streamWindow is how many events of one stream may be accepted and not yet answered. At that number
// reading pauses, and HTTP/2 flow control slows the client down.
const streamWindow = 256

// turn is an event's place in the order of replies.
type turn struct {
	// accepted is nil for an event that is not stored.
	accepted *writer.Receipt
	// charge is what the event occupies until it is answered.
	charge intake.Charge
	// invalid is the rule that the event breaks.
	invalid error
	// end is the status that ends the stream.
	end error
}

// streamEvents stores the events of a stream; the replies come in their order.
func (s *service) streamEvents(call grpc.ServerStream) error {
	// Only the end of the call interrupts a read, so this goroutine sends the replies and ends the call.
	messages, err := framesOf(call.Context())
	if err != nil {
		return grpcreply.Status(err)
	}
	turns := make(chan turn, streamWindow)
	go s.acceptEvents(call.Context(), messages, turns)
	defer func() { go releaseUnanswered(turns) }()
	for {
		select {
		case next, more := <-turns:
			if !more {
				return nil
			}
			if err := s.reply(call, next); err != nil {
				return err
			}
		case <-s.stopping.Done():
			return s.replyToAccepted(call, turns)
		}
	}
}

// releaseUnanswered returns what events occupy that the end of their stream left unanswered.
func releaseUnanswered(turns <-chan turn) {
	for left := range turns {
		left.charge.Release()
	}
}

// replyToAccepted replies to what was accepted before the stop.
func (s *service) replyToAccepted(call grpc.ServerStream, turns <-chan turn) error {
	for {
		select {
		case next, more := <-turns:
			if !more {
				return nil
			}
			if err := s.reply(call, next); err != nil {
				return err
			}
		default:
			return grpcreply.Status(fault.ErrStopping)
		}
	}
}

func (s *service) reply(call grpc.ServerStream, next turn) error {
	defer next.charge.Release()
	switch {
	case next.end != nil:
		return next.end
	case next.invalid != nil:
		return call.SendMsg(&eventpb.EventResponse{Message: fault.Of(next.invalid).Message})
	}
	if err := next.accepted.Outcome(); err != nil {
		return grpcreply.Status(err)
	}
	return call.SendMsg(s.stored)
}

// acceptEvents reads a stream to its end, or until the call ends.
func (s *service) acceptEvents(ctx context.Context, messages frames, turns chan<- turn) {
	defer close(turns)
	defer func() {
		if reason := recover(); reason != nil {
			pass(ctx, turns, turn{end: s.panicked(reason)})
		}
	}()
	watch := newMessageTimer(s.messageTimeout, func() { endOverdue(messages) })
	defer watch.close()
	for {
		next, more := s.accept(ctx, messages, watch)
		if !more {
			return
		}
		if !pass(ctx, turns, next) {
			next.charge.Release()
			return
		}
		if next.end != nil {
			return
		}
	}
}

// pass returns false when the call has ended.
func pass(ctx context.Context, turns chan<- turn, next turn) bool {
	select {
	case turns <- next:
		return true
	case <-ctx.Done():
		return false
	}
}

// accept reads one event; it returns false at the end of the stream.
func (s *service) accept(ctx context.Context, messages frames, watch *messageTimer) (turn, bool) {
	charge := s.budget.Charge()
	message, err := receiveNext(messages, event.MaxBytes, &charge, watch)
	if errors.Is(err, io.EOF) {
		return turn{}, false
	}
	if err != nil {
		return turn{end: grpcreply.Status(err), charge: charge}, true
	}
	decoded, err := protoevent.Decode(message)
	if err != nil && fault.Of(err).Kind == fault.Malformed {
		return turn{end: grpcreply.Status(err), charge: charge}, true
	}
	if err != nil {
		return turn{invalid: err, charge: charge}, true
	}
	receipt, err := s.writer.Accept(ctx, decoded)
	if err != nil {
		return turn{end: grpcreply.Status(err), charge: charge}, true
	}
	return turn{accepted: receipt, charge: charge}, true
}
