// Package nethttpapi is the events API over REST with net/http and no framework.
package nethttpapi

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/go-playground/validator/v10"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/httpreply"
	"example.com/bakeoff/events/internal/standard/jsonbody"
	"example.com/bakeoff/events/internal/standard/model"
	"example.com/bakeoff/events/internal/writer"
)

const (
	eventsPath = "/api/v1/events"
	bulkPath   = "/api/v1/events/bulk"
	healthPath = "/api/v1/events/health"
)

type api struct {
	writer   *writer.Writer
	validate *validator.Validate
	token    *bearer.Token
	log      *slog.Logger
}

// NewHandler returns the API, which stores events through w and requires the token unless it is nil.
func NewHandler(w *writer.Writer, token *bearer.Token, log *slog.Logger) (http.Handler, error) {
	validate := validator.New(validator.WithRequiredStructEnabled())
	validate.SetTagName("binding")
	if err := model.Register(validate); err != nil {
		return nil, fmt.Errorf("registering the rules of events: %w", err)
	}
	a := &api{w, validate, token, log}
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+eventsPath, a.postEvent)
	mux.HandleFunc("POST "+bulkPath, a.postBulk)
	mux.HandleFunc("GET "+healthPath, a.getHealth)
	mux.HandleFunc(eventsPath, notAllowed("POST"))
	mux.HandleFunc(bulkPath, notAllowed("POST"))
	mux.HandleFunc(healthPath, notAllowed("GET, HEAD"))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusNotFound, httpreply.NotFound) })
	return a.recover(a.authorize(mux)), nil
}

func (a *api) postEvent(w http.ResponseWriter, r *http.Request) {
	body, err := jsonbody.Read(w, r, event.MaxBytes)
	if err != nil {
		replyError(w, err)
		return
	}
	var request model.Event
	if err := a.bind(body, &request); err != nil {
		replyError(w, model.Fault(err))
		return
	}
	if err := request.CheckText(body); err != nil {
		replyError(w, err)
		return
	}
	if err := a.writer.Store(r.Context(), request.Stored(len(body))); err != nil {
		replyError(w, err)
		return
	}
	reply(w, http.StatusOK, httpreply.Outcome{Success: true, Message: httpreply.Stored})
}

func (a *api) postBulk(w http.ResponseWriter, r *http.Request) {
	body, err := jsonbody.Read(w, r, event.MaxBulkBytes)
	if err != nil {
		replyError(w, err)
		return
	}
	var bulk model.Bulk
	if err := json.Unmarshal(body, &bulk); err != nil {
		replyError(w, model.Fault(err))
		return
	}
	events, err := bulk.Decode(len(body), a.bind)
	if err != nil {
		replyError(w, err)
		return
	}
	report, err := a.writer.StoreBulk(r.Context(), events)
	if err != nil {
		replyError(w, err)
		return
	}
	reply(w, http.StatusOK, httpreply.OfReport(report))
}

func (a *api) getHealth(w http.ResponseWriter, r *http.Request) {
	status, body := httpreply.OfHealth(a.writer.Healthy(r.Context()))
	reply(w, status, body)
}

func (a *api) bind(raw []byte, into any) error {
	if err := json.Unmarshal(raw, into); err != nil {
		return err
	}
	return a.validate.Struct(into)
}

// authorize requires the token, except for health checks.
func (a *api) authorize(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.EscapedPath() != healthPath {
			if err := a.token.Check(r.Header.Values("Authorization")); err != nil {
				replyError(w, err)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (a *api) recover(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if reason := recover(); reason != nil {
				a.log.Error("a handler panicked", "reason", reason)
				replyError(w, fault.ErrInternal)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func notAllowed(allowed string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Allow", allowed)
		reply(w, http.StatusMethodNotAllowed, httpreply.NotAllowed)
	}
}

func replyError(w http.ResponseWriter, err error) {
	status, body := httpreply.OfError(err, w.Header())
	reply(w, status, body)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// An error means that the client has disconnected.
	_ = json.NewEncoder(w).Encode(body)
}
