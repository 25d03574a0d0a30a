package grpcapi

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"syscall"
	"time"

	"golang.org/x/net/http2"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/mem"
)

const (
	// mostEmptyFrames is how many empty DATA frames a connection may send between two frames that carry something.
	// grpc-go reads them without end, and flow control does not count them.
	mostEmptyFrames = 100
	// floodPause keeps a client from coming back at once.
	floodPause = time.Second

	frameHeaderBytes = 9
)

var errFlood = errors.New("too many empty DATA frames")

// guarded ends the connections of its credentials that are flooded with empty frames.
type guarded struct {
	credentials.TransportCredentials
}

func (g guarded) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := g.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		return nil, nil, err
	}
	frames := &frameCounter{skip: len(http2.ClientPreface)}
	// Not that below TLS: its bytes are encrypted.
	if plain, ok := conn.(*net.TCPConn); ok {
		if raw, err := plain.SyscallConn(); err == nil {
			return &pooledConn{guardedConn{conn, frames}, raw}, info, nil
		}
	}
	return guardedConn{conn, frames}, info, nil
}

func (g guarded) Clone() credentials.TransportCredentials {
	return guarded{g.TransportCredentials.Clone()}
}

// ClientHandshake is for clients, which this package has none of.
func (guarded) ClientHandshake(context.Context, string, net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return nil, nil, errors.ErrUnsupported
}

type guardedConn struct {
	net.Conn
	frames *frameCounter
}

func (c guardedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if flood := c.frames.check(b[:n]); flood != nil {
		return 0, flood
	}
	return n, err
}

// pooledConn takes a buffer once bytes have arrived, as grpc-go does with a connection that has no wrapper: those that
// rest keep none.
type pooledConn struct {
	guardedConn
	raw syscall.RawConn
}

// ReadOnReady reads at most size bytes into a buffer of the pool; grpc-go calls it in place of Read.
func (c *pooledConn) ReadOnReady(size int, pool mem.BufferPool) (buffer *[]byte, n int, err error) {
	closed := c.raw.Read(func(fd uintptr) bool {
		buffer = pool.Get(size)
		n, err = syscall.Read(int(fd), *buffer)
		if err != nil {
			pool.Put(buffer)
			buffer, n = nil, 0
		}
		return err != syscall.EAGAIN
	})
	switch {
	case closed != nil:
		err = closed
	case err == nil && n == 0:
		err = io.EOF
	case err == nil:
		err = c.frames.check((*buffer)[:n])
	}
	if err != nil && buffer != nil {
		pool.Put(buffer)
		buffer, n = nil, 0
	}
	return buffer, n, err
}

// frameCounter reads the frames' headers in the bytes that a client sends.
type frameCounter struct {
	// skip is how many bytes come before the next header.
	skip   int
	header [frameHeaderBytes]byte
	// got is how many bytes of the header have arrived.
	got int
	// empty counts the empty frames since one that carried something.
	empty int
}

// check returns an error after a pause once there are too many empty frames.
func (f *frameCounter) check(b []byte) error {
	for len(b) > 0 {
		skipped := min(f.skip, len(b))
		f.skip -= skipped
		b = b[skipped:]
		n := copy(f.header[f.got:], b)
		f.got += n
		b = b[n:]
		if f.got == frameHeaderBytes {
			f.count()
		}
		if f.empty > mostEmptyFrames {
			time.Sleep(floodPause)
			return errFlood
		}
	}
	return nil
}

func (f *frameCounter) count() {
	f.got = 0
	f.skip = int(binary.BigEndian.Uint32(f.header[:]) >> 8)
	isData := http2.FrameType(f.header[3]) == http2.FrameData
	if isData && f.skip == 0 && !http2.Flags(f.header[4]).Has(http2.FlagDataEndStream) {
		f.empty++
	} else if isData || http2.FrameType(f.header[3]) == http2.FrameHeaders {
		f.empty = 0
	}
}
