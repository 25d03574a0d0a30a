package httpserver

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"example.com/bakeoff/events/internal/tlstest"
)

// secured starts a server with TLS and returns it with the configuration of its clients.
func secured(t *testing.T, handler http.HandlerFunc) (*Server, string, *tls.Config) {
	t.Helper()
	config, client := tlstest.Configs(t)
	server, address := startWith(t, handler, config)
	return server, address, client
}

// roundTripper returns a client of HTTP/2 or HTTP/1.1.
func roundTripper(t *testing.T, client *tls.Config, http2 bool) *http.Transport {
	transport := &http.Transport{TLSClientConfig: client, ForceAttemptHTTP2: http2}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

func TestBothVersionsOfHTTPAreServedOverTLS(t *testing.T) {
	for _, test := range []struct {
		http2 bool
		major int
	}{{false, 1}, {true, 2}} {
		_, address, client := secured(t, echo)
		transport := roundTripper(t, client, test.http2)
		for _, want := range []string{"one", "two"} {
			request, err := http.NewRequest(http.MethodPost, "https://"+address+"/p", strings.NewReader(want))
			if err != nil {
				t.Fatal(err)
			}
			response, err := transport.RoundTrip(request)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if err != nil || string(body) != "/p:"+want || response.ProtoMajor != test.major {
				t.Errorf("HTTP/2 %v: got %s %s, %v", test.http2, response.Proto, body, err)
			}
			response.Body.Close()
		}
	}
}

func TestARefusedRequestIsAnsweredOverTLS(t *testing.T) {
	_, address, config := secured(t, echo)
	conn, err := tls.Dial("tcp", address, config)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, conn)
	c.send("hello\r\n\r\n")
	if response, _ := c.reply(http.MethodGet); response.StatusCode != http.StatusBadRequest || !response.Close {
		t.Errorf("got %d", response.StatusCode)
	}
	c.closed()
}

func TestPlainTextClientIsDisconnected(t *testing.T) {
	_, address, _ := secured(t, echo)
	c := dial(t, address)
	c.send(post("/", ""))
	// The server sends an alert, not a reply, and then ends or resets the connection.
	received, _ := io.ReadAll(c.received)
	if strings.HasPrefix(string(received), "HTTP/") {
		t.Errorf("got %q", received)
	}
}

func TestStopAnswersHTTP2RequestsAndClosesHandshakes(t *testing.T) {
	reached, release := make(chan struct{}), make(chan struct{})
	server, address, client := secured(t, func(w http.ResponseWriter, r *http.Request) {
		close(reached)
		<-release
		echo(w, r)
	})
	silent := dial(t, address)
	statuses := make(chan string, 1)
	go func() {
		request, err := http.NewRequest(http.MethodPost, "https://"+address+"/", nil)
		if err != nil {
			statuses <- err.Error()
			return
		}
		response, err := roundTripper(t, client, true).RoundTrip(request)
		if err != nil {
			statuses <- err.Error()
			return
		}
		response.Body.Close()
		statuses <- response.Proto + " " + response.Status
	}()
	<-reached
	stopped := make(chan error, 1)
	go func() { stopped <- server.Stop(t.Context()) }()
	silent.closed()
	select {
	case err := <-stopped:
		t.Errorf("stopped with a request in flight: %v", err)
		stopped <- err
	default:
	}
	close(release)
	if got := <-statuses; got != "HTTP/2.0 200 OK" {
		t.Errorf("got %s", got)
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// TestAConnectionOfHTTP2IsNotTheServersOwn, which Stop would take for idle: its requests are http.Server's.
func TestAConnectionOfHTTP2IsNotTheServersOwn(t *testing.T) {
	var server *Server
	server, address, client := secured(t, func(w http.ResponseWriter, _ *http.Request) {
		server.mu.Lock()
		defer server.mu.Unlock()
		_, _ = fmt.Fprint(w, len(server.conns))
	})
	for range 50 {
		request, err := http.NewRequest(http.MethodGet, "https://"+address+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := roundTripper(t, client, true).RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		own, err := io.ReadAll(response.Body)
		if err != nil || string(own) != "0" {
			t.Fatalf("%s connections of the server's own, %v", own, err)
		}
		response.Body.Close()
	}
}
