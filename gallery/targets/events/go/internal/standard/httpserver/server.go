// Package httpserver is http.Server with the timeouts of production.
package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"example.com/bakeoff/events/internal/limits"
)

const (
	// replyTimeout is the contract's room for a database that is slow or unavailable.
	replyTimeout = time.Minute
	maxHeadBytes = 16 << 10
)

// Limits are the defaults: timeouts as Gin's guide sets them, and the streams that net/http allows.
var Limits = limits.Connection{ReadHeader: time.Minute, Read: time.Minute, Idle: time.Minute, Streams: 250}

// Server serves a handler with net/http.
type Server struct {
	http *http.Server
}

// New returns a server of a handler. It uses TLS unless secured is nil.
func New(handler http.Handler, limits limits.Connection, secured *tls.Config, log *slog.Logger) *Server {
	return &Server{&http.Server{
		Handler:           handler,
		TLSConfig:         secured,
		ReadHeaderTimeout: limits.ReadHeader,
		ReadTimeout:       limits.Read,
		// It starts with the request's head, so it includes reading the body.
		WriteTimeout:   limits.Read + replyTimeout,
		IdleTimeout:    limits.Idle,
		HTTP2:          &http.HTTP2Config{MaxConcurrentStreams: limits.Streams},
		MaxHeaderBytes: maxHeadBytes,
		ErrorLog:       slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
}

// Serve serves until the server is stopped.
func (s *Server) Serve(listener net.Listener) error {
	var err error
	if s.http.TLSConfig != nil {
		err = s.http.ServeTLS(listener, "", "")
	} else {
		err = s.http.Serve(listener)
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// Stop stops accepting and returns when every request is answered; when ctx ends first, it closes the connections.
func (s *Server) Stop(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http.Close())
	}
	return err
}
