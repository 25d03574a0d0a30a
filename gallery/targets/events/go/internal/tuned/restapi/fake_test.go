package restapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/bearer"
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
