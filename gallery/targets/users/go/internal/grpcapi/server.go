package grpcapi

import (
	"cmp"
	"context"
	"log/slog"
	"net"
	"time"

	"google.golang.org/grpc"
	_ "google.golang.org/grpc/encoding/gzip" // accepts gzip, and answers in it those who send it
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"grpc-user-service/internal/settings"
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
	// maxHeadBytes is what the REST API allows; grpc-go allows 16 MiB.
	maxHeadBytes = 16 << 10
)

// Limits are the defaults for clients of the network; grpc-go has no limit of streams. It cannot limit how long a message
// takes.
var Limits = settings.Limits{ReadHeader: 10 * time.Second, Idle: KeepaliveTime, Streams: 64}

// streamWorkers are the goroutines that serve calls one after another: a new one for each call would grow its stack again,
// which took 9 % of the CPU. More calls than these get their own goroutines.
const streamWorkers = 256

// Options are the settings of a server.
type Options struct {
	// Timeout is the deadline of calls that have none.
	Timeout time.Duration
	// Rate is the limit of requests per second; 0 is none.
	Rate int
	// Limits are those of a connection; a limit of zero is grpc-go's.
	Limits settings.Limits
	// Keepalive sends pings on idle connections, after KeepaliveTime where there is no limit of idling.
	Keepalive bool
}

// Server serves UserService, health and reflection (v1 and v1alpha).
type Server struct {
	grpc *grpc.Server
}

// NewServer returns a server over a repository.
func NewServer(users user.Repository, options Options, log *slog.Logger) *Server {
	set := []grpc.ServerOption{
		grpc.ChainUnaryInterceptor(interceptors(options, log)...),
		grpc.MaxRecvMsgSize(LargestMessage),
		grpc.MaxConcurrentStreams(uint32(options.Limits.Streams)),
		grpc.MaxHeaderListSize(maxHeadBytes),
		grpc.WaitForHandlers(true),
		grpc.NumStreamWorkers(streamWorkers),
		// Clients may ping as often as the document's client does.
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: KeepaliveTime / 2, PermitWithoutStream: true}),
	}
	if options.Limits.ReadHeader > 0 {
		set = append(set, grpc.ConnectionTimeout(options.Limits.ReadHeader))
	}
	if options.Keepalive {
		idle := cmp.Or(options.Limits.Idle, KeepaliveTime)
		set = append(set, grpc.KeepaliveParams(keepalive.ServerParameters{Time: idle, Timeout: KeepaliveTimeout}))
	}
	server := grpc.NewServer(set...)
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
