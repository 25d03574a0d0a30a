package memory_test

import (
	"testing"

	"grpc-user-service/internal/memory"
	"grpc-user-service/internal/repositorytest"
)

func TestRepository(t *testing.T) {
	repositorytest.Run(t, memory.New())
}
