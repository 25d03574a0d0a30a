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

	"example.com/bakeoff/events/internal/pipenet"
)

// FuzzConnection holds: whatever comes, the server does not panic, it replies in HTTP or not at all, it hangs up on a
// client that says no more, and where one request ends and the next begins is the same for net/http's server.
func FuzzConnection(f *testing.F) {
	for _, seed := range []string{
		post("/", "body"), post("/ignore", "body"), post("/", "", "Expect: 100-continue"), post("/1", "") + post("/2", "x"),
		"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nTrailer: x\r\n\r\n",
		"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.0\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01",
		post("/1", "x", "Transfer-Encoding: chunked") + post("/2", "x"),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			var ours, theirs requests
			heard := askOurs(&ours, sent)
			if len(heard) > 0 && !bytes.HasPrefix(heard, []byte("HTTP/1.1 ")) {
				t.Errorf("%q: got %q", sent, heard)
			}
			// A minute for the request, one for the body that nobody wanted, and one for the next.
			if took := time.Since(start); took > 3*patience {
				t.Errorf("%q: it took %v", sent, took)
			}
			askTheirs(t, &theirs, sent)
			// One may hang up sooner than the other.
			if both := min(len(ours), len(theirs)); !slices.Equal(ours[:both], theirs[:both]) {
				t.Errorf("%q: got %q, net/http has %q", sent, ours, theirs)
			}
		})
	})
}

// requests are those that a handler was asked, in a line each.
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

func askOurs(handler http.Handler, sent []byte) []byte {
	client, accepted := net.Pipe()
	go newConn(New(handler, nil, slog.New(slog.DiscardHandler)), accepted).serve()
	return converse(client, sent)
}

func askTheirs(t *testing.T, handler http.Handler, sent []byte) {
	listener := pipenet.Listen()
	server := http.Server{Handler: handler, ReadTimeout: patience, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, 0)}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	client, err := listener.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	converse(client, sent)
}

// converse sends to a server and returns what it replies until it hangs up.
func converse(client net.Conn, sent []byte) []byte {
	defer client.Close()
	go func() { _, _ = client.Write(sent) }()
	var heard bytes.Buffer
	_, _ = io.Copy(&heard, client)
	return heard.Bytes()
}
