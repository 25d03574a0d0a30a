package httpserver

import (
	"context"
	"errors"
	"net/http"
	"testing"
)

func TestStopAnswersWhatHasBegunAndClosesWhatIsIdle(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	server, address := start(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			close(reached)
			<-release
		}
		echo(w, r)
	})
	quiet, busy := dial(t, address), dial(t, address)
	quiet.send(post("/", ""))
	quiet.reply(http.MethodPost)
	busy.send(post("/slow", "x"))
	<-reached

	stopped := make(chan error, 1)
	go func() { stopped <- server.Stop(t.Context()) }()
	quiet.closed()
	select {
	case err := <-stopped:
		t.Errorf("stopped with a request in flight: %v", err)
		stopped <- err
	default:
	}
	close(release)
	if response, body := busy.reply(http.MethodPost); body != "/slow:x" || !response.Close {
		t.Errorf("got %v %s", response.Close, body)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

func TestStopClosesConnectionsAfterItsTimeout(t *testing.T) {
	server, address := start(t, echo)
	c := dial(t, address)
	c.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
	c.reply(http.MethodPost)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := server.Stop(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
