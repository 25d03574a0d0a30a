package grpcapi

import (
	"context"

	"google.golang.org/grpc/stats"
)

// sizes gives a handler the size of the message that its call has received last. proto.Size would count again what
// grpc-go knows.
type sizes struct{}

type sizeKey struct{}

// sizeOf returns the size of the call's last message.
func sizeOf(ctx context.Context) int {
	return *ctx.Value(sizeKey{}).(*int)
}

// TagRPC gives each call room for a size.
func (sizes) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, sizeKey{}, new(int))
}

// HandleRPC runs in the goroutine that receives, before the handler gets the message.
func (sizes) HandleRPC(ctx context.Context, event stats.RPCStats) {
	if received, ok := event.(*stats.InPayload); ok {
		*ctx.Value(sizeKey{}).(*int) = received.Length
	}
}

// TagConn does nothing.
func (sizes) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

// HandleConn does nothing.
func (sizes) HandleConn(context.Context, stats.ConnStats) {}
