// Package h2test is a gRPC client for tests that sends HTTP/2 frames which no library would send.
package h2test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Conn is a connection with calls. Only one goroutine may use it.
type Conn struct {
	framer  *http2.Framer
	head    bytes.Buffer
	encoder *hpack.Encoder
	stream  uint32
	replies chan Reply
}

// Reply is everything that the server sent for a call.
type Reply struct {
	Data []byte
	// Err means that the call was reset, or that the connection ended first.
	Err     error
	headers []hpack.HeaderField
}

// Get returns the last header or trailer of this name, or nothing.
func (r Reply) Get(name string) string {
	value := ""
	for _, field := range r.headers {
		if field.Name == name {
			value = field.Value
		}
	}
	return value
}

// Connect starts HTTP/2 and reads in the background, which a network without buffers needs.
func Connect(conn net.Conn) (*Conn, error) {
	c := &Conn{framer: http2.NewFramer(conn, conn), stream: 1, replies: make(chan Reply, 1)}
	c.encoder = hpack.NewEncoder(&c.head)
	c.framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	go c.read()
	_, err := io.WriteString(conn, http2.ClientPreface)
	return c, errors.Join(err, c.framer.WriteSettings())
}

// Begin begins the next call of a method; headers are pairs of name and value.
func (c *Conn) Begin(method string, headers ...string) error {
	c.head.Reset()
	pairs := append([]string{
		":method", "POST", ":scheme", "http", ":authority", "test", ":path", method, "content-type", "application/grpc",
	}, headers...)
	for i := 0; i < len(pairs); i += 2 {
		if err := c.encoder.WriteField(hpack.HeaderField{Name: pairs[i], Value: pairs[i+1]}); err != nil {
			return err
		}
	}
	// Those of clients are odd.
	c.stream += 2
	return c.framer.WriteHeaders(http2.HeadersFrameParam{StreamID: c.stream, BlockFragment: c.head.Bytes(), EndHeaders: true})
}

// Send sends more of the call's data.
func (c *Conn) Send(data []byte) error { return c.framer.WriteData(c.stream, false, data) }

// End sends the last of it.
func (c *Conn) End(data []byte) error { return c.framer.WriteData(c.stream, true, data) }

// Reply waits for the end of a call.
func (c *Conn) Reply() Reply { return <-c.replies }

// Framed is a message behind its header; flag is 1 when it is compressed.
func Framed(flag byte, message []byte) []byte {
	return append(binary.BigEndian.AppendUint32([]byte{flag}, uint32(len(message))), message...)
}

// read delivers the replies until the connection ends.
func (c *Conn) read() {
	var reply Reply
	for {
		frame, err := c.framer.ReadFrame()
		if err != nil {
			c.replies <- Reply{Err: err}
			return
		}
		switch frame := frame.(type) {
		case *http2.DataFrame:
			reply.Data = append(reply.Data, frame.Data()...)
		case *http2.MetaHeadersFrame:
			reply.headers = append(reply.headers, frame.Fields...)
			if frame.StreamEnded() {
				c.replies <- reply
				reply = Reply{}
			}
		case *http2.RSTStreamFrame:
			// One without error follows a reply to a call that the client had not ended.
			if frame.ErrCode != http2.ErrCodeNo {
				c.replies <- Reply{Err: http2.StreamError{StreamID: frame.StreamID, Code: frame.ErrCode}}
			}
		}
	}
}
