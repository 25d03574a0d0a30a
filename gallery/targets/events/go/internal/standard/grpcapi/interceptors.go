package grpcapi

import (
	"context"
	"log/slog"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/auth"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/selector"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/grpcreply"
)

// withInterceptors returns the options that recover from panics and require the token unless it is nil.
func withInterceptors(token *bearer.Token, log *slog.Logger) []grpc.ServerOption {
	recovers := recovery.WithRecoveryHandler(func(reason any) error {
		log.Error("a method panicked", "reason", reason)
		return grpcreply.Status(fault.ErrInternal)
	})
	unary := []grpc.UnaryServerInterceptor{recovery.UnaryServerInterceptor(recovers)}
	stream := []grpc.StreamServerInterceptor{recovery.StreamServerInterceptor(recovers)}
	if token != nil {
		check := checkToken(token)
		unary = append(unary, selector.UnaryServerInterceptor(auth.UnaryServerInterceptor(check), selector.MatchFunc(needsToken)))
		stream = append(stream, selector.StreamServerInterceptor(auth.StreamServerInterceptor(check), selector.MatchFunc(needsToken)))
	}
	return []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(unary...),
		grpc.ChainStreamInterceptor(stream...),
		// Interceptors see the calls of unknown methods only with a handler for them.
		grpc.UnknownServiceHandler(func(any, grpc.ServerStream) error {
			return status.Error(codes.Unimplemented, "method: unknown")
		}),
	}
}

func checkToken(token *bearer.Token) auth.AuthFunc {
	return func(ctx context.Context) (context.Context, error) {
		if err := token.Check(metadata.ValueFromIncomingContext(ctx, "authorization")); err != nil {
			return nil, grpcreply.Status(err)
		}
		return ctx, nil
	}
}

// needsToken reports whether a method is no health check.
func needsToken(_ context.Context, call interceptors.CallMeta) bool {
	switch call.FullMethod() {
	case eventpb.EventService_HealthCheck_FullMethodName, healthpb.Health_Check_FullMethodName,
		healthpb.Health_List_FullMethodName, healthpb.Health_Watch_FullMethodName:
		return false
	default:
		return true
	}
}
