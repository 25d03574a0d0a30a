package grpcapi

import (
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/bearer"
	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/writer"
)

func TestTokenIsCheckedFirst(t *testing.T) {
	_, conn := startWith(t, &storage{}, writer.GroupCommit, nil, insecure.NewCredentials(), bearer.NewToken("secret"))
	for _, test := range []struct {
		method        string
		authorization string
		code          codes.Code
	}{
		{methodOf("ProcessEvent"), "", codes.Unauthenticated},
		{methodOf("ProcessEvent"), "Bearer other", codes.Unauthenticated},
		{methodOf("ProcessEvent"), "Bearer secret", codes.OK},
		{methodOf("ProcessEvent"), "bearer secret", codes.OK},
		{methodOf("ProcessEvent"), "Bearer Secret", codes.Unauthenticated},
		{methodOf("ProcessEventBatch"), "", codes.Unauthenticated},
		{methodOf("StreamEvents"), "", codes.Unauthenticated},
		{methodOf("Other"), "", codes.Unauthenticated},
		{methodOf("Other"), "Bearer secret", codes.Unimplemented},
		{"/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", "", codes.Unauthenticated},
		{methodOf("HealthCheck"), "", codes.OK},
		{healthpb.Health_Check_FullMethodName, "", codes.OK},
		{healthpb.Health_List_FullMethodName, "", codes.OK},
		{"/grpc.health.v1.Health/Other", "", codes.Unauthenticated},
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

func TestTokenSentTwiceIsRejected(t *testing.T) {
	s := new(storage)
	_, conn := startWith(t, s, writer.GroupCommit, nil, insecure.NewCredentials(), bearer.NewToken("secret"))
	for _, other := range []string{"Bearer secret", "Bearer other"} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer secret", "authorization", other)
		err := conn.Invoke(ctx, methodOf("ProcessEvent"), request("1"), new(eventpb.EventResponse))
		checkStatus(t, err, codes.Unauthenticated, "authorization: a valid bearer token is required")
	}
	if s.rows.Load() != 0 {
		t.Errorf("%d rows are stored", s.rows.Load())
	}
}
