package process

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"example.com/bakeoff/events/internal/pipenet"
	"example.com/bakeoff/events/internal/settings"
	"example.com/bakeoff/events/internal/writer"
)

// database stores through a function of the test, and counts the rows.
type database struct {
	store func(ctx context.Context) error
	rows  atomic.Int64
}

func (d *database) Store(ctx context.Context, rows writer.Rows) error {
	if err := d.store(ctx); err != nil {
		return err
	}
	d.rows.Add(int64(rows.Len()))
	return nil
}

func (d *database) Check(context.Context) error { return nil }

// running is a process that serves over an in-memory network, with a fake clock.
type running struct {
	protocol
	listener *pipenet.Listener
	stop     context.CancelFunc
	ended    chan error
}

// each runs a test with a server of each protocol, whose queue holds four events.
func each(t *testing.T, d *database, test func(*testing.T, *running)) {
	for name, p := range protocols {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d.rows.Store(0)
				ctx, stop := context.WithCancel(t.Context())
				r := &running{p, pipenet.Listen(), stop, make(chan error, 1)}
				config := settings.Settings{Writer: writer.Options{Mode: writer.GroupCommit, Flushers: 1, QueueEvents: 4}}
				go func() {
					r.ended <- serve(ctx, Target{NewServer: p.newServer}, r.listener, d, config, slog.New(slog.DiscardHandler))
				}()
				test(t, r)
				stop()
				if err := <-r.ended; err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// sendAll sends events at once, each over its own connection, and returns the channel of their outcomes.
func (r *running) sendAll(t *testing.T, events int) <-chan outcome {
	outcomes := make(chan outcome, events)
	for i := range events {
		go func() {
			c := r.connect(t, r.listener)
			defer c.close()
			outcomes <- c.send(t.Context(), fmt.Sprint(i))
		}()
		synctest.Wait()
	}
	return outcomes
}

func TestOverloadIsRefusedAndWhatIsAcceptedIsStored(t *testing.T) {
	gate := make(chan struct{})
	d := &database{store: func(context.Context) error {
		<-gate
		return nil
	}}
	each(t, d, func(t *testing.T, r *running) {
		// One event is being stored and four wait.
		gate = make(chan struct{})
		outcomes := r.sendAll(t, 8)
		for range 3 {
			if got := <-outcomes; got != overloaded {
				t.Errorf("got %s", got)
			}
		}
		close(gate)
		for range 5 {
			if got := <-outcomes; got != stored {
				t.Errorf("got %s", got)
			}
		}
		if got := d.rows.Load(); got != 5 {
			t.Errorf("%d rows are stored", got)
		}
	})
}

func TestSlowDatabaseIsAwaited(t *testing.T) {
	d := &database{store: func(context.Context) error {
		time.Sleep(9 * time.Second)
		return nil
	}}
	each(t, d, func(t *testing.T, r *running) {
		if got := <-r.sendAll(t, 1); got != stored {
			t.Errorf("got %s", got)
		}
	})
}

func TestADatabaseThatHangsIsUnavailable(t *testing.T) {
	const statementLimit = 10 * time.Second
	d := &database{store: func(context.Context) error {
		time.Sleep(statementLimit)
		return writer.ErrDatabaseUnavailable
	}}
	each(t, d, func(t *testing.T, r *running) {
		start := time.Now()
		if got := <-r.sendAll(t, 1); got != unavailable || time.Since(start) != statementLimit {
			t.Errorf("got %s after %v", got, time.Since(start))
		}
	})
}

func TestEventIsStoredAfterItsClientDisconnects(t *testing.T) {
	d := &database{store: func(context.Context) error {
		time.Sleep(time.Second)
		return nil
	}}
	each(t, d, func(t *testing.T, r *running) {
		c := r.connect(t, r.listener)
		defer c.close()
		ctx, leave := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer leave()
		if got := c.send(ctx, "1"); got != unanswered {
			t.Errorf("got %s", got)
		}
		if got := c.send(t.Context(), "2"); got != stored || d.rows.Load() != 2 {
			t.Errorf("got %s, %d rows are stored", got, d.rows.Load())
		}
	})
}

func TestAPartOfAnEventIsNotStored(t *testing.T) {
	d := &database{store: func(context.Context) error { return nil }}
	each(t, d, func(t *testing.T, r *running) {
		conn := r.dial(t)
		r.begin(t, conn)
		synctest.Wait()
		conn.Close()
		synctest.Wait()
		if got := <-r.sendAll(t, 1); got != stored || d.rows.Load() != 1 {
			t.Errorf("got %s, %d rows are stored", got, d.rows.Load())
		}
	})
}

func TestSlowEventIsRejected(t *testing.T) {
	const clientTimeout = time.Minute
	d := &database{store: func(context.Context) error { return nil }}
	each(t, d, func(t *testing.T, r *running) {
		if r.incomplete == "" {
			t.Skip("the library does not limit how long a message takes")
		}
		conn := r.dial(t)
		defer conn.Close()
		start := time.Now()
		answer := r.begin(t, conn)()
		if answer != r.incomplete || time.Since(start) != clientTimeout {
			t.Errorf("got %s after %v", answer, time.Since(start))
		}
	})
}

func TestSilentClientIsDisconnected(t *testing.T) {
	d := &database{}
	each(t, d, func(t *testing.T, r *running) {
		conn := r.dial(t)
		defer conn.Close()
		start := time.Now()
		_, err := io.Copy(io.Discard, conn)
		if took := time.Since(start); err != nil || took > r.silence {
			t.Errorf("got %v after %v", err, took)
		}
	})
}

func (r *running) dial(t *testing.T) net.Conn {
	conn, err := r.listener.Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func TestStopUnderLoadAcknowledgesAllThatIsStored(t *testing.T) {
	d := &database{store: func(context.Context) error {
		time.Sleep(5 * time.Millisecond)
		return nil
	}}
	each(t, d, func(t *testing.T, r *running) {
		var clients sync.WaitGroup
		var acknowledged atomic.Int64
		for i := range 16 {
			clients.Go(func() {
				c := r.connect(t, r.listener)
				defer c.close()
				for sequence := 0; ; sequence++ {
					switch c.send(t.Context(), fmt.Sprintf("%d-%d", i, sequence)) {
					case stored:
						acknowledged.Add(1)
					case unanswered:
						return
					default:
						// Else the clock would stand still.
						time.Sleep(time.Millisecond)
					}
				}
			})
		}
		time.Sleep(100 * time.Millisecond)
		start := time.Now()
		r.stop()
		clients.Wait()
		r.ended <- <-r.ended
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("it took %v", took)
		}
		if acknowledged.Load() == 0 || acknowledged.Load() != d.rows.Load() {
			t.Errorf("%d are acknowledged, %d stored", acknowledged.Load(), d.rows.Load())
		}
	})
}
