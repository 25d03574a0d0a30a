// Package httpreply is the contract's replies over HTTP, for any framework.
package httpreply

import (
	"net/http"

	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/writer"
)

// Stored is the message of an event that is durable.
const Stored = "Event processed successfully"

// Outcome is the reply to an event, and to every failed request.
type Outcome struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

// Report is the reply to a bulk.
type Report struct {
	Success          bool           `json:"success"`
	Message          string         `json:"message"`
	ProcessedCount   int            `json:"processedCount"`
	FailedCount      int            `json:"failedCount"`
	BatchID          string         `json:"batchId"`
	ProcessingTimeMS int64          `json:"processingTimeMs"`
	Failures         []EventFailure `json:"failures"`
}

// EventFailure is one event of a bulk that was not stored.
type EventFailure struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

// Health is the reply to a health check.
type Health struct {
	Healthy bool   `json:"healthy"`
	Message string `json:"message"`
}

// OfReport returns the reply to a bulk.
func OfReport(report writer.Report) Report {
	failures := make([]EventFailure, len(report.Failures))
	for i, failure := range report.Failures {
		failures[i] = EventFailure(failure)
	}
	return Report{
		Success:          report.Success(),
		Message:          report.Message(),
		ProcessedCount:   report.Processed,
		FailedCount:      len(failures),
		BatchID:          report.BatchID,
		ProcessingTimeMS: report.Took.Milliseconds(),
		Failures:         failures,
	}
}

// OfHealth returns the status and the reply to a health check.
func OfHealth(healthy bool) (int, Health) {
	if healthy {
		return http.StatusOK, Health{true, "OK"}
	}
	return http.StatusServiceUnavailable, Health{false, "database: unavailable"}
}

// OfError returns the status and the reply to a failed request, and sets the headers that go with it.
func OfError(err error, header http.Header) (int, Outcome) {
	failure := fault.Of(err)
	switch failure.Kind {
	case fault.Overloaded, fault.Exhausted, fault.Unavailable:
		// Seconds.
		header.Set("Retry-After", "1")
	case fault.Unauthenticated:
		header.Set("WWW-Authenticate", "Bearer")
	}
	return statusOf(failure.Kind), Outcome{false, failure.Message}
}

// NotFound and NotAllowed are the replies of a router.
var (
	NotFound   = Outcome{false, "path: not found"}
	NotAllowed = Outcome{false, "method: not allowed"}
)

func statusOf(kind fault.Kind) int {
	switch kind {
	case fault.Malformed, fault.Incomplete, fault.Invalid:
		return http.StatusBadRequest
	case fault.TooSlow:
		return http.StatusRequestTimeout
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Overloaded:
		return http.StatusTooManyRequests
	case fault.Exhausted, fault.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}
