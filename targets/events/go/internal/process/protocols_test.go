package process

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/grpcapi"
	"example.com/bakeoff/events/internal/httpserver"
	"example.com/bakeoff/events/internal/pipenet"
	"example.com/bakeoff/events/internal/restapi"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/writer"
)

// protocol is a server as its binary makes it, and how clients use it.
type protocol struct {
	newServer func(*writer.Writer, settings.Settings, *slog.Logger) (Server, error)
	connect   func(*testing.T, *pipenet.Listener) client
	// begin sends the first part of an event; answer waits for the reply to it.
	begin func(*testing.T, net.Conn) (answer func() string)
	// incomplete is that reply.
	incomplete string
}

var protocols = map[string]protocol{
	"rest": {newREST, connectREST, beginREST, `400 {"success":false,"message":"body: incomplete"} <nil>`},
	"grpc": {newGRPC, connectGRPC, beginGRPC, "4 body: incomplete"},
}

func newREST(w *writer.Writer, config settings.Settings, log *slog.Logger) (Server, error) {
	return httpserver.New(restapi.NewHandler(w, config.Token, log), config.TLS, log), nil
}

func newGRPC(w *writer.Writer, config settings.Settings, log *slog.Logger) (Server, error) {
	return grpcapi.NewServer(w, config.TLS, config.Token, log)
}

type client interface {
	// send sends an event that updates one entity.
	send(ctx context.Context, id string) outcome
	hangUp()
}

// outcome is what a client hears, whatever the protocol.
type outcome string

const (
	stored      outcome = "Event processed successfully"
	overloaded  outcome = "overloaded: the write queue is full, retry later"
	unavailable outcome = "database: unavailable, retry later"
	// unanswered means that there was no connection, or that it ended first.
	unanswered outcome = "no answer"
)

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
	for heard, want := range map[outcome]int{stored: 200, overloaded: 429, unavailable: 503} {
		retry := response.Header.Get("Retry-After") != ""
		if strings.Contains(string(reply), string(heard)) && response.StatusCode == want && retry == (want != 200) {
			return heard
		}
	}
	c.t.Errorf("got %d %v %s", response.StatusCode, response.Header, reply)
	return unanswered
}

func (c restClient) hangUp() { c.transport.CloseIdleConnections() }

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
		return fmt.Sprintf("%d %s %v", response.StatusCode, reply, err)
	}
}

type grpcClient struct {
	t    *testing.T
	conn *grpc.ClientConn
}

func connectGRPC(t *testing.T, listener *pipenet.Listener) client {
	conn, err := grpc.NewClient("passthrough:test",
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.Dial(ctx) }),
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry())
	if err != nil {
		t.Fatal(err)
	}
	return grpcClient{t, conn}
}

func (c grpcClient) send(ctx context.Context, id string) outcome {
	event := &eventpb.EventRequest{
		EventHeader: &eventpb.EventHeader{Uuid: "550e8400-e29b-41d4-a716-446655440000", EventName: "CarCreated"},
		EventBody:   &eventpb.EventBody{Entities: []*eventpb.EntityUpdate{{EntityType: "Car", EntityId: id}}},
	}
	reply := new(eventpb.EventResponse)
	err := c.conn.Invoke(ctx, "/com.example.grpc.EventService/ProcessEvent", event, reply)
	if err == nil {
		return outcome(reply.GetMessage())
	}
	failure := status.Convert(err)
	for heard, want := range map[outcome]codes.Code{overloaded: codes.ResourceExhausted, unavailable: codes.Unavailable} {
		if failure.Message() == string(heard) && failure.Code() == want {
			return heard
		}
	}
	if !slices.Contains([]codes.Code{codes.Unavailable, codes.Canceled, codes.DeadlineExceeded}, failure.Code()) {
		c.t.Errorf("got %v", failure)
	}
	return unanswered
}

func (c grpcClient) hangUp() { c.conn.Close() }

func beginGRPC(t *testing.T, conn net.Conn) func() string {
	answer := make(chan string, 1)
	// What the server says must be read, or it would wait.
	go func() { answer <- readStatus(conn) }()
	var head bytes.Buffer
	encoder := hpack.NewEncoder(&head)
	for _, field := range []hpack.HeaderField{
		{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: "test"},
		{Name: ":path", Value: "/com.example.grpc.EventService/ProcessEvent"}, {Name: "content-type", Value: "application/grpc"},
	} {
		if err := encoder.WriteField(field); err != nil {
			t.Error(err)
		}
	}
	framer := http2.NewFramer(conn, nil)
	_, err := io.WriteString(conn, http2.ClientPreface)
	err = errors.Join(err,
		framer.WriteSettings(),
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndHeaders: true}),
		// 100 bytes are announced.
		framer.WriteData(1, false, []byte("\x00\x00\x00\x00\x64\x0a\x26")))
	if err != nil {
		t.Error(err)
	}
	return func() string { return <-answer }
}

// readStatus reads up to the trailers of the first call that ends.
func readStatus(conn net.Conn) string {
	framer := http2.NewFramer(io.Discard, conn)
	framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return err.Error()
		}
		if headers, ok := frame.(*http2.MetaHeadersFrame); ok && headers.StreamEnded() {
			var status, message string
			for _, field := range headers.RegularFields() {
				switch field.Name {
				case "grpc-status":
					status = field.Value
				case "grpc-message":
					message = field.Value
				}
			}
			return status + " " + message
		}
	}
}
