package httpreply

import (
	"net/http"
	"testing"

	"example.com/bakeoff/events/internal/fault"
)

func TestStatuses(t *testing.T) {
	for kind, want := range map[fault.Kind]int{
		fault.Malformed: 400, fault.Incomplete: 400, fault.Invalid: 400, fault.Unauthenticated: 401, fault.TooSlow: 408,
		fault.TooLarge: 413, fault.UnsupportedMedia: 415, fault.Overloaded: 429, fault.Unavailable: 503, fault.Internal: 500,
	} {
		header := http.Header{}
		status, reply := OfError(fault.New(kind, "text"), header)
		if status != want || reply.Message != "text" || reply.Success {
			t.Errorf("kind %d: got %d %+v, want %d", kind, status, reply, want)
		}
		if retry := header.Get("Retry-After") != ""; retry != (want == 429 || want == 503) {
			t.Errorf("status %d: got %v", status, header)
		}
		if challenge := header.Get("WWW-Authenticate"); (challenge == "Bearer") != (want == 401) {
			t.Errorf("status %d: got %v", status, header)
		}
	}
}
