// Package grpcapi is the user service over gRPC with grpc-go and its generated code.
package grpcapi

import (
	"context"
	"errors"
	"log/slog"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"grpc-user-service/internal/user"
)

// statusOf is the status of an error. What no client should see is logged instead.
func statusOf(err error, log *slog.Logger) error {
	var invalid *user.InvalidError
	switch {
	case errors.As(err, &invalid):
		return status.Error(codes.InvalidArgument, err.Error())
	case errors.Is(err, user.ErrNotFound):
		return status.Error(codes.NotFound, user.ErrNotFound.Error())
	case errors.Is(err, user.ErrEmailTaken):
		return status.Error(codes.AlreadyExists, user.ErrEmailTaken.Error())
	case errors.Is(err, user.ErrOverloaded):
		return status.Error(codes.ResourceExhausted, user.ErrOverloaded.Error())
	case errors.Is(err, context.DeadlineExceeded):
		return status.Error(codes.DeadlineExceeded, "the deadline has passed")
	case errors.Is(err, context.Canceled):
		return status.Error(codes.Canceled, "the call was cancelled")
	case errors.Is(err, user.ErrUnavailable):
		log.Warn("the database failed", "reason", err)
		return status.Error(codes.Unavailable, user.ErrUnavailable.Error())
	default:
		log.Error("a call failed", "reason", err)
		return status.Error(codes.Internal, "internal error")
	}
}
