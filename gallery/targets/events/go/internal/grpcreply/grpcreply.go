package grpcreply

import (
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/writer"
)

// Status is the one place where errors become statuses.
func Status(err error) error {
	failure := fault.Of(err)
	return status.Error(codeOf(failure.Kind), failure.Message)
}

func codeOf(kind fault.Kind) codes.Code {
	switch kind {
	case fault.Malformed, fault.Invalid, fault.UnsupportedMedia:
		return codes.InvalidArgument
	case fault.TooSlow:
		return codes.DeadlineExceeded
	case fault.Unauthenticated:
		return codes.Unauthenticated
	case fault.TooLarge, fault.Overloaded, fault.Exhausted:
		return codes.ResourceExhausted
	case fault.Unavailable:
		return codes.Unavailable
	default:
		return codes.Internal
	}
}

// Batch returns the reply to a bulk.
func Batch(report writer.Report) *eventpb.EventBatchResponse {
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

// HealthCheck returns the reply of the contract's own health check.
func HealthCheck(healthy bool) *eventpb.HealthResponse {
	if healthy {
		return &eventpb.HealthResponse{Healthy: true, Message: "OK"}
	}
	return &eventpb.HealthResponse{Message: "database: unavailable"}
}
