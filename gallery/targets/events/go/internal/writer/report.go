package writer

import (
	"crypto/rand"
	"fmt"
	"time"

	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
)

// Report is the reply to a bulk of which at least one event was valid.
type Report struct {
	Processed int
	Failures  []Failure
	// BatchID is a random UUID.
	BatchID string
	Took    time.Duration
}

// Failure is one event of a bulk that was not stored.
type Failure struct {
	// Index is its position in the request, from 0.
	Index int
	// Message is the reason, as for a single event.
	Message string
}

// Success is true when nothing failed.
func (r *Report) Success() bool { return len(r.Failures) == 0 }

// Message is the summary: "2 of 3 events processed".
func (r *Report) Message() string {
	return fmt.Sprintf("%d of %d events processed", r.Processed, r.Processed+len(r.Failures))
}

// newReport takes the outcomes of the valid events, in their order.
func newReport(events []event.Decoded, outcomes []error, took time.Duration) Report {
	report := Report{BatchID: newUUID(), Took: took}
	for i := range events {
		err := events[i].Err
		if err == nil {
			err, outcomes = outcomes[0], outcomes[1:]
		}
		if err == nil {
			report.Processed++
		} else {
			report.Failures = append(report.Failures, Failure{Index: i, Message: fault.Of(err).Message})
		}
	}
	return report
}

func noneValid(events []event.Decoded) error {
	return fault.New(fault.Invalid,
		fmt.Sprintf("0 of %d events processed; event 0: %s", len(events), fault.Of(events[0].Err).Message))
}

// newUUID is a random UUID, version 4.
func newUUID() string {
	var b [16]byte
	// It never fails: without randomness the process ends.
	rand.Read(b[:])
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
