package grpcapi

import (
	"crypto/tls"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/tlstest"
	"example.com/bakeoff/events/internal/writer"
)

func TestTheTokenComesFirst(t *testing.T) {
	_, conn := startWith(t, &storage{}, writer.GroupCommit, nil, insecure.NewCredentials(), bearer.NewToken("secret"))
	for _, test := range []struct {
		method        string
		authorization string
		code          codes.Code
	}{
		{methodOf("ProcessEvent"), "", codes.Unauthenticated},
		{methodOf("ProcessEvent"), "Bearer other", codes.Unauthenticated},
		{methodOf("ProcessEvent"), "Bearer secret", codes.OK},
		{methodOf("ProcessEventBatch"), "", codes.Unauthenticated},
		{methodOf("StreamEvents"), "", codes.Unauthenticated},
		{methodOf("Other"), "", codes.Unauthenticated},
		{methodOf("Other"), "Bearer secret", codes.Unimplemented},
		{"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "", codes.Unauthenticated},
		{methodOf("HealthCheck"), "", codes.OK},
		{healthpb.Health_Check_FullMethodName, "", codes.OK},
		{healthpb.Health_List_FullMethodName, "", codes.OK},
	} {
		ctx := t.Context()
		if test.authorization != "" {
			ctx = metadata.AppendToOutgoingContext(ctx, "authorization", test.authorization)
		}
		var message any = request("1")
		if test.authorization == "" {
			// It is a message of the other methods as well.
			message = new(eventpb.HealthRequest)
		}
		err := conn.Invoke(ctx, test.method, message, new(eventpb.HealthRequest))
		if got := status.Convert(err); got.Code() != test.code ||
			test.code == codes.Unauthenticated && got.Message() != "authorization: a valid bearer token is required" {
			t.Errorf("%+v: got %v", test, err)
		}
	}
}

func TestTLS(t *testing.T) {
	server, client := tlstest.Configs(t)
	_, conn := startWith(t, &storage{}, writer.GroupCommit, server, credentials.NewTLS(client), nil)
	reply := new(eventpb.EventResponse)
	if err := conn.Invoke(t.Context(), methodOf("ProcessEvent"), request("1"), reply); err != nil || !reply.Success {
		t.Errorf("got %v, %v", reply, err)
	}
}

func TestOverTLSOnlyHTTP2IsOffered(t *testing.T) {
	server, client := tlstest.Configs(t)
	_, conn := startWith(t, &storage{}, writer.GroupCommit, server, credentials.NewTLS(client), nil)
	client.NextProtos = []string{"http/1.1"}
	address := strings.TrimPrefix(conn.Target(), "passthrough:")
	other, err := tls.Dial("tcp", address, client)
	if err != nil {
		return
	}
	defer other.Close()
	// Go lets the handshake pass without a protocol; then grpc-go hangs up before it has said anything.
	if heard, _ := io.Copy(io.Discard, other); heard != 0 || other.ConnectionState().NegotiatedProtocol != "" {
		t.Errorf("it is served: %d bytes, protocol %q", heard, other.ConnectionState().NegotiatedProtocol)
	}
}

func TestHeadersThatAreTooLargeAreRefused(t *testing.T) {
	_, conn := start(t, &storage{}, writer.GroupCommit)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "large", strings.Repeat("x", maxHeadBytes))
	if err := conn.Invoke(ctx, methodOf("ProcessEvent"), request("1"), new(eventpb.EventResponse)); err == nil {
		t.Error("they are accepted")
	}
	if err := conn.Invoke(t.Context(), methodOf("ProcessEvent"), request("1"), new(eventpb.EventResponse), grpc.WaitForReady(true)); err != nil {
		t.Errorf("the next call: %v", err)
	}
}
