package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const (
	maxBodyBytes  = 1 << 20
	healthTimeout = 2 * time.Second
)

type api struct{ store *store }

func routes(store *store) http.Handler {
	a := api{store}
	mux := http.NewServeMux()
	mux.Handle("POST /orders", handler(a.create))
	mux.Handle("GET /orders", handler(a.list))
	mux.Handle("GET /orders/{id}", handler(a.get))
	mux.Handle("PATCH /orders/{id}", handler(a.update))
	mux.Handle("DELETE /orders/{id}", handler(a.remove))
	mux.Handle("GET /customers/{id}/summary", handler(a.summarise))
	mux.HandleFunc("GET /healthz", a.health)
	return mux
}

// A handler that may fail; its error becomes a problem.
type handler func(http.ResponseWriter, *http.Request) error

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := h(w, r)
	switch {
	case err == nil:
	case errors.Is(err, errInvalid):
		problem(w, http.StatusBadRequest, err.Error())
	case errors.Is(err, errNotFound):
		problem(w, http.StatusNotFound, err.Error())
	case errors.Is(err, errConflict):
		problem(w, http.StatusConflict, err.Error())
	default:
		slog.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		problem(w, http.StatusServiceUnavailable, "the order could not be processed")
	}
}

func (a api) create(w http.ResponseWriter, r *http.Request) error {
	var wanted newOrder
	if err := read(w, r, &wanted); err != nil {
		return err
	}
	if err := wanted.check(); err != nil {
		return err
	}
	created, err := a.store.create(r.Context(), wanted)
	if err != nil {
		return err
	}
	w.Header().Set("Location", fmt.Sprintf("/orders/%d", created.ID))
	return reply(w, http.StatusCreated, orderWithLines{created, wanted.Lines})
}

func (a api) get(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	found, err := a.store.get(r.Context(), id)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, found)
}

func (a api) update(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	var wanted change
	if err := read(w, r, &wanted); err != nil {
		return err
	}
	if err := wanted.check(); err != nil {
		return err
	}
	updated, err := a.store.update(r.Context(), id, wanted)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, updated)
}

func (a api) remove(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	if err := a.store.remove(r.Context(), id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (a api) list(w http.ResponseWriter, r *http.Request) error {
	wanted, err := listingOf(r)
	if err != nil {
		return err
	}
	found, err := a.store.list(r.Context(), wanted)
	if err != nil {
		return err
	}
	result := page{Items: found}
	if int64(len(found)) == wanted.limit {
		result.NextAfter = &found[len(found)-1].ID
	}
	return reply(w, http.StatusOK, result)
}

func (a api) summarise(w http.ResponseWriter, r *http.Request) error {
	id, err := pathID(r)
	if err != nil {
		return err
	}
	found, err := a.store.summarise(r.Context(), id)
	if err != nil {
		return err
	}
	return reply(w, http.StatusOK, found)
}

func (a api) health(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), healthTimeout)
	defer cancel()
	if err := a.store.ping(ctx); err != nil {
		problem(w, http.StatusServiceUnavailable, "PostgreSQL does not answer")
		return
	}
	w.WriteHeader(http.StatusOK)
}

func listingOf(r *http.Request) (listing, error) {
	wanted, query := listing{limit: defaultLimit}, r.URL.Query()
	if !query.Has("customer") {
		return wanted, invalid("customer: required")
	}
	if status := query.Get("status"); query.Has("status") {
		if !slices.Contains(statuses, status) {
			return wanted, invalid("status: must be one of %v", statuses)
		}
		wanted.status = &status
	}
	if query.Has("after") {
		wanted.after = new(int64)
	}
	for name, value := range map[string]*int64{"customer": &wanted.customer, "after": wanted.after, "limit": &wanted.limit} {
		if !query.Has(name) {
			continue
		}
		number, err := strconv.ParseInt(query.Get(name), 10, 64)
		if err != nil {
			return wanted, invalid("%s: must be a whole number", name)
		}
		*value = number
	}
	if wanted.limit < 1 || wanted.limit > maxLimit {
		return wanted, invalid("limit: must be 1 to %d", maxLimit)
	}
	return wanted, nil
}

// A text that is no id names no order, as an id that no order has.
func pathID(r *http.Request) (int64, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return 0, errNotFound
	}
	return id, nil
}

func read(w http.ResponseWriter, r *http.Request, into any) error {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBodyBytes)).Decode(into); err != nil {
		return invalid("body: %v", err)
	}
	return nil
}

func reply(w http.ResponseWriter, status int, body any) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return json.NewEncoder(w).Encode(body)
}

func problem(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	body := map[string]any{"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": detail}
	if err := json.NewEncoder(w).Encode(body); err != nil {
		slog.Error("problem not sent", "error", err)
	}
}
