package grpcapi

import (
	"testing"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"example.com/bakeoff/events/internal/h2test"
)

func TestCompressedCallsAreRejected(t *testing.T) {
	s := new(storage)
	client := connect(t, s)
	whole := framed(t, "1")
	for _, method := range []string{
		methodOf("ProcessEvent"), methodOf("ProcessEventBatch"), methodOf("StreamEvents"), methodOf("HealthCheck"),
		healthpb.Health_Check_FullMethodName, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
	} {
		for _, announced := range refused {
			for _, flag := range []byte{0, 1} {
				reply := callRaw(t, client, method, h2test.Framed(flag, whole[5:]), "grpc-encoding", announced)
				if reply.Get("grpc-status") != statusUnimplemented || reply.Get("grpc-accept-encoding") != "identity" ||
					reply.Get("grpc-encoding") != "" || len(reply.Data) != 0 {
					t.Errorf("%s, %s, flag %d: got %+v", method, announced, flag, reply)
				}
			}
		}
		if reply := callRaw(t, client, method, whole, "grpc-encoding", "other"); reply.Get("grpc-status") != statusUnimplemented {
			t.Errorf("%s, an unknown compression: got %+v", method, reply)
		}
	}
	checkStored(t, client, s)
}

func TestIdentityIsNoCompression(t *testing.T) {
	client := connect(t, new(storage))
	whole := framed(t, "1")
	for flag, want := range []string{"0", statusInternal} {
		reply := callRaw(t, client, methodOf("ProcessEvent"), h2test.Framed(byte(flag), whole[5:]), "grpc-encoding", "identity")
		if reply.Get("grpc-status") != want {
			t.Errorf("flag %d: got %+v", flag, reply)
		}
	}
}
