// Package benchmark measures the user service in this process: real servers, real connections, users in memory.
//
// It is what `go test -bench` needs. The lab measures the same service as separate processes, with intervals,
// checked replies and an audit: ./bakeoff run --workload users.
package benchmark

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync/atomic"
	"time"

	"grpc-user-service/internal/gateway"
	"grpc-user-service/internal/grpcapi"
	"grpc-user-service/internal/memory"
)

// Protocols, as reports name them.
const (
	GRPC = "gRPC"
	REST = "REST"
)

// seeded is how many users there are before anything is measured.
const seeded = 1000

// server is a server of either protocol.
type server interface {
	Serve(net.Listener) error
	Stop(context.Context) error
}

// service is a running server, and a client of it.
type service struct {
	users  *memory.Repository
	client client
	server server
	ended  chan error
	made   atomic.Int64
}

// start serves over a protocol on a free port, the gateway in the way that GATEWAY names.
func start(ctx context.Context, protocol string, callers int) (*service, error) {
	way, err := chosenWay()
	if err != nil {
		return nil, err
	}
	s := &service{users: memory.New(), ended: make(chan error, 1)}
	for range seeded {
		if _, err := s.users.Create(ctx, "Seeded user", s.email("seeded")); err != nil {
			return nil, err
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	options, log := grpcapi.Options{Timeout: 5 * time.Second, Keepalive: true}, slog.New(slog.DiscardHandler)
	if protocol == GRPC {
		s.server = grpcapi.NewServer(s.users, options, log)
		s.client, err = newGRPCClient(listener.Addr().String())
	} else {
		s.server, err = gateway.NewServer(ctx, s.users, gateway.Options{
			Way: way, Service: options,
			Limits: gateway.Limits,
		}, log)
		s.client = newRESTClient(listener.Addr().String(), callers)
	}
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	go func() { s.ended <- s.server.Serve(listener) }()
	return s, nil
}

// chosenWay is the target's setting GATEWAY; a loopback connection, as is usual, where there is none.
func chosenWay() (gateway.Way, error) {
	switch way := gateway.Way(cmp.Or(os.Getenv("GATEWAY"), string(gateway.Loopback))); way {
	case gateway.Loopback, gateway.InProcess, gateway.Direct:
		return way, nil
	default:
		return "", fmt.Errorf("GATEWAY is %q; it may be loopback, in-process or direct", way)
	}
}

// stop ends client and server.
func (s *service) stop() error {
	limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := errors.Join(s.client.close(), s.server.Stop(limit))
	<-s.ended
	return err
}

// email is one that no user has.
func (s *service) email(prefix string) string {
	return fmt.Sprintf("%s-%d@example.org", prefix, s.made.Add(1))
}

// operation is one kind of call. It returns when the measured call began, because some need their own user first.
type operation func(ctx context.Context, s *service, number int64) (time.Time, error)

// Operations, in the order of the document.
var operations = []struct {
	name string
	run  operation
}{
	{"CreateUser", createUser},
	{"GetUser", getUser},
	{"UpdateUser", updateUser},
	{"DeleteUser", deleteUser},
	{"ListUsers", listUsers},
	{"MixedWorkload", mixedWorkload},
}

func createUser(ctx context.Context, s *service, _ int64) (time.Time, error) {
	email, begun := s.email("created"), time.Now()
	_, err := s.client.create(ctx, "Created user", email)
	return begun, err
}

func getUser(ctx context.Context, s *service, number int64) (time.Time, error) {
	begun := time.Now()
	return begun, s.client.get(ctx, number%seeded+1)
}

func updateUser(ctx context.Context, s *service, number int64) (time.Time, error) {
	email, begun := s.email("updated"), time.Now()
	return begun, s.client.update(ctx, number%seeded+1, "Updated user", email)
}

// deleteUser puts the user that the call deletes into the repository itself: no call is measured for it.
func deleteUser(ctx context.Context, s *service, _ int64) (time.Time, error) {
	id, err := s.users.Create(ctx, "Deleted user", s.email("deleted"))
	if err != nil {
		return time.Now(), err
	}
	begun := time.Now()
	return begun, s.client.remove(ctx, id)
}

func listUsers(ctx context.Context, s *service, _ int64) (time.Time, error) {
	begun := time.Now()
	return begun, s.client.list(ctx)
}

func mixedWorkload(ctx context.Context, s *service, number int64) (time.Time, error) {
	return []operation{createUser, getUser, updateUser, listUsers}[number%4](ctx, s, number)
}
