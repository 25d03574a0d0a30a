package restapi

import (
	"net/http"

	"github.com/gin-gonic/gin"

	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/writer"
)

// retryAfterSeconds is when a client may try again.
const retryAfterSeconds = "1"

type failureReply struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

type reportReply struct {
	Success          bool           `json:"success"`
	Message          string         `json:"message"`
	ProcessedCount   int            `json:"processedCount"`
	FailedCount      int            `json:"failedCount"`
	BatchID          string         `json:"batchId"`
	ProcessingTimeMS int64          `json:"processingTimeMs"`
	Failures         []eventFailure `json:"failures"`
}

type eventFailure struct {
	Index   int    `json:"index"`
	Message string `json:"message"`
}

type healthReply struct {
	Healthy bool   `json:"healthy"`
	Message string `json:"message"`
}

// Constant parts of replies; read-only.
var (
	storedBody  = []byte(`{"success":true,"message":"Event processed successfully"}`)
	contentType = []string{"application/json"}
)

// replyStored answers an event that is durable.
func replyStored(c *gin.Context) {
	c.Writer.Header()["Content-Type"] = contentType
	c.Status(http.StatusOK)
	// An error means that the client has disconnected.
	_, _ = c.Writer.Write(storedBody)
}

func replyReport(c *gin.Context, report writer.Report) {
	failures := make([]eventFailure, len(report.Failures))
	for i, failure := range report.Failures {
		failures[i] = eventFailure(failure)
	}
	reply(c, http.StatusOK, reportReply{
		Success:          report.Success(),
		Message:          report.Message(),
		ProcessedCount:   report.Processed,
		FailedCount:      len(failures),
		BatchID:          report.BatchID,
		ProcessingTimeMS: report.Took.Milliseconds(),
		Failures:         failures,
	})
}

func replyHealth(c *gin.Context, healthy bool) {
	if healthy {
		reply(c, http.StatusOK, healthReply{true, "OK"})
	} else {
		reply(c, http.StatusServiceUnavailable, healthReply{false, "database: unavailable"})
	}
}

// replyError is the one place where errors become statuses.
func replyError(c *gin.Context, err error) {
	failure := fault.Of(err)
	switch failure.Kind {
	case fault.Overloaded, fault.Unavailable:
		c.Header("Retry-After", retryAfterSeconds)
	case fault.Unauthenticated:
		c.Header("WWW-Authenticate", "Bearer")
	}
	replyFailure(c, statusOf(failure.Kind), failure.Message)
}

func statusOf(kind fault.Kind) int {
	switch kind {
	case fault.Malformed, fault.Incomplete, fault.Invalid:
		return http.StatusBadRequest
	case fault.TooLarge:
		return http.StatusRequestEntityTooLarge
	case fault.UnsupportedMedia:
		return http.StatusUnsupportedMediaType
	case fault.Unauthenticated:
		return http.StatusUnauthorized
	case fault.Overloaded:
		return http.StatusTooManyRequests
	case fault.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

func replyFailure(c *gin.Context, status int, message string) {
	reply(c, status, failureReply{false, message})
}

func reply(c *gin.Context, status int, body any) {
	c.Writer.Header()["Content-Type"] = contentType
	c.JSON(status, body)
}
