// Package grpcapi is the events API over gRPC with grpc-go and its generated code.
package grpcapi

import (
	"context"
	"log/slog"

	"github.com/go-playground/validator/v10"
	"google.golang.org/protobuf/proto"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/httpreply"
	"example.com/bakeoff/events/internal/writer"
)

// service is EventService.
type service struct {
	eventpb.UnimplementedEventServiceServer
	writer   *writer.Writer
	validate *validator.Validate
	// stopping ends when the process is stopping.
	stopping context.Context
	log      *slog.Logger
}

// ProcessEvent stores one event.
func (s *service) ProcessEvent(ctx context.Context, request *eventpb.EventRequest) (*eventpb.EventResponse, error) {
	decoded, err := s.eventOf(request, proto.Size(request), fault.BodyTooLarge(event.MaxBytes))
	if err != nil {
		return nil, grpcreply.Status(err)
	}
	if err := s.writer.Store(ctx, decoded); err != nil {
		return nil, grpcreply.Status(err)
	}
	return stored(), nil
}

// ProcessEventBatch stores many events, each of them completely or not at all.
func (s *service) ProcessEventBatch(
	ctx context.Context, request *eventpb.EventBatchRequest,
) (*eventpb.EventBatchResponse, error) {
	if err := event.CheckCount(len(request.GetEvents())); err != nil {
		return nil, grpcreply.Status(err)
	}
	events := make([]event.Decoded, len(request.GetEvents()))
	for i, element := range request.GetEvents() {
		events[i].Event, events[i].Err = s.eventOf(element, proto.Size(element), event.ErrTooLargeInBulk)
	}
	report, err := s.writer.StoreBulk(ctx, events)
	if err != nil {
		return nil, grpcreply.Status(err)
	}
	return grpcreply.Batch(report), nil
}

// HealthCheck reports whether the service can store events now.
func (s *service) HealthCheck(ctx context.Context, _ *eventpb.HealthRequest) (*eventpb.HealthResponse, error) {
	return grpcreply.HealthCheck(s.writer.Healthy(ctx)), nil
}

func stored() *eventpb.EventResponse {
	return &eventpb.EventResponse{Success: true, Message: httpreply.Stored}
}
