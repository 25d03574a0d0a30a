package grpcapi

import (
	"context"
	"log/slog"
	"time"

	"github.com/grpc-ecosystem/go-grpc-middleware/v2/interceptors/recovery"
	"golang.org/x/time/rate"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// RequestID is the metadata, and the HTTP header, that a client finds in the reply as it sent it.
const RequestID = "x-request-id"

// interceptors run from left to right: whatever follows may panic, and the rate counts before any work is done.
func interceptors(options Options, log *slog.Logger) []grpc.UnaryServerInterceptor {
	chain := []grpc.UnaryServerInterceptor{recovery.UnaryServerInterceptor(recovery.WithRecoveryHandler(func(reason any) error {
		log.Error("a method panicked", "reason", reason)
		return status.Error(codes.Internal, "internal error")
	}))}
	if options.Rate > 0 {
		chain = append(chain, limitRate(NewLimiter(options.Rate)))
	}
	return append(chain, boundTime(options.Timeout), returnRequestID)
}

// NewLimiter returns a limit of so many requests per second, of which a tenth may come at once.
func NewLimiter(perSecond int) *rate.Limiter {
	return rate.NewLimiter(rate.Limit(perSecond), max(1, perSecond/10))
}

func limitRate(limiter *rate.Limiter) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if !limiter.Allow() {
			return nil, status.Error(codes.ResourceExhausted, "the limit of requests per second is reached")
		}
		return handle(ctx, request)
	}
}

// boundTime gives calls without a deadline one.
func boundTime(timeout time.Duration) grpc.UnaryServerInterceptor {
	return func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if _, has := ctx.Deadline(); has {
			return handle(ctx, request)
		}
		bounded, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		return handle(bounded, request)
	}
}

func returnRequestID(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
	if ids := metadata.ValueFromIncomingContext(ctx, RequestID); len(ids) > 0 {
		if err := grpc.SetHeader(ctx, metadata.Pairs(RequestID, ids[0])); err != nil {
			return nil, status.Error(codes.Internal, "internal error")
		}
	}
	return handle(ctx, request)
}
