// Package httpserver serves an http.Handler over HTTP/1.1 with one goroutine for each connection.
//
// It reads requests with net/http's own parser and stands in for http.Server, which watches each connection in a
// second goroutine while its handler runs, so as to cancel the request's context when the client disconnects. Nothing
// here needs that, because an accepted event is stored in any case, and it costs more than all the rest of a request:
// docs/lab-notes/go.md has the figures. What this server leaves out with it: upgrades, and replies in parts. HTTP/2, which
// clients may choose over TLS, is left to http.Server.
package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"example.com/bakeoff/events/internal/limits"
)

// acceptPause follows a failed accept: most often the process is out of file descriptors.
const acceptPause = 50 * time.Millisecond

// Limits are the defaults. ReadHeader is for a TLS handshake only: the head has its share of Read.
var Limits = limits.Connection{ReadHeader: 10 * time.Second, Read: time.Minute, Idle: time.Minute, Streams: 1_024}

// Server serves a handler. Replies are held until the handler returns, so they should be small.
type Server struct {
	handler http.Handler
	limits  limits.Connection
	log     *slog.Logger
	// secure is nil for a server without TLS.
	secure   *secure
	stopping atomic.Bool

	mu       sync.Mutex
	listener net.Listener
	conns    map[*conn]struct{}
	serving  sync.WaitGroup
}

// New returns a server of a handler, which must not panic. It uses TLS unless secured is nil.
func New(handler http.Handler, limits limits.Connection, secured *tls.Config, log *slog.Logger) *Server {
	s := &Server{handler: handler, limits: limits, log: log, conns: map[*conn]struct{}{}}
	if secured != nil {
		s.secure = newSecure(handler, limits, secured, log)
	}
	return s
}

// Serve accepts connections until the server is stopped.
func (s *Server) Serve(listener net.Listener) error {
	s.mu.Lock()
	s.listener = listener
	s.mu.Unlock()
	if s.secure != nil {
		s.serving.Go(s.secure.serveHTTP2)
	}
	for !s.stopping.Load() {
		accepted, err := listener.Accept()
		switch {
		case err == nil:
			s.start(newConn(s, accepted))
		case s.stopping.Load():
		case errors.Is(err, net.ErrClosed):
			return err
		default:
			s.log.Warn("a connection could not be accepted", "reason", err)
			time.Sleep(acceptPause)
		}
	}
	return nil
}

func (s *Server) start(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns[c] = struct{}{}
	s.serving.Go(func() {
		defer s.forget(c)
		secured, ok := c.Conn.(*tls.Conn)
		if !ok {
			c.serve()
			return
		}
		switch protocol, err := s.secure.handshake(secured); {
		case err != nil:
		case protocol == http2Protocol:
			// Before it is http.Server's, so that Stop does not close it as idle with a request in flight.
			s.forget(c)
			s.secure.handOver(secured)
		default:
			c.serve()
		}
	})
}

func (s *Server) forget(c *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.conns, c)
}

// Stop stops accepting and returns when each request that has begun to arrive is answered.
// When ctx ends first, it closes the connections.
func (s *Server) Stop(ctx context.Context) error {
	err := s.stopAccepting()
	if s.secure != nil {
		err = errors.Join(err, s.secure.stop(ctx))
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		s.serving.Wait()
	}()
	select {
	case <-finished:
		return err
	case <-ctx.Done():
		s.each((*conn).close)
		<-finished
		return errors.Join(err, ctx.Err())
	}
}

func (s *Server) stopAccepting() error {
	s.stopping.Store(true)
	s.mu.Lock()
	listener := s.listener
	s.mu.Unlock()
	s.each((*conn).closeIfIdle)
	if listener == nil {
		return nil
	}
	return listener.Close()
}

func (s *Server) each(do func(*conn)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		do(c)
	}
}
