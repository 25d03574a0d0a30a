package benchmark

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"grpc-user-service/internal/userpb"
)

// client calls the service over one protocol. Each call returns when its reply has been read to the end.
type client interface {
	create(ctx context.Context, name, email string) (int64, error)
	get(ctx context.Context, id int64) error
	update(ctx context.Context, id int64, name, email string) error
	remove(ctx context.Context, id int64) error
	list(ctx context.Context) error
	close() error
}

type grpcClient struct {
	connection *grpc.ClientConn
	users      userpb.UserServiceClient
}

func newGRPCClient(address string) (client, error) {
	connection, err := grpc.NewClient("passthrough:///"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, err
	}
	return &grpcClient{connection, userpb.NewUserServiceClient(connection)}, nil
}

func (c *grpcClient) create(ctx context.Context, name, email string) (int64, error) {
	reply, err := c.users.CreateUser(ctx, &userpb.CreateUserRequest{Name: name, Email: email})
	return reply.GetId(), err
}

func (c *grpcClient) get(ctx context.Context, id int64) error {
	_, err := c.users.GetUser(ctx, &userpb.GetUserRequest{Id: id})
	return err
}

func (c *grpcClient) update(ctx context.Context, id int64, name, email string) error {
	_, err := c.users.UpdateUser(ctx, &userpb.UpdateUserRequest{Id: id, Name: &name, Email: &email})
	return err
}

func (c *grpcClient) remove(ctx context.Context, id int64) error {
	_, err := c.users.DeleteUser(ctx, &userpb.DeleteUserRequest{Id: id})
	return err
}

func (c *grpcClient) list(ctx context.Context) error {
	_, err := c.users.ListUsers(ctx, &userpb.ListUsersRequest{})
	return err
}

func (c *grpcClient) close() error { return c.connection.Close() }

type restClient struct {
	http  *http.Client
	users string
}

// newRESTClient keeps a connection for each caller open.
func newRESTClient(address string, callers int) client {
	transport := &http.Transport{MaxIdleConnsPerHost: callers, MaxIdleConns: callers}
	return &restClient{&http.Client{Transport: transport}, "http://" + address + "/v1/users"}
}

func (c *restClient) create(ctx context.Context, name, email string) (int64, error) {
	reply, err := c.call(ctx, http.MethodPost, c.users, user{name, email})
	if err != nil {
		return 0, err
	}
	var created struct {
		ID int64 `json:"id,string"`
	}
	err = json.Unmarshal(reply, &created)
	return created.ID, err
}

func (c *restClient) get(ctx context.Context, id int64) error {
	_, err := c.call(ctx, http.MethodGet, c.one(id), nil)
	return err
}

func (c *restClient) update(ctx context.Context, id int64, name, email string) error {
	_, err := c.call(ctx, http.MethodPut, c.one(id), user{name, email})
	return err
}

func (c *restClient) remove(ctx context.Context, id int64) error {
	_, err := c.call(ctx, http.MethodDelete, c.one(id), nil)
	return err
}

func (c *restClient) list(ctx context.Context) error {
	_, err := c.call(ctx, http.MethodGet, c.users, nil)
	return err
}

func (c *restClient) close() error {
	c.http.CloseIdleConnections()
	return nil
}

func (c *restClient) one(id int64) string { return c.users + "/" + strconv.FormatInt(id, 10) }

type user struct {
	Name  string `json:"name"`
	Email string `json:"email"`
}

// call reads the body to its end, which alone lets the connection be used again.
func (c *restClient) call(ctx context.Context, method, url string, message any) ([]byte, error) {
	var body io.Reader
	if message != nil {
		encoded, err := json.Marshal(message)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return nil, err
	}
	reply, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(reply.Body)
	if closed := reply.Body.Close(); err == nil {
		err = closed
	}
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: status %d: %s", method, url, reply.StatusCode, content)
	}
	return content, err
}
