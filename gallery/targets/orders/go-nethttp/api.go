package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"time"
)

const maxBodyBytes = 64 << 10

var (
	errNotFound = problem{http.StatusNotFound, "not found"}
	errConflict = problem{http.StatusConflict, "the order has another version"}
)

type api struct{ store *store }

func routes(store *store) http.Handler {
	a := api{store}
	mux := http.NewServeMux()
	mux.Handle("POST /orders", handler{http.StatusCreated, a.create})
	mux.Handle("GET /orders", handler{http.StatusOK, a.list})
	mux.Handle("GET /orders/{id}", handler{http.StatusOK, byID(store.get)})
	mux.Handle("PATCH /orders/{id}", handler{http.StatusOK, a.update})
	mux.Handle("DELETE /orders/{id}", handler{http.StatusNoContent, byID(store.remove)})
	mux.Handle("GET /customers/{id}/summary", handler{http.StatusOK, byID(store.summarise)})
	mux.Handle("GET /healthz", handler{http.StatusOK, a.health})
	return mux
}

// A handler returns the body of a reply with its status, or an error, which becomes a problem.
type handler struct {
	status int
	handle func(http.ResponseWriter, *http.Request) (any, error)
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := h.handle(w, r)
	if err == nil {
		reply(w, h.status, "application/json", body)
		return
	}
	found, known := errors.AsType[problem](err)
	if !known {
		slog.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		found = problem{http.StatusServiceUnavailable, "the order could not be processed"}
	}
	reply(w, found.status, "application/problem+json",
		map[string]any{"title": http.StatusText(found.status), "status": found.status, "detail": found.detail})
}

func (a api) create(w http.ResponseWriter, r *http.Request) (any, error) {
	wanted, err := read[newOrder](w, r)
	if err != nil {
		return nil, err
	}
	created, err := a.store.create(r.Context(), wanted)
	w.Header().Set("Location", fmt.Sprintf("/orders/%d", created.ID))
	return orderWithLines{created, wanted.Lines}, err
}

func (a api) update(w http.ResponseWriter, r *http.Request) (any, error) {
	id, noID := pathID(r)
	wanted, unreadable := read[change](w, r)
	if err := cmp.Or(noID, unreadable); err != nil {
		return nil, err
	}
	return a.store.update(r.Context(), id, wanted)
}

func (a api) list(_ http.ResponseWriter, r *http.Request) (any, error) {
	wanted, err := listingOf(r.URL.Query())
	if err != nil {
		return nil, err
	}
	found, err := a.store.list(r.Context(), wanted)
	result := page{Items: found}
	if int64(len(found)) == wanted.limit {
		result.NextAfter = &found[len(found)-1].ID
	}
	return result, err
}

func (a api) health(_ http.ResponseWriter, r *http.Request) (any, error) {
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Second)
	defer cancel()
	return nil, a.store.pool.Ping(ctx)
}

func byID[T any](handle func(context.Context, int64) (T, error)) func(http.ResponseWriter, *http.Request) (any, error) {
	return func(_ http.ResponseWriter, r *http.Request) (any, error) {
		id, err := pathID(r)
		if err != nil {
			return nil, err
		}
		return handle(r.Context(), id)
	}
}

// A text that is no id names no order, as an id that no order has.
func pathID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, errNotFound
	}
	return id, nil
}

func read[T interface{ check() error }](w http.ResponseWriter, r *http.Request) (wanted T, err error) {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBodyBytes)).Decode(&wanted); err != nil {
		return wanted, invalid("body: %v", err)
	}
	return wanted, wanted.check()
}

func reply(w http.ResponseWriter, status int, contentType string, body any) {
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	if status == http.StatusNoContent {
		return
	}
	if err := json.NewEncoder(w).Encode(body); err != nil {
		slog.Error("reply not sent", "error", err)
	}
}

// An error that the client sees, as RFC 9457 describes it.
type problem struct {
	status int
	detail string
}

func (p problem) Error() string { return p.detail }

func invalid(format string, arguments ...any) error {
	return problem{http.StatusBadRequest, fmt.Sprintf(format, arguments...)}
}
