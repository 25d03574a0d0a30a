// Command grpc is the target grpc-user-service-grpc: the user service over gRPC.
package main

import (
	"context"
	"log/slog"
	"os"

	"grpc-user-service/internal/grpcapi"
	"grpc-user-service/internal/process"
	"grpc-user-service/internal/settings"
	"grpc-user-service/internal/user"
)

func main() {
	os.Exit(process.Main(process.Target{
		Name:  "grpc-user-service-grpc",
		Offer: settings.Offer{PortVariable: "GRPC_SERVER_PORT", DefaultPort: 50051, Limits: grpcapi.Limits},
		NewServer: func(_ context.Context, users user.Repository, config settings.Settings, log *slog.Logger) (process.Server, error) {
			options := process.ServiceOptions(config)
			options.Limits = config.Limits
			return grpcapi.NewServer(users, options, log), nil
		},
	}))
}
