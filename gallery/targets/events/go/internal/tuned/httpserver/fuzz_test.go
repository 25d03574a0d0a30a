package httpserver

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bakeoff/events/internal/fuzzcorpus"
	"example.com/bakeoff/events/internal/pipenet"
)

// FuzzConnection checks that the server never panics, that it replies in HTTP or not at all, that it disconnects a
// silent client, and that requests begin and end where net/http's server finds them.
func FuzzConnection(f *testing.F) {
	for _, seed := range []string{
		post("/", "body"), post("/ignore", "body"), post("/", "", "Expect: 100-continue"), post("/1", "") + post("/2", "x"),
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
		"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01",
		post("/1", "x", "Transfer-Encoding: chunked") + post("/2", "x"),
	} {
		f.Add([]byte(seed))
	}
	fuzzcorpus.Add[[]byte](f)
	f.Fuzz(func(t *testing.T, sent []byte) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var ours, theirs requests
			received := sendToOurs(&ours, sent)
			if len(received) > 0 && !bytes.HasPrefix(received, []byte("HTTP/1.1 ")) {
				t.Errorf("%q: got %q", sent, received)
			}
			// A minute for the request, one for the body that the handler ignored, and one for the next.
			if took := time.Since(start); took > 3*Limits.Read {
				t.Errorf("%q: it took %v", sent, took)
			}
			sendToNetHTTP(t, &theirs, sent)
			// One may close sooner than the other.
			if both := min(len(ours), len(theirs)); !slices.Equal(ours[:both], theirs[:both]) {
				t.Errorf("%q: got %q, net/http has %q", sent, ours, theirs)
			}
		})
	})
}

// requests records the requests of a handler, one line each.
type requests []string

// ServeHTTP reads some bodies, as echo does.
func (r *requests) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	if strings.HasPrefix(request.URL.Path, "/ignore") {
		*r = append(*r, fmt.Sprintf("%s %s", request.Method, request.RequestURI))
		echo(w, request)
		return
	}
	body, err := io.ReadAll(request.Body)
	*r = append(*r, fmt.Sprintf("%s %s %q %q %v", request.Method, request.RequestURI, request.Host, body, err == nil))
}

func sendToOurs(handler http.Handler, sent []byte) []byte {
	client, accepted := net.Pipe()
	go newConn(New(handler, Limits, nil, slog.New(slog.DiscardHandler)), accepted).serve()
	return exchange(client, sent)
}

func sendToNetHTTP(t *testing.T, handler http.Handler, sent []byte) {
	listener := pipenet.Listen()
	server := http.Server{Handler: handler, ReadTimeout: Limits.Read, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	client, err := listener.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	exchange(client, sent)
}

// exchange sends to a server and returns its replies until it closes.
func exchange(client net.Conn, sent []byte) []byte {
	defer client.Close()
	go func() { _, _ = client.Write(sent) }()
	var received bytes.Buffer
	_, _ = io.Copy(&received, client)
	return received.Bytes()
}
