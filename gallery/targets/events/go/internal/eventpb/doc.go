// Package eventpb is the generated code of the contract's event_service.proto.
package eventpb

//go:generate go run ./generate
