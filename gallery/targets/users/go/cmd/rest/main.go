// Command rest is the target grpc-user-service-rest: the user service over REST, by grpc-gateway.
package main

import (
	"context"
	"log/slog"
	"os"

	"grpc-user-service/internal/gateway"
	"grpc-user-service/internal/process"
	"grpc-user-service/internal/settings"
	"grpc-user-service/internal/user"
)

func main() {
	os.Exit(process.Main(process.Target{
		Name:  "grpc-user-service-rest",
		Offer: settings.Offer{PortVariable: "SERVER_PORT", DefaultPort: 8080, Limits: gateway.Limits},
		NewServer: func(ctx context.Context, users user.Repository, config settings.Settings, log *slog.Logger) (process.Server, error) {
			return gateway.NewServer(ctx, users, gateway.Options{
				Way: gateway.Way(config.Gateway), Service: process.ServiceOptions(config),
				CallGzip: config.CallGzip, ReplyGzip: config.ReplyGzip, HTTP2: config.HTTP2,
				Intake: config.Intake, Limits: config.Limits,
			}, log)
		},
	}))
}
