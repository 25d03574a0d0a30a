// Command grpc-tuned is the target producer-api-go-grpc-tuned: the events API over gRPC.
package main

import (
	"log/slog"
	"os"

	"example.com/bakeoff/events/internal/intake"
	"example.com/bakeoff/events/internal/process"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/tuned/grpcapi"
	"example.com/bakeoff/events/internal/writer"
)

func main() {
	os.Exit(process.Main(process.Target{
		Name: "producer-api-go-grpc-tuned",
		Offer: settings.Offer{
			PortVariable: "GRPC_SERVER_PORT", DefaultPort: 9092, Limits: grpcapi.Limits,
		},
		Tuned: true,
		NewServer: func(w *writer.Writer, config settings.Settings, log *slog.Logger) (process.Server, error) {
			return grpcapi.NewServer(w, intake.NewBudget(config.Intake), config.Limits, config.TLS, config.Token, log)
		},
	}))
}
