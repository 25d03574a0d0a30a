package grpcapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/grpcreply"
)

// refused are the compressions that gRPC clients know by name.
//
// grpc-go rejects any that is not registered, but does not send what is accepted
// (https://github.com/grpc/grpc-go/issues/2786), and has no hook to do so before it rejects the call.
// So these are registered in order to be rejected here; grpc-go rejects the others.
var refused = []string{"deflate", "gzip", "snappy", "zstd"}

func init() {
	for _, name := range refused {
		encoding.RegisterCompressor(refusedCompression(name))
	}
}

var errCompression = errors.New("compressed messages are not accepted")

// refusedCompression neither compresses nor decompresses.
type refusedCompression string

func (c refusedCompression) Name() string { return string(c) }

func (refusedCompression) Compress(io.Writer) (io.WriteCloser, error) { return nil, errCompression }

func (refusedCompression) Decompress(io.Reader) (io.Reader, error) { return nil, errCompression }

// identityOnly registers services whose methods reject calls that announce a compression.
// Interceptors are too late: for a unary call they run after its message has been decompressed.
type identityOnly struct{ *grpc.Server }

// RegisterService is what generated code calls.
func (s identityOnly) RegisterService(service *grpc.ServiceDesc, implementation any) {
	strict := *service
	strict.Methods = slices.Clone(service.Methods)
	for i := range strict.Methods {
		method := &strict.Methods[i]
		method.Handler = identityOnlyMethod(method.Handler)
	}
	strict.Streams = slices.Clone(service.Streams)
	for i := range strict.Streams {
		stream := &strict.Streams[i]
		stream.Handler = identityOnlyStream(stream.Handler)
	}
	s.Server.RegisterService(&strict, implementation)
}

func identityOnlyMethod(handle grpc.MethodHandler) grpc.MethodHandler {
	return func(
		implementation any, ctx context.Context, decode func(any) error, interceptor grpc.UnaryServerInterceptor,
	) (any, error) {
		if err := refuseCompression(ctx); err != nil {
			return nil, err
		}
		return handle(implementation, ctx, decode, interceptor)
	}
}

func identityOnlyStream(handle grpc.StreamHandler) grpc.StreamHandler {
	return func(implementation any, call grpc.ServerStream) error {
		if err := refuseCompression(call.Context()); err != nil {
			return err
		}
		return handle(implementation, call)
	}
}

// negotiation is the compression part of grpc-go's internal stream.
type negotiation interface {
	RecvCompress() string
	SetSendCompress(name string) error
	SetHeader(metadata.MD) error
}

func refuseCompression(ctx context.Context) error {
	call, ok := grpc.ServerTransportStreamFromContext(ctx).(negotiation)
	if !ok {
		return grpcreply.Status(errNoFrames)
	}
	announced := call.RecvCompress()
	if announced == "" || announced == encoding.Identity {
		return nil
	}
	// grpc-go would announce the same compression for the reply. An error means that the client has disconnected.
	_ = call.SetSendCompress("")
	_ = call.SetHeader(metadata.Pairs("grpc-accept-encoding", encoding.Identity))
	return status.Error(codes.Unimplemented, fmt.Sprintf("grpc-encoding: %s is not accepted, send %s", announced, encoding.Identity))
}
