package grpcapi

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/fault"
)

// statusOf is the one place where errors become statuses.
func statusOf(err error) error {
	failure := fault.Of(err)
	return status.Error(codeOf(failure.Kind), failure.Message)
}

func codeOf(kind fault.Kind) codes.Code {
	switch kind {
	case fault.Malformed, fault.Invalid, fault.UnsupportedMedia:
		return codes.InvalidArgument
	case fault.Incomplete:
		return codes.DeadlineExceeded
	case fault.Unauthenticated:
		return codes.Unauthenticated
	case fault.TooLarge, fault.Overloaded:
		return codes.ResourceExhausted
	case fault.Unavailable:
		return codes.Unavailable
	default:
		return codes.Internal
	}
}
