package httpserver

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/bakeoff/events/internal/limits"
)

const (
	http2Protocol = "h2"
	// pingTimeout closes a silent connection, which is pinged, without an answer.
	pingTimeout = 20 * time.Second
)

// secure serves TLS connections; those that negotiate HTTP/2 go to http.Server as if from a listener.
type secure struct {
	config           *tls.Config
	handshakeTimeout time.Duration
	http2            http.Server
	chosen           chan net.Conn
	closed           chan struct{}
	close            sync.Once
	log              *slog.Logger
}

func newSecure(handler http.Handler, limits limits.Connection, config *tls.Config, log *slog.Logger) *secure {
	config = config.Clone()
	config.NextProtos = []string{http2Protocol, "http/1.1"}
	return &secure{
		config:           config,
		handshakeTimeout: limits.ReadHeader,
		http2: http.Server{
			Handler:        handler,
			MaxHeaderBytes: maxHeadBytes,
			ReadTimeout:    limits.Read,
			IdleTimeout:    limits.Idle,
			HTTP2: &http.HTTP2Config{
				MaxConcurrentStreams: limits.Streams,
				SendPingTimeout:      limits.Idle,
				PingTimeout:          pingTimeout,
				WriteByteTimeout:     writeTimeout,
			},
			ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
		chosen: make(chan net.Conn),
		closed: make(chan struct{}),
		log:    log,
	}
}

// handshake returns the protocol that was negotiated. A connection whose handshake failed is closed.
func (s *secure) handshake(conn *tls.Conn) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), s.handshakeTimeout)
	defer cancel()
	if err := conn.HandshakeContext(ctx); err != nil {
		s.log.Debug("a handshake failed", "reason", err)
		return "", errors.Join(err, conn.Close())
	}
	return conn.ConnectionState().NegotiatedProtocol, nil
}

// handOver gives a connection to http.Server, or closes it when the server has been stopped.
func (s *secure) handOver(conn *tls.Conn) {
	select {
	case s.chosen <- conn:
	case <-s.closed:
		_ = conn.Close()
	}
}

// serveHTTP2 serves the connections that are handed over, until the server is stopped.
func (s *secure) serveHTTP2() {
	if err := s.http2.Serve(handover{s}); !errors.Is(err, http.ErrServerClosed) {
		s.log.Error("the HTTP/2 server failed", "reason", err)
	}
}

// stop answers the requests that have begun to arrive; when ctx ends first, it closes the connections.
func (s *secure) stop(ctx context.Context) error {
	err := s.http2.Shutdown(ctx)
	if err != nil {
		err = errors.Join(err, s.http2.Close())
	}
	return err
}

// handover is the listener of the connections that negotiated HTTP/2.
type handover struct{ *secure }

func (h handover) Accept() (net.Conn, error) {
	select {
	case conn := <-h.chosen:
		return conn, nil
	case <-h.closed:
		return nil, net.ErrClosed
	}
}

func (h handover) Close() error {
	h.close.Do(func() { close(h.closed) })
	return nil
}

// Addr is unused: the connections come from another listener.
func (h handover) Addr() net.Addr { return &net.TCPAddr{} }
