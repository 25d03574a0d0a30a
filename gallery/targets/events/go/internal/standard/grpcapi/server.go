package grpcapi

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/go-playground/validator/v10"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/event"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/limits"
	"example.com/bakeoff/events/internal/standard/model"
	"example.com/bakeoff/events/internal/writer"
)

const (
	// maxHeadBytes is what the REST targets allow; grpc-go allows 16 MiB.
	maxHeadBytes = 16 << 10
	// pingTimeout disconnects a client that does not answer a ping.
	pingTimeout = 20 * time.Second
)

// Limits are the defaults. grpc-go has none of calls, where gRPC's guide calls 100 usual, and pings after two hours. It
// cannot limit how long a message takes.
var Limits = limits.Connection{ReadHeader: 10 * time.Second, Idle: time.Minute, Streams: 100}

// Server serves the API with grpc-go.
type Server struct {
	grpc *grpc.Server
	// stop signals handlers that the process is stopping.
	stop context.CancelFunc
}

// NewServer returns a server that stores events through w. It requires the token and uses TLS unless these are nil.
func NewServer(
	w *writer.Writer, limits limits.Connection, secured *tls.Config, token *bearer.Token, log *slog.Logger,
) (*Server, error) {
	validate := validator.New(validator.WithRequiredStructEnabled())
	validate.SetTagName("binding")
	if err := model.Register(validate); err != nil {
		return nil, fmt.Errorf("registering the rules of events: %w", err)
	}
	options := append(withInterceptors(token, log),
		grpc.MaxRecvMsgSize(event.MaxBulkBytes), grpc.WaitForHandlers(true),
		grpc.MaxConcurrentStreams(uint32(limits.Streams)), grpc.MaxHeaderListSize(maxHeadBytes),
		grpc.ConnectionTimeout(limits.ReadHeader),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: limits.Idle, Timeout: pingTimeout}))
	if secured != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(secured)))
	}
	stopping, stop := context.WithCancel(context.Background())
	server := grpc.NewServer(options...)
	eventpb.RegisterEventServiceServer(server, &service{writer: w, validate: validate, stopping: stopping, log: log})
	healthpb.RegisterHealthServer(server, &grpcreply.Health{Writer: w, Stopping: stopping})
	reflection.Register(server)
	return &Server{server, stop}, nil
}

// Serve serves until the server is stopped.
func (s *Server) Serve(listener net.Listener) error { return s.grpc.Serve(listener) }

// Stop answers what was accepted and stops; when ctx ends first, it cancels the calls.
func (s *Server) Stop(ctx context.Context) error {
	s.stop()
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
