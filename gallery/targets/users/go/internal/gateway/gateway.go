// Package gateway is the REST API: grpc-gateway before the gRPC service.
package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/textproto"
	"time"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/test/bufconn"

	"grpc-user-service/internal/grpcapi"
	"grpc-user-service/internal/settings"
	"grpc-user-service/internal/user"
	"grpc-user-service/internal/userpb"
)

// Way is how the gateway reaches the service.
type Way string

// The ways, the usual one first.
const (
	// Loopback is a gRPC connection over the loopback interface.
	Loopback Way = "loopback"
	// InProcess is a gRPC connection in memory.
	InProcess Way = "in-process"
	// Direct calls the service's methods. Interceptors do not run: HTTP middleware does their work.
	Direct Way = "direct"
)

// bufferBytes is what an in-memory connection holds in each direction.
const bufferBytes = 256 << 10

// Options are the settings of a gateway.
type Options struct {
	Way Way
	// Service is for the gRPC server behind the gateway, or for the middleware in its place.
	Service grpcapi.Options
	// Intake is the bytes that unfinished large requests may occupy together.
	Intake int64
	// CallGzip compresses the gateway's calls, ReplyGzip the replies of clients that accept it.
	CallGzip, ReplyGzip bool
	// HTTP2 serves HTTP/2 without TLS beside HTTP/1.1.
	HTTP2 bool
	// Limits are those of a connection of HTTP; a limit of zero is net/http's.
	Limits settings.Limits
}

// Limits are the defaults, with the streams that net/http allows.
var Limits = settings.Limits{ReadHeader: 10 * time.Second, Read: 30 * time.Second, Idle: 120 * time.Second, Streams: 250}

// Server serves the REST API.
type Server struct {
	http *http.Server
	// service is nil where the gateway calls methods.
	service    *grpcapi.Server
	connection *grpc.ClientConn
}

// NewServer returns a server over a repository; a gRPC server behind it is serving already.
func NewServer(ctx context.Context, users user.Repository, options Options, log *slog.Logger) (*Server, error) {
	s := new(Server)
	methods, err := describedMethods()
	if err != nil {
		return nil, fmt.Errorf("reading the description of the API: %w", err)
	}
	mux := runtime.NewServeMux(muxOptions(users, methods)...)
	if options.Way == Direct {
		if err := userpb.RegisterUserServiceHandlerServer(ctx, mux, grpcapi.NewService(users, log)); err != nil {
			return nil, fmt.Errorf("registering the service: %w", err)
		}
	} else {
		if err := s.connect(users, options, log); err != nil {
			return nil, err
		}
		if err := userpb.RegisterUserServiceHandler(ctx, mux, s.connection); err != nil {
			return nil, fmt.Errorf("registering the connection: %w", err)
		}
	}
	s.http = &http.Server{
		Handler:           withMiddleware(mux, options, log),
		ReadHeaderTimeout: options.Limits.ReadHeader,
		ReadTimeout:       options.Limits.Read,
		IdleTimeout:       options.Limits.Idle,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: options.Limits.Streams},
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		Protocols:         protocols(options),
	}
	return s, nil
}

func protocols(options Options) *http.Protocols {
	chosen := new(http.Protocols)
	chosen.SetHTTP1(true)
	chosen.SetUnencryptedHTTP2(options.HTTP2)
	return chosen
}

// connect starts a gRPC server and opens the gateway's connection to it.
func (s *Server) connect(users user.Repository, options Options, log *slog.Logger) error {
	listener, address, dialer, err := listen(options.Way)
	if err != nil {
		return err
	}
	s.service = grpcapi.NewServer(users, options.Service, log)
	go func() {
		if err := s.service.Serve(listener); err != nil {
			log.Error("the gRPC server behind the gateway ended", "reason", err)
		}
	}()
	dialing := append(dialer, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if options.Service.Keepalive {
		dialing = append(dialing, grpc.WithKeepaliveParams(keepalive.ClientParameters{
			Time: grpcapi.KeepaliveTime, Timeout: grpcapi.KeepaliveTimeout, PermitWithoutStream: true,
		}))
	}
	if options.CallGzip {
		dialing = append(dialing, grpc.WithDefaultCallOptions(grpc.UseCompressor(gzip.Name)))
	}
	s.connection, err = grpc.NewClient(address, dialing...)
	return err
}

func listen(way Way) (net.Listener, string, []grpc.DialOption, error) {
	if way == InProcess {
		listener := bufconn.Listen(bufferBytes)
		dial := func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }
		return listener, "passthrough:///in-process", []grpc.DialOption{grpc.WithContextDialer(dial)}, nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", nil, fmt.Errorf("cannot listen for the gateway: %w", err)
	}
	return listener, "passthrough:///" + listener.Addr().String(), nil, nil
}

// Serve serves until the server is stopped.
func (s *Server) Serve(listener net.Listener) error { return s.http.Serve(listener) }

// Stop answers what was accepted and stops, the gateway before the service behind it.
func (s *Server) Stop(ctx context.Context) error {
	err := s.http.Shutdown(ctx)
	if err != nil {
		// Calls that are still running lose their callers.
		err = s.http.Close()
	}
	if s.service == nil {
		return err
	}
	if closed := s.connection.Close(); err == nil {
		err = closed
	}
	if stopped := s.service.Stop(ctx); err == nil {
		err = stopped
	}
	return err
}

// forwarded are the headers that become metadata of the call. Every other header stays here.
var forwarded = map[string]string{
	textproto.CanonicalMIMEHeaderKey(grpcapi.RequestID): grpcapi.RequestID,
}

func muxOptions(users user.Repository, methods methodsOf) []runtime.ServeMuxOption {
	return []runtime.ServeMuxOption{
		runtime.WithIncomingHeaderMatcher(func(name string) (string, bool) {
			metadata, is := forwarded[name]
			return metadata, is
		}),
		runtime.WithOutgoingHeaderMatcher(func(name string) (string, bool) {
			return name, name == grpcapi.RequestID
		}),
		runtime.WithRoutingErrorHandler(routingError(methods)),
		runtime.WithErrorHandler(requestError),
		runtime.WithHealthzEndpoint(healthClient{&grpcapi.Health{Users: users}}),
	}
}
