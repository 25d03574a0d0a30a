package process

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/pipenet"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/standard/ginapi"
	"example.com/bakeoff/events/internal/standard/httpserver"
	tunedserver "example.com/bakeoff/events/internal/tuned/httpserver"
	tunedrest "example.com/bakeoff/events/internal/tuned/restapi"
	"example.com/bakeoff/events/internal/writer"
)

func newREST(w *writer.Writer, config settings.Settings, log *slog.Logger) (Server, error) {
	handler, err := ginapi.NewHandler(w, config.Token, log)
	if err != nil {
		return nil, err
	}
	return httpserver.New(handler, httpserver.Limits, config.TLS, log), nil
}

func newTunedREST(w *writer.Writer, config settings.Settings, log *slog.Logger) (Server, error) {
	return tunedserver.New(tunedrest.NewHandler(w, config.Token, log), tunedserver.Limits, config.TLS, log), nil
}

type restClient struct {
	t         *testing.T
	transport *http.Transport
}

func connectREST(t *testing.T, listener *pipenet.Listener) client {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return listener.Dial(ctx) }
	return restClient{t, &http.Transport{DialContext: dial}}
}

func (c restClient) send(ctx context.Context, id string) outcome {
	event := strings.NewReader(strings.Replace(body, "car-1", id, 1))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://test/api/v1/events", event)
	if err != nil {
		c.t.Error(err)
		return unanswered
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.transport.RoundTrip(request)
	if err != nil {
		return unanswered
	}
	defer response.Body.Close()
	reply, err := io.ReadAll(response.Body)
	if err != nil {
		return unanswered
	}
	for received, want := range map[outcome]int{stored: 200, overloaded: 429, unavailable: 503} {
		retry := response.Header.Get("Retry-After") != ""
		if strings.Contains(string(reply), string(received)) && response.StatusCode == want && retry == (want != 200) {
			return received
		}
	}
	c.t.Errorf("got %d %v %s", response.StatusCode, response.Header, reply)
	return unanswered
}

func (c restClient) close() { c.transport.CloseIdleConnections() }

func beginREST(t *testing.T, conn net.Conn) func() string {
	const head = "POST /api/v1/events HTTP/1.1\r\nHost: test\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
	if _, err := io.WriteString(conn, head+body[:20]); err != nil {
		t.Error(err)
	}
	return func() string {
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			return err.Error()
		}
		defer response.Body.Close()
		reply, err := io.ReadAll(response.Body)
		return fmt.Sprintf("%d %s, closes: %v, %v", response.StatusCode, reply, response.Close, err)
	}
}
