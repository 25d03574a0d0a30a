package gateway

import (
	"context"
	"net/http"

	"github.com/grpc-ecosystem/grpc-gateway/v2/runtime"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	"grpc-user-service/internal/grpcapi"
)

// routingError answers requests without a route: a known path with another method gets 405 with Allow, and not 501.
func routingError(methods methodsOf) runtime.RoutingErrorHandlerFunc {
	return func(
		ctx context.Context, mux *runtime.ServeMux, marshaler runtime.Marshaler,
		w http.ResponseWriter, r *http.Request, code int,
	) {
		if code != http.StatusMethodNotAllowed {
			runtime.DefaultRoutingErrorHandler(ctx, mux, marshaler, w, r, code)
			return
		}
		w.Header().Set("Allow", methods.allowed(r.URL.Path))
		runtime.DefaultHTTPErrorHandler(ctx, mux, marshaler, w, r, &runtime.HTTPStatusError{
			HTTPStatus: code, Err: status.Error(codes.Unimplemented, http.StatusText(code)),
		})
	}
}

// healthClient calls the health service without a connection.
type healthClient struct{ server *grpcapi.Health }

func (c healthClient) Check(
	ctx context.Context, request *healthpb.HealthCheckRequest, _ ...grpc.CallOption,
) (*healthpb.HealthCheckResponse, error) {
	return c.server.Check(ctx, request)
}

func (c healthClient) List(
	context.Context, *healthpb.HealthListRequest, ...grpc.CallOption,
) (*healthpb.HealthListResponse, error) {
	return nil, status.Error(codes.Unimplemented, "not served over HTTP")
}

func (c healthClient) Watch(
	context.Context, *healthpb.HealthCheckRequest, ...grpc.CallOption,
) (grpc.ServerStreamingClient[healthpb.HealthCheckResponse], error) {
	return nil, status.Error(codes.Unimplemented, "not served over HTTP")
}
