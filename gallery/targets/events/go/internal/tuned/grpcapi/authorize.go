package grpcapi

import (
	"context"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/tap"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/grpcreply"
)

// authorize rejects calls without the token, except health checks. It is a tap handle, which grpc-go calls when the
// headers of a call arrive; interceptors do not see calls of unknown methods.
func authorize(token *bearer.Token) tap.ServerInHandle {
	return func(ctx context.Context, call *tap.Info) (context.Context, error) {
		if isHealthCheck(call.FullMethodName) {
			return ctx, nil
		}
		if err := token.Check(call.Header["authorization"]); err != nil {
			return nil, grpcreply.Status(err)
		}
		return ctx, nil
	}
}

func isHealthCheck(method string) bool {
	switch method {
	case "/" + grpcreply.ServiceName + "/HealthCheck",
		healthpb.Health_Check_FullMethodName, healthpb.Health_List_FullMethodName, healthpb.Health_Watch_FullMethodName:
		return true
	default:
		return false
	}
}
