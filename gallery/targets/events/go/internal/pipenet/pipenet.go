// Package pipenet is an in-memory network for tests with a fake clock: waiting for it lets that clock advance,
// waiting for the kernel's would not.
package pipenet

import (
	"context"
	"net"
	"sync"
)

// Listener accepts the connections that are dialled.
type Listener struct {
	dialled chan net.Conn
	closed  chan struct{}
	close   sync.Once
}

// Listen returns a listener without connections.
func Listen() *Listener {
	return &Listener{dialled: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial connects. Without a listener, or once ctx has ended, it fails.
func (l *Listener) Dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.dialled <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept waits for the next connection.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.dialled:
		return conn, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close makes Dial and Accept fail.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// Addr is that of a pipe.
func (l *Listener) Addr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "pipe" }
