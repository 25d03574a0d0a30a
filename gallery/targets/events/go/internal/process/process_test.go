package process

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/writer"
)

var target = Target{
	Name: "test", Offer: settings.Offer{PortVariable: "SERVER_PORT", DefaultPort: 9083},
	NewServer: newREST,
}

const body = `{"eventHeader":{"uuid":"550e8400-e29b-41d4-a716-446655440000","eventName":"CarCreated"},` +
	`"eventBody":{"entities":[{"entityType":"Car","entityId":"car-1","updatedAttributes":{}}]}}`

// storage signals the start of Store and waits for leave.
type storage struct{ entered, leave chan struct{} }

func newStorage() storage {
	return storage{entered: make(chan struct{}, 1), leave: make(chan struct{})}
}

func (s storage) Store(context.Context, writer.Rows) error {
	s.entered <- struct{}{}
	<-s.leave
	return nil
}

func (s storage) Check(context.Context) error { return nil }

func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return listener
}

func TestAcceptedRequestsAreAnsweredBeforeTheStop(t *testing.T) {
	listener, s := listen(t), newStorage()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	config := settings.Settings{Writer: writer.Options{Mode: writer.GroupCommit, Flushers: 1, QueueEvents: 10}}
	go func() { ended <- serve(ctx, target, listener, s, config, slog.New(slog.DiscardHandler)) }()

	statuses := make(chan string, 1)
	go func() {
		response, err := http.Post("http://"+listener.Addr().String()+"/api/v1/events", "application/json", strings.NewReader(body))
		if err != nil {
			statuses <- err.Error()
			return
		}
		response.Body.Close()
		statuses <- response.Status
	}()
	<-s.entered
	stop()
	select {
	case err := <-ended:
		t.Errorf("ended with a request in flight: %v", err)
	default:
	}
	close(s.leave)
	if got := <-statuses; got != "200 OK" {
		t.Errorf("got %s", got)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestInvalidSettingStopsTheProcess(t *testing.T) {
	t.Setenv("WRITE_MODE", "batch")
	if err := run(target); err == nil || err.Error() != `WRITE_MODE is "batch": use group-commit or per-request` {
		t.Errorf("got %v", err)
	}
}

func TestPortInUseIsReported(t *testing.T) {
	_, port, err := net.SplitHostPort(listen(t).Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("SERVER_PORT", port)
	err = run(target)
	if got := fmt.Sprint(err); !strings.Contains(got, "127.0.0.1:"+port) || !strings.Contains(got, "set SERVER_PORT or BIND") {
		t.Errorf("got %s", got)
	}
}
