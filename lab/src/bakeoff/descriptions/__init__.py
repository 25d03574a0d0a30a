"""OpenAPI documents and proto files, read as the operations of a workload."""
