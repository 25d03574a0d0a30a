package grpcapi

import (
	"crypto/tls"
	"io"
	"strings"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"

	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/tlstest"
	"example.com/bakeoff/events/internal/writer"
)

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
	// Go accepts the handshake without a protocol; then grpc-go closes the connection before it sends anything.
	if received, _ := io.Copy(io.Discard, other); received != 0 || other.ConnectionState().NegotiatedProtocol != "" {
		t.Errorf("it is served: %d bytes, protocol %q", received, other.ConnectionState().NegotiatedProtocol)
	}
}

func TestLargeHeadersAreRejected(t *testing.T) {
	_, conn := start(t, &storage{}, writer.GroupCommit)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "large", strings.Repeat("x", maxHeadBytes))
	if err := conn.Invoke(ctx, methodOf("ProcessEvent"), request("1"), new(eventpb.EventResponse)); err == nil {
		t.Error("they are accepted")
	}
	if err := conn.Invoke(t.Context(), methodOf("ProcessEvent"), request("1"), new(eventpb.EventResponse), grpc.WaitForReady(true)); err != nil {
		t.Errorf("the next call: %v", err)
	}
}

func TestReflection(t *testing.T) {
	_, conn := start(t, &storage{}, writer.GroupCommit)
	call, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = call.Send(&reflectionpb.ServerReflectionRequest{
		MessageRequest: &reflectionpb.ServerReflectionRequest_FileContainingSymbol{FileContainingSymbol: grpcreply.ServiceName},
	})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := call.Recv(); err != nil || len(answer.GetFileDescriptorResponse().GetFileDescriptorProto()) == 0 {
		t.Errorf("got %v, %v", answer, err)
	}
}

func TestReflectionOffersBothVersions(t *testing.T) {
	_, conn := start(t, &storage{}, writer.GroupCommit)
	for _, version := range []string{"v1", "v1alpha"} {
		// The messages of both versions are the same.
		method := "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo"
		call, err := conn.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}, method)
		if err != nil {
			t.Fatal(err)
		}
		err = call.SendMsg(&reflectionpb.ServerReflectionRequest{
			MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{ListServices: "*"},
		})
		answer := new(reflectionpb.ServerReflectionResponse)
		if received := call.RecvMsg(answer); err != nil || received != nil || len(answer.GetListServicesResponse().GetService()) == 0 {
			t.Errorf("%s: got %v, %v, %v", version, answer, err, received)
		}
	}
}
