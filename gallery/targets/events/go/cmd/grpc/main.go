// Command grpc is the target producer-api-go-grpc: the events API over gRPC with grpc-go.
package main

import (
	"log/slog"
	"os"

	"example.com/bakeoff/events/internal/process"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/standard/grpcapi"
	"example.com/bakeoff/events/internal/writer"
)

func main() {
	os.Exit(process.Main(process.Target{
		Name: "producer-api-go-grpc",
		Offer: settings.Offer{
			PortVariable: "GRPC_SERVER_PORT", DefaultPort: 9092, Limits: grpcapi.Limits,
			Drivers: []string{"pgx", "database/sql"},
		},
		NewServer: func(w *writer.Writer, config settings.Settings, log *slog.Logger) (process.Server, error) {
			return grpcapi.NewServer(w, config.Limits, config.TLS, config.Token, log)
		},
	}))
}
