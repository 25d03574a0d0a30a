package grpcapi

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/intake"
	"example.com/bakeoff/events/internal/limits"
	"example.com/bakeoff/events/internal/writer"
)

const (
	// pingTimeout disconnects a client that does not answer a ping.
	pingTimeout = 20 * time.Second
	// clientPingPeriod is how often clients may ping.
	clientPingPeriod = 10 * time.Second
	// writeBufferBytes is for each connection; grpc-go has 32 KiB. Buffers for reading belong to a pool: a smaller one
	// would leave part of a frame unread that is too large, and closing would reset the connection.
	writeBufferBytes = 8 << 10
	// streamWorkers keep their stacks from call to call: a new goroutine spends a tenth of a call on growing its own.
	streamWorkers = 512
	maxHeadBytes  = 16 << 10
	// Fixed windows: with growing ones grpc-go measures the connection by pings, with nearly every call. What is beyond a
	// stream's window arrives once a handler reads; a connection's window is returned as data arrives.
	streamWindowBytes     = 256 << 10
	connectionWindowBytes = 1 << 20
)

// Limits are the defaults. Streams are many for clients that share a connection between many users.
var Limits = limits.Connection{ReadHeader: 10 * time.Second, Read: time.Minute, Idle: time.Minute, Streams: 4_096}

// Server serves the API over HTTP/2.
type Server struct {
	grpc *grpc.Server
	// stop signals handlers that the process is stopping.
	stop context.CancelFunc
}

// NewServer returns a server that stores events through w and receives within the budget. It requires the token and uses
// TLS unless these are nil.
func NewServer(
	w *writer.Writer, budget *intake.Budget, limits limits.Connection, secured *tls.Config, token *bearer.Token, log *slog.Logger,
) (*Server, error) {
	stopping, stop := context.WithCancel(context.Background())
	events, err := newService(stopping, w, budget, limits.Read, log)
	if err != nil {
		stop()
		return nil, fmt.Errorf("encoding replies: %w", err)
	}
	server := grpc.NewServer(options(limits, secured, token)...)
	services := identityOnly{server}
	services.RegisterService(description(), events)
	healthpb.RegisterHealthServer(services, &grpcreply.Health{Writer: w, Stopping: stopping})
	// Both versions: ghz and many desktop clients know v1alpha only.
	reflection.Register(services)
	return &Server{server, stop}, nil
}

func options(limits limits.Connection, secured *tls.Config, token *bearer.Token) []grpc.ServerOption {
	transport := insecure.NewCredentials()
	if secured != nil {
		transport = credentials.NewTLS(secured)
	}
	options := []grpc.ServerOption{
		grpc.Creds(guarded{transport}),
		grpc.ForceServerCodecV2(newCodec()),
		grpc.MaxConcurrentStreams(uint32(limits.Streams)),
		grpc.MaxHeaderListSize(maxHeadBytes),
		grpc.ConnectionTimeout(limits.ReadHeader),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: limits.Idle, Timeout: pingTimeout}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: clientPingPeriod, PermitWithoutStream: true}),
		grpc.WaitForHandlers(true),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.WriteBufferSize(writeBufferBytes),
		grpc.StaticStreamWindowSize(streamWindowBytes),
		grpc.StaticConnWindowSize(connectionWindowBytes),
	}
	if token != nil {
		options = append(options, grpc.InTapHandle(authorize(token)))
	}
	return options
}

// Serve serves until the server is stopped.
func (s *Server) Serve(listener net.Listener) error { return s.grpc.Serve(listener) }

// Stop answers what was accepted and stops; when ctx ends first, it cancels the calls.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		s.grpc.GracefulStop()
	}()
	select {
	case <-finished:
		return nil
	case <-ctx.Done():
		s.grpc.Stop()
		<-finished
		return ctx.Err()
	}
}
