package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"grpc-user-service/internal/gateway"
	"grpc-user-service/internal/grpcapi"
	"grpc-user-service/internal/memory"
	"grpc-user-service/internal/settings"
	"grpc-user-service/internal/user"
)

var ways = []gateway.Way{gateway.Loopback, gateway.InProcess, gateway.Direct}

// broken is a repository whose reads wait for the deadline of their caller, or panic.
type broken struct {
	*memory.Repository
	panics bool
}

func (b *broken) Get(ctx context.Context, _ int64) (user.User, error) {
	if b.panics {
		panic("planted")
	}
	<-ctx.Done()
	return user.User{}, ctx.Err()
}

// serve returns the address of a gateway that is stopped at the end of the test.
func serve(t *testing.T, users user.Repository, options gateway.Options) string {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	server, err := gateway.NewServer(t.Context(), users, options, log)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := server.Stop(limit); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != http.ErrServerClosed {
			t.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

// get returns status, code and message of a reply.
func get(t *testing.T, url string) (int, int, string) {
	t.Helper()
	reply, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var body struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	if err := json.NewDecoder(reply.Body).Decode(&body); err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, body.Code, body.Message
}

func everyWay(t *testing.T, test func(*testing.T, gateway.Way)) {
	for _, way := range ways {
		t.Run(string(way), func(t *testing.T) { test(t, way) })
	}
}

func TestADeadlineThatPassesDuringACall(t *testing.T) {
	everyWay(t, func(t *testing.T, way gateway.Way) {
		options := gateway.Options{Way: way, Service: grpcapi.Options{Timeout: 20 * time.Millisecond}}
		address := serve(t, &broken{Repository: memory.New()}, options)
		if status, code, message := get(t, address+"/v1/users/1"); status != http.StatusGatewayTimeout || code != 4 {
			t.Errorf("got %d, code %d: %s", status, code, message)
		}
	})
}

func TestAPanicIsAnInternalErrorAndTheServerGoesOn(t *testing.T) {
	everyWay(t, func(t *testing.T, way gateway.Way) {
		options := gateway.Options{Way: way, Service: grpcapi.Options{Timeout: time.Second}}
		address := serve(t, &broken{Repository: memory.New(), panics: true}, options)
		for range 2 {
			status, code, message := get(t, address+"/v1/users/1")
			if status != http.StatusInternalServerError || code != 13 || message != "internal error" {
				t.Errorf("got %d, code %d: %s", status, code, message)
			}
		}
	})
}

func TestTheRateIsLimited(t *testing.T) {
	everyWay(t, func(t *testing.T, way gateway.Way) {
		options := gateway.Options{Way: way, Service: grpcapi.Options{Timeout: time.Second, Rate: 1}}
		address := serve(t, memory.New(), options)
		if status, _, _ := get(t, address+"/v1/users/1"); status != http.StatusNotFound {
			t.Errorf("the first request got %d", status)
		}
		if status, code, _ := get(t, address+"/v1/users/1"); status != http.StatusTooManyRequests || code != 8 {
			t.Errorf("the second request got %d, code %d", status, code)
		}
	})
}

func TestHTTP2AndCompression(t *testing.T) {
	options := gateway.Options{
		Way: gateway.Loopback, Service: grpcapi.Options{Timeout: time.Second}, CallGzip: true, ReplyGzip: true, HTTP2: true,
	}
	address := serve(t, memory.New(), options)
	protocols := new(http.Protocols)
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	body := bytes.NewReader([]byte(`{"name":"Ada Moreau","email":"ada@example.org"}`))
	reply, err := client.Post(address+"/v1/users", "application/json", body)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	content, err := io.ReadAll(reply.Body)
	if err != nil || reply.ProtoMajor != 2 || string(content) != `{"id":"1"}` {
		t.Errorf("%s: %s (%v)", reply.Proto, content, err)
	}
}

// TestConnectionsThatSendNothingEnd reads until the server closes.
func TestConnectionsThatSendNothingEnd(t *testing.T) {
	const request = "GET /v1/users/1 HTTP/1.1\r\nHost: test\r\n\r\n"
	for name, c := range map[string]struct {
		head, idle time.Duration
		sent       string
	}{
		"slow head":       {head: time.Millisecond, sent: request[:20]},
		"after a request": {idle: time.Millisecond, sent: request},
	} {
		t.Run(name, func(t *testing.T) {
			options := gateway.Options{
				Way: gateway.Direct, Service: grpcapi.Options{Timeout: 5 * time.Second},
				Limits: settings.Limits{ReadHeader: c.head, Idle: c.idle},
			}
			address := strings.TrimPrefix(serve(t, memory.New(), options), "http://")
			connection, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			var reply []byte
			if _, err = connection.Write([]byte(c.sent)); err == nil {
				reply, err = io.ReadAll(connection)
			}
			// A server that closes before it has read what was sent resets the connection.
			if err != nil && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, syscall.EPIPE) {
				t.Fatal(err)
			}
			if answered := strings.Contains(string(reply), " 404 "); answered != (c.sent == request) {
				t.Errorf("got %q", reply)
			}
		})
	}
}

func TestABodyThatIsTooSlowIsNoBrokenOne(t *testing.T) {
	for name, c := range map[string]struct {
		head  string
		stops bool
		want  int
	}{
		"slow":                  {"Content-Length: 100\r\n\r\n{", false, http.StatusRequestTimeout},
		"slow, in chunks":       {"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", false, http.StatusRequestTimeout},
		"breaks off":            {"Content-Length: 100\r\n\r\n{", true, http.StatusBadRequest},
		"breaks off, in chunks": {"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n", true, http.StatusBadRequest},
	} {
		t.Run(name, func(t *testing.T) {
			options := gateway.Options{
				Way: gateway.Direct, Service: grpcapi.Options{Timeout: 5 * time.Second}, Intake: grpcapi.LargestMessage,
				Limits: settings.Limits{ReadHeader: 5 * time.Second, Read: time.Minute},
			}
			if !c.stops {
				options.Limits.Read = time.Millisecond
			}
			connection, err := net.Dial("tcp", strings.TrimPrefix(serve(t, memory.New(), options), "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer connection.Close()
			if _, err := io.WriteString(connection, "POST /v1/users HTTP/1.1\r\nHost: test\r\n"+c.head); err != nil {
				t.Fatal(err)
			}
			if c.stops {
				if err := connection.(*net.TCPConn).CloseWrite(); err != nil {
					t.Fatal(err)
				}
			}
			reply, err := http.ReadResponse(bufio.NewReader(connection), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer reply.Body.Close()
			content, err := io.ReadAll(reply.Body)
			if err != nil || reply.StatusCode != c.want || !(reply.Close || c.stops) {
				t.Errorf("got %d, closes: %v, %s (%v)", reply.StatusCode, reply.Close, content, err)
			}
			const incomplete = `{"code":4,"message":"body: incomplete","details":[]}`
			if strings.ReplaceAll(string(content), ", ", ",") == incomplete != (c.want == http.StatusRequestTimeout) {
				t.Errorf("got %s", content)
			}
		})
	}
}

func TestAnotherMethodIsRefusedWithThoseThatThePathHas(t *testing.T) {
	address := serve(t, memory.New(), gateway.Options{Way: gateway.Direct, Service: grpcapi.Options{Timeout: time.Second}})
	for path, allowed := range map[string]string{
		"/v1/users": "GET, POST", "/v1/users/7": "DELETE, GET, PUT", "/healthz": "GET",
	} {
		request, err := http.NewRequest(http.MethodPatch, address+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != http.StatusMethodNotAllowed || reply.Header.Get("Allow") != allowed {
			t.Errorf("%s: got %d, Allow: %s", path, reply.StatusCode, reply.Header.Get("Allow"))
		}
	}
}

func TestLargeBodiesBeyondTheBudgetAreRefusedAndSmallOnesServed(t *testing.T) {
	options := gateway.Options{Way: gateway.Direct, Service: grpcapi.Options{Timeout: time.Second}, Intake: 20_000}
	address := serve(t, memory.New(), options)
	padding := strings.Repeat(" ", 20_000)
	for body, status := range map[string]int{
		`{"name":"Ada","email":"a@b"}`:           http.StatusOK,
		`{"name":"Bob","email":"c@d"}` + padding: http.StatusTooManyRequests,
	} {
		reply, err := http.Post(address+"/v1/users", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		if reply.StatusCode != status {
			t.Errorf("a body of %d bytes: got %d", len(body), reply.StatusCode)
		}
	}
}
