// Package grpcapi is the events API over gRPC: it decodes, calls the writer, encodes, and nothing else.
package grpcapi

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/intake"
	"example.com/bakeoff/events/internal/tuned/protoevent"
	"example.com/bakeoff/events/internal/writer"
)

// service is EventService.
type service struct {
	writer *writer.Writer
	budget *intake.Budget
	// messageTimeout limits how long a message takes to arrive: in a unary call from the start of the call, in a stream
	// from its first byte. A slower client would hold a call for nothing.
	messageTimeout time.Duration
	// stopping ends when the process is stopping.
	stopping context.Context
	// stored is the reply to an event that is durable; nothing in it changes.
	stored encoded
	log    *slog.Logger
}

func newService(
	stopping context.Context, w *writer.Writer, budget *intake.Budget, messageTimeout time.Duration, log *slog.Logger,
) (*service, error) {
	stored, err := proto.Marshal(&eventpb.EventResponse{Success: true, Message: "Event processed successfully"})
	return &service{
		writer: w, budget: budget, messageTimeout: messageTimeout, stopping: stopping, stored: stored, log: log,
	}, err
}

// description describes the methods to grpc-go, all of them as streams: on the wire a unary call is a stream of one,
// and only a stream leaves the receiving of its messages to the handler.
func description() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: grpcreply.ServiceName,
		HandlerType: (*any)(nil),
		Streams: []grpc.StreamDesc{
			{StreamName: "ProcessEvent", Handler: handler((*service).processEvent)},
			{StreamName: "ProcessEventBatch", Handler: handler((*service).processEventBatch)},
			{StreamName: "StreamEvents", Handler: handler((*service).streamEvents), ServerStreams: true, ClientStreams: true},
			{StreamName: "HealthCheck", Handler: handler((*service).healthCheck)},
		},
		Metadata: eventpb.File_event_service_proto.Path(),
	}
}

// handler replies to a call whose method panicked. It is no interceptor: grpc-go does not run stream
// interceptors for calls of one message.
func handler(method func(*service, grpc.ServerStream) error) grpc.StreamHandler {
	return func(implementation any, call grpc.ServerStream) (err error) {
		s := implementation.(*service)
		defer func() {
			if reason := recover(); reason != nil {
				err = s.panicked(reason)
			}
		}()
		return method(s, call)
	}
}

func (s *service) panicked(reason any) error {
	s.log.Error("a method panicked", "reason", reason, "stack", string(debug.Stack()))
	return grpcreply.Status(fault.ErrInternal)
}

func (s *service) processEvent(call grpc.ServerStream) error {
	charge := s.budget.Charge()
	defer charge.Release()
	message, err := receiveOne(call, event.MaxBytes, s.messageTimeout, &charge)
	if err != nil {
		return grpcreply.Status(err)
	}
	decoded, err := protoevent.Decode(message)
	if err != nil {
		return grpcreply.Status(err)
	}
	if err := s.writer.Store(call.Context(), decoded); err != nil {
		return grpcreply.Status(err)
	}
	return call.SendMsg(s.stored)
}

func (s *service) processEventBatch(call grpc.ServerStream) error {
	charge := s.budget.Charge()
	defer charge.Release()
	message, err := receiveOne(call, event.MaxBulkBytes, s.messageTimeout, &charge)
	if err != nil {
		return grpcreply.Status(err)
	}
	events, err := protoevent.DecodeBulk(message)
	if err != nil {
		return grpcreply.Status(err)
	}
	report, err := s.writer.StoreBulk(call.Context(), events)
	if err != nil {
		return grpcreply.Status(err)
	}
	return call.SendMsg(grpcreply.Batch(report))
}

func (s *service) healthCheck(call grpc.ServerStream) error {
	charge := s.budget.Charge()
	defer charge.Release()
	message, err := receiveOne(call, event.MaxBytes, s.messageTimeout, &charge)
	if err != nil {
		return grpcreply.Status(err)
	}
	if err := proto.Unmarshal([]byte(message), new(eventpb.HealthRequest)); err != nil {
		return grpcreply.Status(protoevent.ErrNotAMessage)
	}
	return call.SendMsg(grpcreply.HealthCheck(s.writer.Healthy(call.Context())))
}
