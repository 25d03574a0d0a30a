package grpcapi

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"grpc-user-service/internal/user"
	"grpc-user-service/internal/userpb"
)

// watchEvery is how often a watched state is looked at.
const watchEvery = time.Second

// Health is the standard health service: serving means that the repository can be used now.
type Health struct {
	healthpb.UnimplementedHealthServer
	Users user.Repository
}

// Check reports the state of the server, or of UserService.
func (h *Health) Check(ctx context.Context, request *healthpb.HealthCheckRequest) (*healthpb.HealthCheckResponse, error) {
	if service := request.GetService(); service != "" && service != userpb.UserService_ServiceDesc.ServiceName {
		return nil, status.Error(codes.NotFound, "service: unknown")
	}
	if h.Users.Healthy(ctx) != nil {
		return &healthpb.HealthCheckResponse{Status: healthpb.HealthCheckResponse_NOT_SERVING}, nil
	}
	return &healthpb.HealthCheckResponse{Status: healthpb.HealthCheckResponse_SERVING}, nil
}

// Watch reports the state, and then each change of it.
func (h *Health) Watch(request *healthpb.HealthCheckRequest, stream grpc.ServerStreamingServer[healthpb.HealthCheckResponse]) error {
	ticker := time.NewTicker(watchEvery)
	defer ticker.Stop()
	var last *healthpb.HealthCheckResponse
	for {
		state, err := h.Check(stream.Context(), request)
		if err != nil {
			state = &healthpb.HealthCheckResponse{Status: healthpb.HealthCheckResponse_SERVICE_UNKNOWN}
		}
		if last.GetStatus() != state.GetStatus() {
			if err := stream.Send(state); err != nil {
				return err
			}
			last = state
		}
		select {
		case <-stream.Context().Done():
			return status.FromContextError(stream.Context().Err()).Err()
		case <-ticker.C:
		}
	}
}
