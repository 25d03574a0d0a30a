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
)

const (
	// Timeouts as Gin's guide sets them, with the contract's room for a database that is slow or unavailable.
	readTimeout = time.Minute
	// It starts with the request's head, so it includes reading the body.
	writeTimeout = 2 * time.Minute
	idleTimeout  = time.Minute
	maxHeadBytes = 16 << 10
)

// Server serves a handler with net/http.
type Server struct {
	http *http.Server
}

// New returns a server of a handler. It uses TLS unless secured is nil.
func New(handler http.Handler, secured *tls.Config, log *slog.Logger) *Server {
	return &Server{&http.Server{
		Handler:        handler,
		TLSConfig:      secured,
		ReadTimeout:    readTimeout,
		WriteTimeout:   writeTimeout,
		IdleTimeout:    idleTimeout,
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
