"""What OpenAPI documents and proto files describe, in the words of a workload."""
