package httpserver

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
)

// echo replies with what it reads; /ignore does not read.
func echo(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/ignore" {
		w.WriteHeader(http.StatusTeapot)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("X-Method", r.Method)
	fmt.Fprintf(w, "%s:", r.URL.Path)
	_, _ = w.Write(body)
}

func start(t *testing.T, handler http.HandlerFunc) (*Server, string) {
	t.Helper()
	return startWith(t, handler, nil)
}

func startWith(t *testing.T, handler http.HandlerFunc, secured *tls.Config) (*Server, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := New(handler, Limits, secured, slog.New(slog.DiscardHandler))
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		// Connections that a test left open are closed.
		_ = server.Stop(ctx)
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return server, listener.Addr().String()
}

// client is a connection with what it has received.
type client struct {
	net.Conn
	t        *testing.T
	received *bufio.Reader
}

func dial(t *testing.T, address string) client {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	return newClient(t, conn)
}

func newClient(t *testing.T, conn net.Conn) client {
	t.Cleanup(func() { conn.Close() })
	return client{conn, t, bufio.NewReader(conn)}
}

func (c client) send(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c, text); err != nil {
		c.t.Fatal(err)
	}
}

// reply returns the next reply and its body.
func (c client) reply(method string) (*http.Response, string) {
	c.t.Helper()
	response, err := http.ReadResponse(c.received, &http.Request{Method: method})
	if err != nil {
		c.t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return response, string(body)
}

// closed expects the server to have closed the connection.
func (c client) closed() {
	c.t.Helper()
	if _, err := c.received.ReadByte(); !errors.Is(err, io.EOF) {
		c.t.Errorf("the connection should be closed: %v", err)
	}
}

func post(path, body string, headers ...string) string {
	head := append([]string{"POST " + path + " HTTP/1.1", "Host: x", fmt.Sprintf("Content-Length: %d", len(body))}, headers...)
	return strings.Join(head, "\r\n") + "\r\n\r\n" + body
}
