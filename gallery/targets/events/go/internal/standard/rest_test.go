// Package standard tests the REST API with each framework.
package standard

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/standard/ginapi"
	"example.com/bakeoff/events/internal/standard/nethttpapi"
	"example.com/bakeoff/events/internal/writer"
)

const (
	events = "/api/v1/events"
	bulk   = "/api/v1/events/bulk"
	health = "/api/v1/events/health"
	valid  = `{"eventHeader":{"uuid":"550e8400-e29b-41d4-a716-446655440000","eventName":"CarCreated"},` +
		`"eventBody":{"entities":[{"entityType":"Car","entityId":"car-1","updatedAttributes":{"a":1}}]}}`
)

// storage counts rows, returns one error from every call, or panics.
type storage struct {
	err    error
	panics bool
	rows   atomic.Int64
}

func (s *storage) Store(_ context.Context, rows writer.Rows) error {
	if s.panics {
		panic("a defect")
	}
	s.rows.Add(int64(rows.Len()))
	return s.err
}

func (s *storage) Check(context.Context) error { return s.err }

var frameworks = map[string]func(*writer.Writer, *bearer.Token, *slog.Logger) (http.Handler, error){
	"gin": ginapi.NewHandler, "net/http": nethttpapi.NewHandler,
}

// each runs a test with the API of each framework.
func each(t *testing.T, test func(*testing.T, api)) {
	for name, newHandler := range frameworks {
		t.Run(name, func(t *testing.T) { test(t, newHandler) })
	}
}

type api func(*writer.Writer, *bearer.Token, *slog.Logger) (http.Handler, error)

// call sends a request to an API over the storage. In per-request mode the handler itself stores.
func (a api) call(t *testing.T, s *storage, token *bearer.Token, request *http.Request) (int, http.Header, map[string]any) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	w := writer.Start(t.Context(), s, writer.Options{Mode: writer.PerRequest, QueueEvents: 1}, log)
	handler, err := a(w, token, log)
	if err != nil {
		t.Fatal(err)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, request)
	var reply map[string]any
	if err := json.Unmarshal(recorder.Body.Bytes(), &reply); err != nil {
		t.Fatalf("%s: %v", recorder.Body, err)
	}
	return recorder.Code, recorder.Header(), reply
}

func post(path, body string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	return request
}

func TestReplies(t *testing.T) { each(t, checkReplies) }

func checkReplies(t *testing.T, a api) {
	unannounced := func(length int) *http.Request {
		request := post(events, "")
		request.Body = io.NopCloser(strings.NewReader(strings.Repeat(" ", length)))
		request.ContentLength = -1
		return request
	}
	surrogate := strings.Replace(valid, "car-1", `\ud800`, 1)
	for _, test := range []struct {
		name    string
		request *http.Request
		status  int
		message string
		rows    int64
	}{
		{"event", post(events, valid), 200, "Event processed successfully", 1},
		{"broken rule", post(events, "{}"), 400, "eventHeader: required", 0},
		{"broken syntax", post(events, "{"), 400, "body: not valid JSON", 0},
		{"trailing text", post(events, valid+valid), 400, "body: not valid JSON", 0},
		{"one byte after the event", post(events, valid+"}"), 400, "body: not valid JSON", 0},
		{"a number after a broken rule", post(events, "{}1"), 400, "body: not valid JSON", 0},
		{"spaces around", post(events, " \r\n"+valid+"\t \r\n"), 200, "Event processed successfully", 1},
		{"nothing but spaces", post(events, " \n"), 400, "body: not valid JSON", 0},
		{"bulk that is broken", post(bulk, "["+valid), 400, "body: not valid JSON", 0},
		{"text after a bulk", post(bulk, "["+valid+"]]"), 400, "body: not valid JSON", 0},
		{"not UTF-8", post(events, strings.Replace(valid, "car-1", "\xff", 1)), 400, "body: not valid UTF-8", 0},
		{"lone surrogate", post(events, surrogate), 400,
			"eventBody.entities[0].entityId: contains a lone surrogate, which cannot be stored", 0},
		{"largest event", unannounced(event.MaxBytes), 400, "body: not valid JSON", 0},
		{"too large, announced", post(events, strings.Repeat(" ", event.MaxBytes+1)), 413, "body: larger than 1048576 bytes", 0},
		{"too large, not announced", unannounced(event.MaxBytes + 1), 413, "body: larger than 1048576 bytes", 0},
		{"bulk", post(bulk, "["+valid+",{}]"), 200, "1 of 2 events processed", 1},
		{"bulk of nothing", post(bulk, "[]"), 400, "events: must hold 1 to 10000 events", 0},
		{"bulk of null", post(bulk, "null"), 400, "body: must be an array", 0},
		{"bulk that is an object", post(bulk, "{}"), 400, "body: must be an array", 0},
		{"bulk of too many", post(bulk, "["+strings.Repeat("1,", 10_000)+"1]"), 413, "events: must hold 1 to 10000 events", 0},
		{"bulk without a valid event", post(bulk, "[1]"), 400, "0 of 1 events processed; event 0: event: must be an object", 0},
		{"bulk with a lone surrogate", post(bulk, "["+surrogate+"]"), 400,
			"0 of 1 events processed; event 0: eventBody.entities[0].entityId: contains a lone surrogate, which cannot be stored", 0},
		{"bulk with a large event", post(bulk, "["+strings.Replace(valid, "car-1", strings.Repeat("x", event.MaxBytes), 1)+"]"), 400,
			"0 of 1 events processed; event 0: event: larger than 1048576 bytes", 0},
		{"no such path", post("/api/v1/event", valid), 404, "path: not found", 0},
		{"slash at the end", post(events+"/", valid), 404, "path: not found", 0},
		{"escaped slash", post("/api/v1%2Fevents", valid), 404, "path: not found", 0},
		{"wrong method", httptest.NewRequest(http.MethodGet, events, nil), 405, "method: not allowed", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := new(storage)
			status, _, reply := a.call(t, s, nil, test.request)
			if status != test.status || reply["message"] != test.message || s.rows.Load() != test.rows {
				t.Errorf("got %d %v and %d rows, want %d %s", status, reply, s.rows.Load(), test.status, test.message)
			}
		})
	}
}

func TestHeadersAreChecked(t *testing.T) { each(t, checkHeadersAreChecked) }

func checkHeadersAreChecked(t *testing.T, a api) {
	for _, test := range []struct {
		contentType, coding string
		status              int
	}{
		{"APPLICATION/Json; charset=utf-8", "Identity", 200},
		{"text/plain", "", 415},
		{"", "", 415},
		{"application/json", "gzip", 415},
	} {
		request := post(events, valid)
		request.Header.Set("Content-Type", test.contentType)
		if test.coding != "" {
			request.Header.Set("Content-Encoding", test.coding)
		}
		if status, _, reply := a.call(t, new(storage), nil, request); status != test.status {
			t.Errorf("%+v: got %d %v", test, status, reply)
		}
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestTruncatedBodyIsIncomplete(t *testing.T) { each(t, checkTruncatedBodyIsIncomplete) }

func checkTruncatedBodyIsIncomplete(t *testing.T, a api) {
	request := post(events, "")
	request.Body = io.NopCloser(io.MultiReader(strings.NewReader("{"), brokenReader{}))
	if status, _, reply := a.call(t, new(storage), nil, request); status != 400 || reply["message"] != "body: incomplete" {
		t.Errorf("got %d %v", status, reply)
	}
}

func TestUnavailableDatabase(t *testing.T) { each(t, checkUnavailableDatabase) }

func checkUnavailableDatabase(t *testing.T, a api) {
	synctest.Test(t, func(t *testing.T) {
		status, header, reply := a.call(t, &storage{err: writer.ErrDatabaseUnavailable}, nil, post(events, valid))
		if status != 503 || reply["message"] != "database: unavailable, retry later" || header.Get("Retry-After") == "" {
			t.Errorf("got %d %v %v", status, reply, header)
		}
	})
}

func TestDefectIsAnInternalError(t *testing.T) { each(t, checkDefectIsAnInternalError) }

func checkDefectIsAnInternalError(t *testing.T, a api) {
	for _, s := range []*storage{{err: errors.New("secret")}, {panics: true}} {
		if status, _, reply := a.call(t, s, nil, post(events, valid)); status != 500 || reply["message"] != "internal error" {
			t.Errorf("got %d %v", status, reply)
		}
	}
}

func TestHealth(t *testing.T) { each(t, checkHealth) }

func checkHealth(t *testing.T, a api) {
	for status, s := range map[int]*storage{200: {}, 503: {err: writer.ErrDatabaseUnavailable}} {
		got, _, reply := a.call(t, s, nil, httptest.NewRequest(http.MethodGet, health, nil))
		if got != status || reply["healthy"] != (status == 200) {
			t.Errorf("got %d %v", got, reply)
		}
	}
}

func TestTokenIsCheckedFirst(t *testing.T) { each(t, checkTokenIsCheckedFirst) }

func checkTokenIsCheckedFirst(t *testing.T, a api) {
	for _, test := range []struct {
		method, path, authorization string
		status                      int
	}{
		{http.MethodPost, events, "", 401},
		{http.MethodPost, events, "Bearer other", 401},
		{http.MethodPost, events, "Bearer secret", 415},
		{http.MethodPost, bulk, "", 401},
		{http.MethodPost, "/other", "", 401},
		{http.MethodPost, "/other", "Bearer secret", 404},
		{http.MethodDelete, events, "", 401},
		{http.MethodDelete, events, "Bearer secret", 405},
		{http.MethodGet, health, "", 200},
		{http.MethodPost, health, "", 405},
		{http.MethodGet, health + "/", "", 401},
	} {
		request := httptest.NewRequest(test.method, test.path, nil)
		if test.authorization != "" {
			request.Header.Set("Authorization", test.authorization)
		}
		status, header, _ := a.call(t, new(storage), bearer.NewToken("secret"), request)
		if status != test.status || (status == 401) != (header.Get("WWW-Authenticate") == "Bearer") {
			t.Errorf("%+v: got %d %v", test, status, header)
		}
	}
}
