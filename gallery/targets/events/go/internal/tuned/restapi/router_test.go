package restapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
)

func TestReplies(t *testing.T) {
	const events, bulk = "/api/v1/events", "/api/v1/events/bulk"
	unannounced := func(length int) *http.Request {
		request := post(events, "")
		request.Body = io.NopCloser(strings.NewReader(strings.Repeat(" ", length)))
		request.ContentLength = -1
		return request
	}
	tests := []struct {
		name    string
		request *http.Request
		status  int
		message string
	}{
		{"event", post(events, valid), 200, "Event processed successfully"},
		{"broken rule", post(events, "{}"), 400, "eventHeader: required"},
		{"broken syntax", post(events, "{"), 400, "body: not valid JSON"},
		{"largest event", unannounced(event.MaxBytes), 400, "body: not valid JSON"},
		{"too large, announced", post(events, strings.Repeat(" ", event.MaxBytes+1)), 413, "body: larger than 1048576 bytes"},
		{"too large, not announced", unannounced(event.MaxBytes + 1), 413, "body: larger than 1048576 bytes"},
		{"bulk", post(bulk, "["+valid+",{}]"), 200, "1 of 2 events processed"},
		{"bulk of nothing", post(bulk, "[]"), 400, "events: must hold 1 to 10000 events"},
		{"bulk of too many", post(bulk, "["+strings.Repeat("1,", 10_000)+"1]"), 413, "events: must hold 1 to 10000 events"},
		{"bulk without a valid event", post(bulk, "[1]"), 400, "0 of 1 events processed; event 0: event: must be an object"},
		{"no such path", post("/api/v1/event", valid), 404, "path: not found"},
		{"slash at the end", post("/api/v1/events/", valid), 404, "path: not found"},
		{"escaped slash", post("/api/v1%2Fevents", valid), 404, "path: not found"},
		{"wrong method", httptest.NewRequest(http.MethodGet, events, nil), 405, "method: not allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			status, _, reply := call(t, storage{}, test.request)
			if status != test.status || reply["message"] != test.message {
				t.Errorf("got %d %v, want %d %s", status, reply, test.status, test.message)
			}
		})
	}
}

func TestTheAllowedMethodIsNamed(t *testing.T) {
	_, header, _ := call(t, storage{}, httptest.NewRequest(http.MethodDelete, "/api/v1/events", nil))
	if got := header.Get("Allow"); got != "POST" {
		t.Errorf("got %q", got)
	}
}

func TestTokenIsCheckedFirst(t *testing.T) {
	const events, health = "/api/v1/events", "/api/v1/events/health"
	for _, test := range []struct {
		method, path, authorization string
		status                      int
	}{
		{http.MethodPost, events, "", 401},
		{http.MethodPost, events, "Bearer other", 401},
		{http.MethodPost, events, "Bearer secret", 415},
		{http.MethodPost, events + "/bulk", "", 401},
		{http.MethodPost, "/other", "", 401},
		{http.MethodPost, "/other", "Bearer secret", 404},
		{http.MethodDelete, events, "", 401},
		{http.MethodDelete, events, "Bearer secret", 405},
		{http.MethodPost, events, "bearer secret", 415},
		{http.MethodPost, events, "Bearer Secret", 401},
		{http.MethodGet, health, "", 200},
		{http.MethodPost, health, "", 405},
		{http.MethodHead, health, "", 200},
		{http.MethodGet, health + "/", "", 401},
	} {
		request := httptest.NewRequest(test.method, test.path, nil)
		if test.authorization != "" {
			request.Header.Set("Authorization", test.authorization)
		}
		status, header, reply := callWith(t, storage{}, bearer.NewToken("secret"), request)
		if status != test.status {
			t.Errorf("%+v: got %d", test, status)
		}
		if status == 401 && (header.Get("WWW-Authenticate") != "Bearer" ||
			reply["message"] != "authorization: a valid bearer token is required") {
			t.Errorf("%+v: got %v %v", test, header, reply)
		}
	}
}

func TestTokenSentTwiceIsRejected(t *testing.T) {
	for _, other := range []string{"Bearer secret", "Bearer other"} {
		request := post("/api/v1/events", valid)
		request.Header["Authorization"] = []string{"Bearer secret", other}
		if status, _, reply := callWith(t, storage{}, bearer.NewToken("secret"), request); status != 401 {
			t.Errorf("%s: got %d %v", other, status, reply)
		}
	}
}
