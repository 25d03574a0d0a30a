// Command rest-tuned is the target producer-api-go-rest-tuned: the events API over REST.
package main

import (
	"log/slog"
	"os"

	"example.com/bakeoff/events/internal/intake"
	"example.com/bakeoff/events/internal/process"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/tuned/httpserver"
	"example.com/bakeoff/events/internal/tuned/restapi"
	"example.com/bakeoff/events/internal/writer"
)

func main() {
	os.Exit(process.Main(process.Target{
		Name: "producer-api-go-rest-tuned",
		Offer: settings.Offer{
			PortVariable: "SERVER_PORT", DefaultPort: 9083, Limits: httpserver.Limits,
		},
		Tuned: true,
		NewServer: func(w *writer.Writer, config settings.Settings, log *slog.Logger) (process.Server, error) {
			handler := intake.Handler(restapi.NewHandler(w, config.Token, log), intake.NewBudget(config.Intake))
			return httpserver.New(handler, config.Limits, config.TLS, log), nil
		},
	}))
}
