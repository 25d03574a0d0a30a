package grpcapi

import (
	"context"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // accepts gzip, and answers in it those who send it
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"grpc-user-service/internal/user"
	"grpc-user-service/internal/userpb"
)

// LargestMessage is the contract's limit of a request.
const LargestMessage = 1 << 20

// The document's keepalive: a ping after 10 s without activity, an answer within 3 s, also without a call in flight.
const (
	KeepaliveTime    = 10 * time.Second
	KeepaliveTimeout = 3 * time.Second
)

const (
	// CallsPerConnection is what a client may have in flight on a connection; grpc-go has no limit.
	CallsPerConnection = 64
	// maxHeadBytes is what the REST API allows; grpc-go allows 16 MiB.
	maxHeadBytes = 16 << 10
)

// streamWorkers are the goroutines that serve calls one after another: a new one for each call would grow its stack again,
// which took 9 % of the CPU. More calls than these get their own goroutines.
const streamWorkers = 256

// Options are the settings of a server.
type Options struct {
	// Timeout is the deadline of calls that have none.
	Timeout time.Duration
	// Rate is the limit of requests per second; 0 is none.
	Rate int
	// CallsPerConnection limits the calls in flight on a connection; 0 is no limit.
	CallsPerConnection uint32
	// Keepalive sends pings on idle connections.
	Keepalive bool
}

// Server serves UserService, health and reflection (v1 and v1alpha).
type Server struct {
	grpc *grpc.Server
}

// NewServer returns a server over a repository.
func NewServer(users user.Repository, options Options, log *slog.Logger) *Server {
	settings := []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(interceptors(options, log)...),
		grpc.MaxRecvMsgSize(LargestMessage),
		grpc.MaxConcurrentStreams(options.CallsPerConnection),
		grpc.MaxHeaderListSize(maxHeadBytes),
		grpc.WaitForHandlers(true),
		grpc.NumStreamWorkers(streamWorkers),
		// Clients may ping as often as the document's client does.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: KeepaliveTime / 2, PermitWithoutStream: true}),
	}
	if options.Keepalive {
		settings = append(settings, grpc.KeepaliveParams(keepalive.ServerParameters{Time: KeepaliveTime, Timeout: KeepaliveTimeout}))
	}
	server := grpc.NewServer(settings...)
	userpb.RegisterUserServiceServer(server, NewService(users, log))
	healthpb.RegisterHealthServer(server, &Health{Users: users})
	reflection.Register(server)
	return &Server{server}
}

// Serve serves until the server is stopped.
func (s *Server) Serve(listener net.Listener) error { return s.grpc.Serve(listener) }

// Stop answers what was accepted and stops; when ctx ends first, it cancels the calls.
func (s *Server) Stop(ctx context.Context) error {
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		s.grpc.GracefulStop()
	}()
	select {
	case <-stopped:
		return nil
	case <-ctx.Done():
		s.grpc.Stop()
		<-stopped
		return ctx.Err()
	}
}
