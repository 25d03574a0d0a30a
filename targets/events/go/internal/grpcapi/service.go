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
	"example.com/bakeoff/events/internal/protoevent"
	"example.com/bakeoff/events/internal/writer"
)

const (
	serviceName = "com.example.grpc.EventService"
	// messageTimeout limits how long a message takes to arrive: in a unary call from the start of the call, in a stream
	// from its first byte. A slower client would hold a call for nothing.
	messageTimeout = time.Minute
)

// service is EventService.
type service struct {
	writer *writer.Writer
	// stopping ends when the process is stopping.
	stopping context.Context
	// stored is the reply to an event that is durable; nothing in it changes.
	stored encoded
	log    *slog.Logger
}

func newService(stopping context.Context, w *writer.Writer, log *slog.Logger) (*service, error) {
	stored, err := proto.Marshal(&eventpb.EventResponse{Success: true, Message: "Event processed successfully"})
	return &service{writer: w, stopping: stopping, stored: stored, log: log}, err
}

// description describes the methods to grpc-go, all of them as streams: on the wire a unary call is a stream of one,
// and only a stream leaves the receiving of its messages to the handler.
func description() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: serviceName,
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
	return statusOf(fault.ErrInternal)
}

func (s *service) processEvent(call grpc.ServerStream) error {
	message, err := receiveOne(call, event.MaxBytes)
	if err != nil {
		return statusOf(err)
	}
	decoded, err := protoevent.Decode(message)
	if err != nil {
		return statusOf(err)
	}
	if err := s.writer.Store(call.Context(), decoded); err != nil {
		return statusOf(err)
	}
	return call.SendMsg(s.stored)
}

func (s *service) processEventBatch(call grpc.ServerStream) error {
	message, err := receiveOne(call, event.MaxBulkBytes)
	if err != nil {
		return statusOf(err)
	}
	events, err := protoevent.DecodeBulk(message)
	if err != nil {
		return statusOf(err)
	}
	report, err := s.writer.StoreBulk(call.Context(), events)
	if err != nil {
		return statusOf(err)
	}
	return call.SendMsg(batchReply(report))
}

func (s *service) healthCheck(call grpc.ServerStream) error {
	message, err := receiveOne(call, event.MaxBytes)
	if err != nil {
		return statusOf(err)
	}
	if err := proto.Unmarshal([]byte(message), new(eventpb.HealthRequest)); err != nil {
		return statusOf(protoevent.ErrNotAMessage)
	}
	reply := &eventpb.HealthResponse{Healthy: s.writer.Healthy(call.Context()), Message: "OK"}
	if !reply.Healthy {
		reply.Message = "database: unavailable"
	}
	return call.SendMsg(reply)
}

func batchReply(report writer.Report) *eventpb.EventBatchResponse {
	failures := make([]*eventpb.EventFailure, len(report.Failures))
	for i, failure := range report.Failures {
		failures[i] = &eventpb.EventFailure{Index: uint32(failure.Index), Message: failure.Message}
	}
	return &eventpb.EventBatchResponse{
		Success:          report.Success(),
		Message:          report.Message(),
		ProcessedCount:   uint32(report.Processed),
		FailedCount:      uint32(len(failures)),
		BatchId:          report.BatchID,
		ProcessingTimeMs: uint32(report.Took.Milliseconds()),
		Failures:         failures,
	}
}
