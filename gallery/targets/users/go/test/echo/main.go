// Command echo is a bare grpc-go server: it answers GetUser with the id of the request and a user of the usual size, and
// nothing else. The service is compared with it, to see what its own code costs:
//
//	.bakeoff/venv/bin/python lab/benchmarks/side_by_side.py experiments/side-by-side/user-service-memory.toml
package main

import (
	"context"
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"

	"grpc-user-service/internal/userpb"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: echo ADDRESS")
		os.Exit(2)
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err == nil {
		server := grpc.NewServer()
		userpb.RegisterUserServiceServer(server, echo{})
		err = server.Serve(listener)
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	os.Exit(1)
}

type echo struct {
	userpb.UnimplementedUserServiceServer
}

func (echo) GetUser(_ context.Context, request *userpb.GetUserRequest) (*userpb.GetUserResponse, error) {
	return &userpb.GetUserResponse{Id: request.GetId(), Name: "Barbara Okafor", Email: "user-00000001-63-1000@example.org"}, nil
}
