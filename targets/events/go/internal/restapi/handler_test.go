package restapi

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/writer"
)

const valid = `{"eventHeader":{"uuid":"550e8400-e29b-41d4-a716-446655440000","eventName":"CarCreated"},` +
	`"eventBody":{"entities":[{"entityType":"Car","entityId":"car-1","updatedAttributes":{"a":1}}]}}`

// storage answers every call with one error, or panics.
type storage struct {
	err    error
	panics bool
}

func (s storage) Store(context.Context, writer.Rows) error {
	if s.panics {
		panic("a defect")
	}
	return s.err
}

func (s storage) Check(context.Context) error { return s.err }

// call sends a request to an API over the storage. In per-request mode the handler itself stores.
func call(t *testing.T, s storage, request *http.Request) (int, http.Header, map[string]any) {
	t.Helper()
	return callWith(t, s, nil, request)
}

func callWith(t *testing.T, s storage, token *bearer.Token, request *http.Request) (int, http.Header, map[string]any) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	w := writer.Start(t.Context(), s, writer.Options{Mode: writer.PerRequest, QueueEvents: 1}, log)
	recorder := httptest.NewRecorder()
	NewHandler(w, token, log).ServeHTTP(recorder, request)
	var reply map[string]any
	if err := json.Unmarshal(recorder.Body.Bytes(), &reply); err != nil {
		t.Fatalf("%s: %v", recorder.Body, err)
	}
	if got := recorder.Header().Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q", got)
	}
	return recorder.Code, recorder.Header(), reply
}

func post(path, body string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	return request
}

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

func TestAReportSaysWhatFailed(t *testing.T) {
	_, _, reply := call(t, storage{}, post("/api/v1/events/bulk", "["+valid+",{}]"))
	failures, _ := json.Marshal(reply["failures"])
	if string(failures) != `[{"index":1,"message":"eventHeader: required"}]` || reply["success"] != false ||
		reply["processedCount"] != 1.0 || reply["failedCount"] != 1.0 || reply["batchId"] == "" || reply["processingTimeMs"] == nil {
		t.Errorf("got %v", reply)
	}
	_, _, reply = call(t, storage{}, post("/api/v1/events/bulk", "["+valid+"]"))
	if failures, ok := reply["failures"].([]any); !ok || len(failures) != 0 || reply["success"] != true {
		t.Errorf("got %v", reply)
	}
}

func TestTheAllowedMethodIsNamed(t *testing.T) {
	_, header, _ := call(t, storage{}, httptest.NewRequest(http.MethodDelete, "/api/v1/events", nil))
	if got := header.Get("Allow"); got != "POST" {
		t.Errorf("got %q", got)
	}
}

func TestHeadersComeBeforeTheBody(t *testing.T) {
	for _, test := range []struct{ contentType, coding, message string }{
		{"application/json", "", "eventHeader: required"},
		{"APPLICATION/Json; charset=utf-8", "Identity", "eventHeader: required"},
		{"text/plain", "gzip", "content-type: must be application/json"},
		{"", "", "content-type: must be application/json"},
		{"application/jsonx", "", "content-type: must be application/json"},
		{"application/json", "gzip", "content-encoding: must be identity"},
		{"application/json", "identity, gzip", "content-encoding: must be identity"},
	} {
		request := post("/api/v1/events", "{}")
		request.Header.Set("Content-Type", test.contentType)
		if test.coding != "" {
			request.Header.Set("Content-Encoding", test.coding)
		}
		if _, _, reply := call(t, storage{}, request); reply["message"] != test.message {
			t.Errorf("%+v: got %v", test, reply)
		}
	}
}

func TestABodyThatBreaksOffIsIncomplete(t *testing.T) {
	request := post("/api/v1/events", "")
	request.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), brokenReader{}))
	if status, _, reply := call(t, storage{}, request); status != 400 || reply["message"] != "body: incomplete" {
		t.Errorf("got %d %v", status, reply)
	}
}

func TestABodyReservesNoMoreThanAFewTimesWhatHasCome(t *testing.T) {
	const kib = 1 << 10
	for _, test := range []struct{ come, announced, limit, want int }{
		{1, 0, 1024 * kib, kib},
		{kib, 0, 1024 * kib, 4 * kib},
		{512 * kib, 0, 1024 * kib, 1024*kib + 1},
		{64*kib + 1, 200 * kib, 1024 * kib, 200*kib + 1},
		{64*kib + 1, 1024 * kib, 1024 * kib, 256*kib + 4},
		{11, 10, 1024 * kib, kib},
	} {
		body := grown(make([]byte, test.come), test.announced, test.limit)
		if len(body) != test.come || cap(body) != test.want {
			t.Errorf("%+v: got %d of %d", test, len(body), cap(body))
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestTheTokenComesFirst(t *testing.T) {
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
		{http.MethodGet, health, "", 200},
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

func TestADatabaseThatIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		status, header, reply := call(t, storage{err: writer.ErrAway}, post("/api/v1/events", valid))
		if status != 503 || reply["message"] != "database: unavailable, retry later" || header.Get("Retry-After") == "" {
			t.Errorf("got %d %v %v", status, reply, header)
		}
	})
}

func TestADefectIsAnInternalError(t *testing.T) {
	for _, s := range []storage{{err: io.ErrClosedPipe}, {panics: true}} {
		if status, _, reply := call(t, s, post("/api/v1/events", valid)); status != 500 || reply["message"] != "internal error" {
			t.Errorf("got %d %v", status, reply)
		}
	}
}

func TestHealth(t *testing.T) {
	for _, test := range []struct {
		storage storage
		status  int
		message string
	}{{storage{}, 200, "OK"}, {storage{err: writer.ErrAway}, 503, "database: unavailable"}} {
		status, _, reply := call(t, test.storage, httptest.NewRequest(http.MethodGet, "/api/v1/events/health", nil))
		if status != test.status || reply["message"] != test.message || reply["healthy"] != (status == 200) {
			t.Errorf("got %d %v", status, reply)
		}
	}
}

func TestStatuses(t *testing.T) {
	for kind, want := range map[fault.Kind]int{
		fault.Malformed: 400, fault.Incomplete: 400, fault.Invalid: 400, fault.Unauthenticated: 401, fault.TooLarge: 413, fault.UnsupportedMedia: 415,
		fault.Overloaded: 429, fault.Unavailable: 503, fault.Internal: 500,
	} {
		if got := statusOf(kind); got != want {
			t.Errorf("kind %d: got %d, want %d", kind, got, want)
		}
	}
}
