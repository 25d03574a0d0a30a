package benchmark

import "testing"

func BenchmarkGRPC_CreateUser(b *testing.B) { measure(b, GRPC, createUser) }

func BenchmarkGRPC_GetUser(b *testing.B) { measure(b, GRPC, getUser) }

func BenchmarkGRPC_UpdateUser(b *testing.B) { measure(b, GRPC, updateUser) }

func BenchmarkGRPC_DeleteUser(b *testing.B) { measure(b, GRPC, deleteUser) }

func BenchmarkGRPC_ListUsers(b *testing.B) { measure(b, GRPC, listUsers) }

func BenchmarkGRPC_MixedWorkload(b *testing.B) { measure(b, GRPC, mixedWorkload) }
