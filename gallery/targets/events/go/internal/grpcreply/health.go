// Package grpcreply is the contract's replies over gRPC: statuses, the reply to a bulk, and grpc.health.v1.
package grpcreply

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/writer"
)

// watchPeriod is how often Watch checks the database.
const watchPeriod = time.Second

// ServiceName is the service of the contract.
const ServiceName = "com.example.grpc.EventService"

// Health is grpc.health.v1. It checks the database at each call; grpc-go's own implementation only stores a status.
type Health struct {
	healthpb.UnimplementedHealthServer
	Writer *writer.Writer
	// Stopping ends when the process is stopping.
	Stopping context.Context
}

var errUnknownService = status.Error(codes.NotFound, "service: unknown")

// Check reports whether the service can store events now.
func (h *Health) Check(ctx context.Context, request *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	if !isKnown(request.GetService()) {
		return nil, errUnknownService
	}
	return &healthpb.HealthCheckResponse{Status: h.status(ctx)}, nil
}

// List reports the same for all services.
func (h *Health) List(ctx context.Context, _ *healthpb.HealthListRequest) (*healthpb.HealthListResponse, error) {
	answer := &healthpb.HealthCheckResponse{Status: h.status(ctx)}
	return &healthpb.HealthListResponse{
		Statuses: map[string]*healthpb.HealthCheckResponse{"": answer, ServiceName: answer},
	}, nil
}

// Watch reports it now and whenever it changes.
func (h *Health) Watch(
	request *healthpb.HealthCheckRequest, call grpc.ServerStreamingServer[healthpb.HealthCheckResponse],
) error {
	sent := healthpb.HealthCheckResponse_UNKNOWN
	ticker := time.NewTicker(watchPeriod)
	defer ticker.Stop()
	for {
		now := healthpb.HealthCheckResponse_SERVICE_UNKNOWN
		if isKnown(request.GetService()) {
			now = h.status(call.Context())
		}
		if now != sent {
			if err := call.Send(&healthpb.HealthCheckResponse{Status: now}); err != nil {
				return err
			}
			sent = now
		}
		select {
		case <-ticker.C:
		case <-call.Context().Done():
			return status.FromContextError(call.Context().Err()).Err()
		case <-h.Stopping.Done():
			return call.Send(&healthpb.HealthCheckResponse{Status: healthpb.HealthCheckResponse_NOT_SERVING})
		}
	}
}

func (h *Health) status(ctx context.Context) healthpb.HealthCheckResponse_ServingStatus {
	if h.Stopping.Err() == nil && h.Writer.Healthy(ctx) {
		return healthpb.HealthCheckResponse_SERVING
	}
	return healthpb.HealthCheckResponse_NOT_SERVING
}

func isKnown(service string) bool { return service == "" || service == ServiceName }
