package grpcapi

import (
	"testing"

	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"example.com/bakeoff/events/internal/eventpb"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/writer"
)

func TestHealth(t *testing.T) {
	for _, test := range []struct {
		err     error
		status  healthpb.HealthCheckResponse_ServingStatus
		message string
	}{
		{nil, healthpb.HealthCheckResponse_SERVING, "OK"},
		{writer.ErrDatabaseUnavailable, healthpb.HealthCheckResponse_NOT_SERVING, "database: unavailable"},
	} {
		_, conn := start(t, &storage{err: test.err}, writer.GroupCommit)
		own := new(eventpb.HealthResponse)
		if err := conn.Invoke(t.Context(), methodOf("HealthCheck"), &eventpb.HealthRequest{}, own); err != nil {
			t.Fatal(err)
		}
		if own.Healthy != (test.err == nil) || own.Message != test.message {
			t.Errorf("got %v", own)
		}
		client := healthpb.NewHealthClient(conn)
		for _, service := range []string{"", grpcreply.ServiceName} {
			checked, err := client.Check(t.Context(), &healthpb.HealthCheckRequest{Service: service})
			if err != nil || checked.Status != test.status {
				t.Errorf("%q: got %v, %v", service, checked, err)
			}
			watch, err := client.Watch(t.Context(), &healthpb.HealthCheckRequest{Service: service})
			if err != nil {
				t.Fatal(err)
			}
			if watched, err := watch.Recv(); err != nil || watched.Status != test.status {
				t.Errorf("%q: got %v, %v", service, watched, err)
			}
		}
		_, err := client.Check(t.Context(), &healthpb.HealthCheckRequest{Service: "other"})
		checkStatus(t, err, codes.NotFound, "service: unknown")
	}
}

func TestWatchReportsTheStop(t *testing.T) {
	server, conn := start(t, &storage{}, writer.GroupCommit)
	watch, err := healthpb.NewHealthClient(conn).Watch(t.Context(), &healthpb.HealthCheckRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := watch.Recv(); err != nil {
		t.Fatal(err)
	}
	if err := server.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if last, err := watch.Recv(); err != nil || last.Status != healthpb.HealthCheckResponse_NOT_SERVING {
		t.Errorf("got %v, %v", last, err)
	}
}
