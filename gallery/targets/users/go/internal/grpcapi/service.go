package grpcapi

import (
	"context"
	"log/slog"

	"grpc-user-service/internal/user"
	"grpc-user-service/internal/userpb"
)

// service is UserService.
type service struct {
	userpb.UnimplementedUserServiceServer
	users user.Repository
	log   *slog.Logger
}

// NewService returns the service over a repository.
func NewService(users user.Repository, log *slog.Logger) userpb.UserServiceServer {
	return &service{users: users, log: log}
}

// CreateUser stores a new user.
func (s *service) CreateUser(ctx context.Context, request *userpb.CreateUserRequest) (*userpb.CreateUserResponse, error) {
	if err := user.CheckNew(request.GetName(), request.GetEmail()); err != nil {
		return nil, statusOf(err, s.log)
	}
	id, err := s.users.Create(ctx, request.GetName(), request.GetEmail())
	if err != nil {
		return nil, statusOf(err, s.log)
	}
	return &userpb.CreateUserResponse{Id: id}, nil
}

// GetUser returns a user.
func (s *service) GetUser(ctx context.Context, request *userpb.GetUserRequest) (*userpb.GetUserResponse, error) {
	if err := user.CheckID(request.GetId()); err != nil {
		return nil, statusOf(err, s.log)
	}
	found, err := s.users.Get(ctx, request.GetId())
	if err != nil {
		return nil, statusOf(err, s.log)
	}
	return &userpb.GetUserResponse{Id: found.ID, Name: found.Name, Email: found.Email}, nil
}

// UpdateUser changes the fields that are present.
func (s *service) UpdateUser(ctx context.Context, request *userpb.UpdateUserRequest) (*userpb.UpdateUserResponse, error) {
	change := user.Change{Name: request.Name, Email: request.Email}
	if err := change.Check(request.GetId()); err != nil {
		return nil, statusOf(err, s.log)
	}
	if err := s.users.Update(ctx, request.GetId(), change); err != nil {
		return nil, statusOf(err, s.log)
	}
	return &userpb.UpdateUserResponse{Id: request.GetId()}, nil
}

// DeleteUser removes a user.
func (s *service) DeleteUser(ctx context.Context, request *userpb.DeleteUserRequest) (*userpb.DeleteUserResponse, error) {
	if err := user.CheckID(request.GetId()); err != nil {
		return nil, statusOf(err, s.log)
	}
	if err := s.users.Delete(ctx, request.GetId()); err != nil {
		return nil, statusOf(err, s.log)
	}
	return &userpb.DeleteUserResponse{Id: request.GetId()}, nil
}

// ListUsers returns a page of the users that match.
func (s *service) ListUsers(ctx context.Context, request *userpb.ListUsersRequest) (*userpb.ListUsersResponse, error) {
	query, err := user.NewQuery(request.GetQuery(), request.Page, request.Limit)
	if err != nil {
		return nil, statusOf(err, s.log)
	}
	page, err := s.users.List(ctx, query)
	if err != nil {
		return nil, statusOf(err, s.log)
	}
	users := make([]*userpb.User, len(page.Users))
	for i, found := range page.Users {
		users[i] = &userpb.User{Id: found.ID, Name: found.Name, Email: found.Email}
	}
	return &userpb.ListUsersResponse{Users: users, Pagination: &userpb.Pagination{
		Total: page.Total, Page: query.Page, Limit: query.Limit, TotalPages: query.Pages(page.Total),
	}}, nil
}
