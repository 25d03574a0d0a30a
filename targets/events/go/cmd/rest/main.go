// Command rest is the target producer-api-go-rest: the events API over REST with Gin.
package main

import (
	"log/slog"
	"os"

	"example.com/bakeoff/events/internal/process"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/standard/restapi"
	"example.com/bakeoff/events/internal/writer"
)

func main() {
	os.Exit(process.Main(process.Target{
		Name:         "producer-api-go-rest",
		PortVariable: "SERVER_PORT",
		DefaultPort:  9083,
		NewServer: func(w *writer.Writer, config settings.Settings, log *slog.Logger) (process.Server, error) {
			handler, err := restapi.NewHandler(w, config.Token, log)
			if err != nil {
				return nil, err
			}
			return restapi.NewServer(handler, config.TLS, log), nil
		},
	}))
}
