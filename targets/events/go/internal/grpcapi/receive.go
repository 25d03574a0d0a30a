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
	"example.com/bakeoff/events/internal/protoevent"
)

// frames is what grpc-go's own RecvMsg reads from and its server ends: the stream that
// grpc.ServerTransportStreamFromContext returns.
//
// RecvMsg will not do. It knows one limit of size for all methods where the contract has one for each, and answers
// a message above it, as one that does not decode, with a status and words of its own that no handler can change.
type frames interface {
	// ReadMessageHeader returns io.EOF when the call has no more messages.
	ReadMessageHeader(header []byte) error
	Read(length int) (mem.BufferSlice, error)
	// WriteStatus ends the call, and its reading.
	WriteStatus(*status.Status) error
}

var errNoFrames = errors.New("this grpc-go keeps its frames to itself")

// framesOf returns the messages of a call as they come.
func framesOf(ctx context.Context) (frames, error) {
	if found, ok := grpc.ServerTransportStreamFromContext(ctx).(frames); ok {
		return found, nil
	}
	return nil, errNoFrames
}

// receiveOne returns the message of a unary call, of at most limit bytes.
func receiveOne(call grpc.ServerStream, limit int) (string, error) {
	messages, err := framesOf(call.Context())
	if err != nil {
		return "", err
	}
	// A context with a deadline would do the same at several times the cost.
	overdue := time.AfterFunc(patience, func() {
		// An error means that the client is gone.
		_ = messages.WriteStatus(status.Convert(statusOf(fault.ErrIncomplete)))
	})
	defer overdue.Stop()
	message, err := receive(messages, limit)
	if errors.Is(err, io.EOF) {
		err = protoevent.ErrNotAMessage
	}
	return message, err
}

// receive returns the next message, of at most limit bytes; one that is larger is not read.
// It returns io.EOF when there are no more.
func receive(messages frames, limit int) (string, error) {
	var header [5]byte
	if err := messages.ReadMessageHeader(header[:]); err != nil {
		return "", unread(err)
	}
	// A compressed message: grpc-go has refused calls that announce any compression.
	if header[0] != 0 {
		return "", protoevent.ErrNotAMessage
	}
	length := binary.BigEndian.Uint32(header[1:])
	if int64(length) > int64(limit) {
		return "", fault.BodyTooLarge(limit)
	}
	data, err := messages.Read(int(length))
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return "", unread(err)
	}
	defer data.Free()
	return join(data), nil
}

// unread is what becomes of an error of reading. Unless the message breaks off the call has ended.
func unread(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return protoevent.ErrNotAMessage
	}
	return err
}

// join copies, for grpc-go uses the memory again.
func join(data mem.BufferSlice) string {
	var text strings.Builder
	text.Grow(data.Len())
	for _, buffer := range data {
		text.Write(buffer.ReadOnlyData())
	}
	return text.String()
}
