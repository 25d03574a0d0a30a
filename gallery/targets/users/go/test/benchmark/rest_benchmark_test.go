package benchmark

import "testing"

func BenchmarkREST_CreateUser(b *testing.B) { measure(b, REST, createUser) }

func BenchmarkREST_GetUser(b *testing.B) { measure(b, REST, getUser) }

func BenchmarkREST_UpdateUser(b *testing.B) { measure(b, REST, updateUser) }

func BenchmarkREST_DeleteUser(b *testing.B) { measure(b, REST, deleteUser) }

func BenchmarkREST_ListUsers(b *testing.B) { measure(b, REST, listUsers) }

func BenchmarkREST_MixedWorkload(b *testing.B) { measure(b, REST, mixedWorkload) }
