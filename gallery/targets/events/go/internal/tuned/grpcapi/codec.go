package grpcapi

import (
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"

	// Registers the codec that codec builds on.
	_ "google.golang.org/grpc/encoding/proto"
)

// encoded is a reply that is encoded already.
type encoded []byte

// codec passes encoded replies through and leaves other messages to grpc-go.
type codec struct {
	encoding.CodecV2
}

func newCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Marshal does not copy what is encoded.
func (c codec) Marshal(message any) (mem.BufferSlice, error) {
	if reply, ok := message.(encoded); ok {
		return mem.BufferSlice{mem.SliceBuffer(reply)}, nil
	}
	return c.CodecV2.Marshal(message)
}
