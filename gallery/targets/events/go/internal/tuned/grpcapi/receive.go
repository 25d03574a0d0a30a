package grpcapi

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"

	"example.com/bakeoff/events/internal/fault"
	"example.com/bakeoff/events/internal/grpcreply"
	"example.com/bakeoff/events/internal/intake"
)

// frames is what grpc-go's own RecvMsg reads from and its server ends: the stream that
// grpc.ServerTransportStreamFromContext returns.
//
// RecvMsg has one size limit for all methods where the contract has one for each, and answers
// a message above it, or one that does not decode, with its own status and text, which no handler can change.
//
// None of this is part of grpc-go's API. TestGRPCVersionIsPinned fails when go.mod names another version than the one
// that this package was written for.
type frames interface {
	// ReadMessageHeader returns io.EOF when the call has no more messages.
	ReadMessageHeader(header []byte) error
	Read(length int) (mem.BufferSlice, error)
	// WriteStatus ends the call, and its reading.
	WriteStatus(*status.Status) error
}

// headerBytes come before each message: whether it is compressed, and its length.
const headerBytes = 5

var (
	errNoFrames      = errors.New("this version of grpc-go does not expose its frames")
	errNotOneMessage = fault.New(fault.BadFraming, "call: must carry one message")
	errTruncated     = fault.New(fault.BadFraming, "message: truncated")
	errCompressed    = fault.New(fault.BadFraming, "message: compressed, but the call names no grpc-encoding")
)

// framesOf returns the messages of a call as they arrive.
func framesOf(ctx context.Context) (frames, error) {
	if found, ok := grpc.ServerTransportStreamFromContext(ctx).(frames); ok {
		return found, nil
	}
	return nil, errNoFrames
}

// receiveOne returns the message of a unary call, of at most limit bytes, which it charges for and which must arrive
// within the timeout.
func receiveOne(call grpc.ServerStream, limit int, timeout time.Duration, charge *intake.Charge) (string, error) {
	messages, err := framesOf(call.Context())
	if err != nil {
		return "", err
	}
	// A context with a deadline would do the same at several times the cost.
	overdue := time.AfterFunc(timeout, func() { endOverdue(messages) })
	defer overdue.Stop()
	var header [headerBytes]byte
	err = messages.ReadMessageHeader(header[:])
	if errors.Is(err, io.EOF) {
		return "", errNotOneMessage
	}
	if err != nil {
		return "", framingError(err)
	}
	message, err := receiveAfter(header, messages, limit, charge)
	if err != nil {
		return "", err
	}
	if err := receiveEnd(messages, header[:1]); err != nil {
		return "", err
	}
	if !overdue.Stop() {
		return "", fault.ErrTooSlow
	}
	return message, nil
}

// receiveEnd expects no more messages; room holds the first byte of one.
func receiveEnd(messages frames, room []byte) error {
	err := messages.ReadMessageHeader(room)
	switch {
	case err == nil:
		return errNotOneMessage
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

// receiveNext returns the next message of a stream, of at most limit bytes, or io.EOF when there are no more.
// The timeout applies within a message, not between messages.
func receiveNext(messages frames, limit int, charge *intake.Charge, watch *messageTimer) (string, error) {
	var header [headerBytes]byte
	if err := messages.ReadMessageHeader(header[:1]); err != nil {
		return "", err
	}
	watch.start()
	message, err := receiveRest(header, messages, limit, charge)
	if !watch.stop() {
		return "", fault.ErrTooSlow
	}
	return message, err
}

// receiveRest returns the message whose header's first byte has arrived.
func receiveRest(header [headerBytes]byte, messages frames, limit int, charge *intake.Charge) (string, error) {
	if err := messages.ReadMessageHeader(header[1:]); err != nil {
		return "", framingError(err)
	}
	return receiveAfter(header, messages, limit, charge)
}

// receiveAfter returns the message that follows a header, of at most limit bytes; one that is larger, or for which
// the budget has no room, is not read.
func receiveAfter(header [headerBytes]byte, messages frames, limit int, charge *intake.Charge) (string, error) {
	// Calls that announce a compression have been rejected.
	if header[0] != 0 {
		return "", errCompressed
	}
	length := binary.BigEndian.Uint32(header[1:])
	if int64(length) > int64(limit) {
		return "", fault.BodyTooLarge(limit)
	}
	if err := charge.Grow(int64(length)); err != nil {
		return "", err
	}
	data, err := messages.Read(int(length))
	if err != nil {
		return "", framingError(err)
	}
	defer data.Free()
	return join(data), nil
}

// framingError maps an error of reading inside a message. Unless the message is truncated, the call has ended.
func framingError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errTruncated
	}
	return err
}

// endOverdue ends a call whose message arrives too slowly, and with it the pending read.
func endOverdue(messages frames) {
	// An error means that the client has disconnected.
	_ = messages.WriteStatus(status.Convert(grpcreply.Status(fault.ErrTooSlow)))
}

// join copies, because grpc-go reuses the memory.
func join(data mem.BufferSlice) string {
	var text strings.Builder
	text.Grow(data.Len())
	for _, buffer := range data {
		text.Write(buffer.ReadOnlyData())
	}
	return text.String()
}
